#pragma once
// The scale of the target that model "auto" takes: zscore, or log for positive and skewed targets.
#include <string>

#include "alacarte/data/row_source.hpp"
#include "alacarte/train/fit.hpp"
#include "optimise/fit_context.hpp"

namespace alacarte {

/// A scale of the target, and the figures that it was chosen by.
struct TargetScaleChoice {
  TargetScaling scaling = TargetScaling::zscore;
  std::string note = {};  ///< one line for the record; empty if nothing but zscore was tried
};

/// Chooses between the scales zscore and log. log is tried if all targets are above 0, at most 400 rows drawn by the
/// seed have a sample skewness above 1, and there are at least 50 rows without weights and one target. A short exact
/// ARD fit of these rows under each scale leaves every row out; log is taken if the log density of the targets, in
/// their unit and with the shape of noise learned, gains more than twice the standard error of its mean, and the
/// squared error of the mean is at most a tenth larger. Rows that are sparse or shared by ranks keep zscore.
/// Deterministic in its arguments. Cost: one pass, and where log is tried two fits of some 30 evaluations.
TargetScaleChoice choose_target_scale(const Recipe& recipe, const RowSource& rows, const FitOptions& options,
                                      const FitContext& context);

}  // namespace alacarte
