#pragma once
// Predictions of numbers with non-Gaussian noise.
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <alacarte/model/likelihood.hpp>
#include <vector>

namespace alacarte {

/// Returns the distribution of observations from J fits: means and latent variances (rows, J), the noise_mixture() of
/// each fit's likelihood, `scale` the unit of f and y in that of the target, and weights (J). Each fit has one
/// component for each variance of its noise. transform: that of the target, whose transformed unit all are in.
PredictiveDistribution with_noise_mixtures(ConstMat means, ConstMat variances, const std::vector<NoiseMixture>& noise,
                                           double scale, ConstVec weights, const TargetTransform& transform = {});

/// Returns the noise variances of the members, (J), in the unit of the target squared, without factors of rows and
/// shape.
Vector member_noise_variances(const FittedModel& model);

/// Returns each noise times each factor of the shape, (rows, J C): the factors of one fit after those of another.
Matrix shaped_noise(const Matrix& noise, const NoiseShape& shape);

/// Returns the distribution of observations from J fits: means and latent variances (rows, J), noise variances (rows,
/// J), weights (J), and the transform of the target. The components are in the order of shaped_noise().
PredictiveDistribution with_noise_shape(ConstMat means, ConstMat variances, const Matrix& noise,
                                        const NoiseShape& shape, ConstVec weights,
                                        const TargetTransform& transform = {});

}  // namespace alacarte
