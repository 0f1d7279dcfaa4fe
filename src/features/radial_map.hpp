#pragma once
// Random Fourier features of stationary kernels that depend on |(x - x') ./ lengthscale|: any draw of directions, any
// law of the frequencies' lengths (radial spectral densities), pairs of cosine and sine or single cosines with random
// offsets.
#include <memory>
#include <string>
#include "alacarte/core/model_info.hpp"
#include "alacarte/core/parameter_layout.hpp"
#include "alacarte/core/types.hpp"
#include "core/log_lengthscales.hpp"
#include "features/frequency_stack.hpp"
#include "features/maps.hpp"

namespace alacarte {

/// A law of lengths, evaluated at m fixed quantile levels (or fixed lengths). Theta is that of the whole map.
class RadialParameters {
 public:
  virtual ~RadialParameters() = default;
  /// Appends this law's slots to the layout, named with `prefix` such as "pwl[0].", and remembers their offsets.
  virtual void add_slots(ParameterLayout& layout, const std::string& prefix) = 0;
  /// Writes initial values to these slots of theta: a kernel that varies over the distance lambda, in length-scales.
  virtual void start(double lambda, VecRef theta) const = 0;
  /// Returns true if any of these slots is trained; if not, pullback() has nothing to do.
  virtual bool learned() const { return true; }
  /// Returns (m) the lengths in radians per length-scale.
  virtual Vector lengths(ConstVec theta) const = 0;
  /// Adds to theta_bar the cotangent of these slots: lengths (m) is the output of lengths(), length_bar (m).
  virtual void pullback(ConstVec theta, ConstVec lengths, ConstVec length_bar, VecRef theta_bar) const = 0;
  /// Returns the expectation of the squared length.
  virtual double mean_square(ConstVec theta) const = 0;
  /// Returns the values of these slots, for reports.
  virtual RadialDescription describe(ConstVec theta) const = 0;
};

/// Returns the piecewise linear density with `knots` knots, or one triangle for 0. levels (m) in (0, 1); length: the
/// padded width l of the Fastfood blocks.
std::unique_ptr<RadialParameters> radial_parameters(Index knots, ConstVec levels, Index length);

/// One kernel of that family.
struct RadialModel {
  enum class Kept { nothing, levels, lengths };
  const char* name;                ///< prefix of the slot names
  RowLaw rows = RowLaw::gaussian;  ///< the frequencies before their scales
  bool shared = false;             ///< true: one length-scale for all inputs, even without kernel.isotropic
  Kept kept = Kept::nothing;       ///< draws for each frequency that are saved with the map
  /// Law of the scales. kept (m): quantile levels in (0, 1) or lengths, as `kept` says; empty for nothing.
  std::unique_ptr<RadialParameters> (*law)(const Recipe& recipe, Index inputs, ConstVec kept) = nullptr;
};

/// Makes or loads the map of a model, which must outlive its maps.
MapPointer make_radial_map(const RadialModel& model, const Recipe& recipe, Index inputs, const RandomStreams& streams);
MapPointer load_radial_map(const RadialModel& model, const Recipe& recipe, Index inputs, const TensorBundle& bundle,
                           const std::string& prefix);

/// Offsets of the map's parameters, besides those of its law.
struct RadialOffsets {
  LogLengthscales scales;
  Index log_amplitude = 0;
};

/// Returns the features of a stack at theta, with scales (m) from the law at theta. A learned law means learned scales.
std::unique_ptr<PreparedMap> prepare_radial(std::unique_ptr<FrequencyStack> stack,
                                            std::shared_ptr<const RadialParameters> law, Vector scales, Vector theta,
                                            RadialOffsets at);

/// Returns `map` with the m features sqrt(2) cos(u + b) in place of its pairs (m cosines, then m sines), for fixed
/// offsets b (m) in radians. normalized: each row is scaled so that |psi(x)| is that of the pairs. `stored`: saves the
/// offsets.
MapPointer with_offset_phase(MapPointer map, Vector offsets, bool normalized, bool stored);

}  // namespace alacarte
