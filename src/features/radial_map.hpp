#pragma once
// Random Fourier features of stationary kernels that depend on |(x - x') ./ lengthscale|: any draw of directions, any
// law of the frequencies' lengths, pairs of cosine and sine or single cosines with random offsets.
#include "core/log_lengthscales.hpp"
#include "features/frequency_stack.hpp"
#include "features/maps.hpp"
#include "features/radial_parameters.hpp"

namespace alacarte {

/// One kernel of that family.
struct RadialModel {
  enum class Kept { nothing, levels, lengths };
  const char* name;                ///< prefix of the slot names
  RowLaw rows = RowLaw::gaussian;  ///< the frequencies before their scales
  bool shared = false;             ///< one length-scale for all inputs, whatever kernel.isotropic says
  Kept kept = Kept::nothing;       ///< what is drawn once for each frequency and saved with the map
  /// The law of the scales. kept (m): quantile levels in (0, 1) or lengths, as `kept` says; empty for nothing.
  std::unique_ptr<RadialParameters> (*law)(const Recipe& recipe, Index inputs, ConstVec kept) = nullptr;
};

/// make() and load() of the entry of a model, which must outlive its maps.
MapPointer make_radial_map(const RadialModel& model, const Recipe& recipe, Index inputs, const RandomStreams& streams);
MapPointer load_radial_map(const RadialModel& model, const Recipe& recipe, Index inputs, const TensorBundle& bundle,
                           const std::string& prefix);

/// Where such a map has its parameters, besides those of its law.
struct RadialOffsets {
  LogLengthscales scales;
  Index log_amplitude = 0;
};

/// The features of a stack at theta, of which `scales` (m) are what the law gives there. If the law is learned, so are
/// the stack's scales.
std::unique_ptr<PreparedMap> prepare_radial(std::unique_ptr<FrequencyStack> stack,
                                            std::shared_ptr<const RadialParameters> law, Vector scales, Vector theta,
                                            RadialOffsets at);

/// `map` with the m features sqrt(2) cos(u + b) instead of its pairs (m cosines, then m sines), for fixed offsets b (m)
/// in radians. normalized: each row is scaled so that |psi(x)| is what the pairs have. The offsets are saved only if
/// `stored`.
MapPointer with_offset_phase(MapPointer map, Vector offsets, bool normalized, bool stored);

}  // namespace alacarte
