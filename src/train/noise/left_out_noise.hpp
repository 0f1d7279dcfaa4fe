#pragma once
// Noise that varies, learned from rows that were left out of a model's fits: the mean stays as it is (noise.rounds 0).
#include <memory>

#include "fit_function.hpp"

namespace alacarte {

/// What a left-out row says of the logarithm of its noise's factor: its squared residual over the variance that was
/// predicted for it is chi-squared with one degree of freedom, whose logarithm has the mean -1.2704. Residuals of less
/// than a hundredth of their standard deviation say no more than that.
double log_noise_target(double residual, double variance);

/// Left-out predictions of a model, and what there is to learn the noise from them.
struct LeftOutNoise {
  Prediction prediction;                   ///< of `rows`, of numbers with noise
  std::shared_ptr<const MemoryRows> rows;  ///< in raw units, without weights
  bool held_out = false;                   ///< no parameter saw these rows
};

/// Left-out predictions with noise that varies.
struct LeftOutFactors {
  Prediction prediction;
  Vector factors;  ///< (rows) of the noise variance, learned from other rows; ones where the noise stays of one size
};

/// Learns the logarithm of the factor by which each row's noise differs from the model's, and sets noise_model and
/// log_noise_range; returns the predictions of the left-out rows with it. By cross-fitting: models of the factor,
/// each of all rows but a fold, predict that fold (of two, or of five below 1000 rows); their g becomes the factor c
/// exp(b g), b and c under which the left-out targets are most probable; the model of all rows keeps b and c. Where the
/// log density gains less than two units a parameter over the rows, and where fewer than 100 rows can be had,
/// noise_model stays null, recipe.noise.varies becomes false and the predictions come back; so, too, where a fit of
/// the noise fails, for whatever reason. Rows: `most` of those given, drawn by the seed. model.training.noise says
/// what was done. Deterministic in its arguments; an interrupt ends it without noise model. Where ranks trained the
/// model, each does all of this, and all call it together. Cost: 3 fits of four small models, 6 below 1000 rows, and 6
/// of an exact ARD kernel below 300.
LeftOutFactors learn_left_out_noise(LeftOutNoise left_out, Index most, const FitOptions& options, FittedModel& model,
                                    const FitFunction& fit);

}  // namespace alacarte
