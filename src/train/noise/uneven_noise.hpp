#pragma once
// Noise that is a function of the inputs, learned in rounds (noise.varies, noise.rounds > 0; docs/math.md, section 10).
#include "fit_function.hpp"

namespace alacarte {

/// Fits the mean; then, noise.rounds times, the logarithm of the squared left-out residuals with the same model, and
/// the mean again, each row with its noise. Keeps the round that predicts left-out rows best. Throws ConfigError for a
/// model without leave-one-out predictions, for a checkpoint and for a repeated training.
FittedModel fit_uneven_noise(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> training,
                             const FitOptions& options, const FitFunction& fit);

}  // namespace alacarte
