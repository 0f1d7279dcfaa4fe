#pragma once
// Interface to laws of the frequencies' lengths (radial spectral densities), with their parameters: the piecewise
// linear density of pwl, as one triangle (the paper's experiments) or as K triangles on learned knots (its general
// form), and the laws of radial_models.cpp.
#include <memory>
#include <string>

#include "alacarte/core/model_info.hpp"
#include "alacarte/core/parameter_layout.hpp"
#include "alacarte/core/types.hpp"

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

}  // namespace alacarte
