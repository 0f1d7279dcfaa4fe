#pragma once
// The noise of the gaussian likelihood: its slot in theta, for one target or several.
#include <vector>

#include "inference.hpp"

namespace alacarte {

/// Returns the moments of each target; for merged rows those of the rows that they stand for.
std::vector<TargetMoments> moments_of_targets(const RowSource& rows);
/// Returns the moments of a target beside the first, y (n); the standard deviation of a constant is 1.
TargetMoments moments_of_target(ConstVec y, double mean_weight = 1);

/// Noise of all targets of some rows: one slot with an entry for each, the first target's first. variance = floor^2 +
/// exp(2 log_sd) of a row of weight 1, with the floor in the unit of y, or 0 where the noise is held.
class NoiseTerms {
 public:
  NoiseTerms(const RowSource& rows, const InferenceOptions& options);
  Index count() const { return static_cast<Index>(terms_.size()); }  ///< T
  ParameterSlot slot() const;
  double variance(Index target, double log_sd) const;
  double slope(double log_sd) const;                           ///< d variance / d log_sd
  double mean(Index target) const { return at(target).mean; }  ///< mean of a target over rows

 private:
  struct Term {
    double floor, mean;
    ParameterSlot slot;
  };
  const Term& at(Index target) const { return terms_[static_cast<std::size_t>(target)]; }

  std::vector<Term> terms_;
};

/// Returns with_held() of a map's or kernel's layout, with the slot "noise.log_sd" behind it.
ParameterLayout with_noise(const ParameterLayout& layout, ParameterSlot noise, const InferenceOptions& options);

}  // namespace alacarte
