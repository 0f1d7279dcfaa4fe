#pragma once
// Predictions of numbers whose noise is no Gaussian.
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <alacarte/model/likelihood.hpp>
#include <vector>

namespace alacarte {

/// Observations of fits: means and latent variances (rows, J), noise.noise_mixture() of each, one unit of f and y in
/// that of the target, and weights (J) of the fits. Components: each fit's, one for each variance of its noise.
PredictiveDistribution with_noise_mixtures(ConstMat means, ConstMat variances, const std::vector<Matrix>& noise,
                                           double scale, ConstVec weights);

/// Returns the noise variances of the members, (J), in the unit of the target squared, without factors of rows and
/// shape.
Vector member_noise_variances(const FittedModel& model);

/// Returns each noise times each factor of the shape, (rows, J C): the factors of one fit after those of another.
Matrix shaped_noise(const Matrix& noise, const NoiseShape& shape);

/// Observations of fits: means and latent variances (rows, J), noise variances (rows, J), weights (J) of the fits.
/// Components as those of shaped_noise().
PredictiveDistribution with_noise_shape(ConstMat means, ConstMat variances, const Matrix& noise,
                                        const NoiseShape& shape, ConstVec weights);

}  // namespace alacarte
