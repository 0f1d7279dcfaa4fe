#pragma once
// The stages of fit(): rows kept for calibration, noise that varies, and the fits themselves.
#include "alacarte/train/fit.hpp"

namespace alacarte {

/// What the recipe stands for on these raw rows: auto_recipe(). classes: 0 where the target is a number.
Recipe resolved_recipe(const Recipe& recipe, const RowSource& training, Index classes, const FitOptions& options);

/// fit_targets() of all rows. counted_by: rows whose weights count in scores and in the weights of fits, where those of
/// `training` are something else; nullptr: those of `training`.
std::vector<FittedModel> fit_shared(const Recipe& recipe, const std::vector<Schema>& schemas,
                                    std::shared_ptr<RowSource> training, const FitOptions& options,
                                    const RowSource* counted_by = nullptr);

/// fit() of a recipe without calibration and with noise of one size, or that is learned from left-out rows
/// (left_out_noise.hpp). counted_by: as above.
FittedModel fit_rows(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> training,
                     const FitOptions& options, const RowSource* counted_by = nullptr);

/// fit() of a recipe without calibration whose noise varies (noise.varies; math.md section 10): a fit of the mean; then
/// `rounds` times a fit of the logarithm of the squared left-out residuals, with the same model, and one of the mean
/// again, each row with its noise. Throws ConfigError for a model without leave-one-out predictions, for a checkpoint
/// and for a training to be repeated.
FittedModel fit_uneven_noise(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> training,
                             const FitOptions& options);

}  // namespace alacarte
