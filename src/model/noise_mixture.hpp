#pragma once
// Predictions of numbers whose noise is no Gaussian.
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/model/likelihood.hpp>
#include <vector>

namespace alacarte {

/// Observations of fits: means and latent variances (rows, J), noise.noise_mixture() of each, one unit of f and y in
/// that of the target, and weights (J) of the fits. Components: each fit's, one for each variance of its noise.
PredictiveDistribution with_noise_mixtures(ConstMat means, ConstMat variances, const std::vector<Matrix>& noise,
                                           double scale, ConstVec weights);

}  // namespace alacarte
