#pragma once
// Noise that varies, learned from rows that were left out of a model's fits: the mean stays unchanged (noise.rounds 0).
#include <memory>

#include "fit_function.hpp"

namespace alacarte {

/// Returns the logarithm of a noise factor that a left-out row suggests: its squared residual over the predicted
/// variance is chi-squared with one degree of freedom, whose logarithm has the mean -1.2704. Residuals below a
/// hundredth of their standard deviation count as that hundredth.
double log_noise_target(double residual, double variance);

/// Left-out predictions of a model, and the rows from which the noise is learned.
struct LeftOutNoise {
  Prediction prediction;                   ///< regression with noise, for `rows`
  std::shared_ptr<const MemoryRows> rows;  ///< in raw units, without weights
  bool held_out = false;                   ///< no parameter saw these rows
  std::vector<Index> groups = {};          ///< groups of the rows, whose folds are of whole groups; empty: none
};

/// Left-out predictions with noise that varies.
struct LeftOutFactors {
  Prediction prediction;
  Vector factors;  ///< (rows) on the noise variance, learned from other rows; ones if the noise stays constant
};

/// Makes the noise of a model one of one size, and records why.
void keep_one_size(FittedModel& model, Index rows, const std::string& reason);

/// Smallest gain in log density over all left-out rows for which noise varies, in nats: two for each number of its law.
inline constexpr double kMinNoiseGain = 4;
/// Largest ratio of squared errors of the means of a transformed target, which its variance moves, beside those with
/// noise of one size.
inline constexpr double kMaxNoiseErrorRatio = 1.05;

/// Learns the logarithm of the factor by which each row's noise differs from the model's, and sets noise_model and
/// log_noise_range; returns the predictions of the left-out rows with it. Uses cross-fitting: models of the factor,
/// each of all rows but a fold, predict that fold (of two, or of five below 1000 rows); their g becomes the factor c
/// exp(b g), b and c under which the left-out targets are most probable; the model of all rows keeps b and c. If the
/// log density over the rows gains less than kMinNoiseGain, if the means of a transformed target become worse, if there
/// are fewer than 100 rows, or if a fit of the noise fails for any reason, noise_model stays null, recipe.noise.varies
/// becomes false and the predictions come back. Rows: `most` of those given, drawn by the seed. model.training.noise
/// records the outcome. Deterministic in its arguments; an interrupt ends it without noise model. If ranks trained the
/// model, each does all of this, and all call it together. Cost: 3 fits of four small models and
/// shallow trees, 6 below 1000 rows, and 6 of an exact ARD kernel below 300.
LeftOutFactors learn_left_out_noise(LeftOutNoise left_out, Index most, const FitOptions& options, FittedModel& model,
                                    const FitFunction& fit);

}  // namespace alacarte
