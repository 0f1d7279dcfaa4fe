#pragma once
// Laws of the lengths of frequencies behind one face: pwl's two forms, one hat (the paper's experiments) and K hats on
// learned knots (its general form), and those of scale_laws.hpp.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "alacarte/core/parameter_layout.hpp"
#include "alacarte/core/types.hpp"

namespace alacarte {

class RadialParameters {
 public:
  virtual ~RadialParameters() = default;
  /// Appends the slots; `prefix` as "pwl[0].". Remembers their offsets.
  virtual void add_slots(ParameterLayout& layout, const std::string& prefix) = 0;
  /// Start for the distance `lambda` (in length-scales) that the kernel should resolve.
  virtual void start(double lambda, VecRef theta) const = 0;
  /// Whether a slot is trained, so that pullback() has something to do.
  virtual bool learned() const { return true; }
  virtual Vector lengths(ConstVec theta) const = 0;  ///< (m)
  virtual void pullback(ConstVec theta, ConstVec lengths, ConstVec length_bar, VecRef theta_bar) const = 0;
  virtual double mean_square(ConstVec theta) const = 0;  ///< of a length
  virtual nlohmann::json describe(ConstVec theta) const = 0;
};

/// knots = 0: one hat. levels (m) in (0, 1); length: the padded width l of the Fastfood blocks.
std::unique_ptr<RadialParameters> radial_parameters(Index knots, ConstVec levels, Index length);

}  // namespace alacarte
