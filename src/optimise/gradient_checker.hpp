#pragma once
// Compares a hand-written gradient with central differences, entry by entry, and reports by slot name. It is a feature
// of the program (`alacarte check`), and itself tested with a deliberately wrong gradient.
#include <alacarte/inference/objective.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Slope of an objective along one entry of theta, computed in two ways.
struct GradientCheckEntry {
  std::string name;                  ///< "gm[0].log_lengthscale[2]"
  double analytic = 0, numeric = 0;  ///< from the gradient; from central differences
  double error = 0;  ///< |analytic - numeric| / max(|analytic|, |numeric|, scale), scale = 1e-3 |gradient| max-norm
};

/// Result of check_gradient().
struct GradientCheck {
  std::vector<GradientCheckEntry> entries;  ///< worst first
  /// Returns the largest relative error; 0 without entries.
  double worst() const { return entries.empty() ? 0 : entries.front().error; }
};

/// Checks every trained entry, or at most `max_entries` spread evenly over the slots. Differences are Richardson-
/// extrapolated central differences. Cost: 4 evaluations an entry.
GradientCheck check_gradient(Objective& objective, ConstVec theta, Index max_entries = 0);

}  // namespace alacarte
