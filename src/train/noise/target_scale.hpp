#pragma once
// The scale of the target that model "auto" takes: zscore, or a transform for positive and skewed targets.
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

/// Chooses between the scale zscore and another: log if all targets are above 0 and their logarithm has a deviation of
/// at most 1, yeo-johnson if the smallest is 0 or the deviation larger. The other is tried if at most 400 rows drawn by
/// the seed have a sample skewness above 0.5, and there are at least 50 rows without weights and one target. A short
/// exact ARD fit of these rows under each scale leaves every row out; the other is taken if the log density of the
/// targets, in their unit and with the shape of noise learned, gains more than twice the standard error of its mean and
/// 0.05 for each row, and the squared error of the mean is at most a tenth larger. Rows that are sparse or shared by
/// ranks keep zscore. Deterministic in its arguments. Cost: one pass, and where another scale is tried two fits of some
/// 30 evaluations; with training.seconds fewer rows, so that they take about a twentieth of the time.
/// held_least: the smallest target of rows that are held out, for which the scale must have a place, too.
TargetScaleChoice choose_target_scale(const Recipe& recipe, const RowSource& rows, double held_least,
                                      const FitOptions& options, const FitContext& context);

}  // namespace alacarte
