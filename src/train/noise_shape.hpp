#pragma once
// The shape of the noise, learned from predictions of rows that were left out of a model's fits (noise.shape mixture).
#include "alacarte/core/predictive_distribution.hpp"
#include "alacarte/model/noise_shape.hpp"

namespace alacarte {

/// The shape under which the left-out targets are most probable: up to three normals, each kept where it gains more
/// than two units of the log density for each of its two numbers; gaussian where even one scale of its own gains less.
/// given: of observations (rows, J); noise (rows, J): the part of its variances that is noise; targets (rows).
/// Factors lie between 2^-10 and 2^20. Deterministic. Cost O(rows J) for each of 121 scales.
NoiseShape learn_noise_shape(const PredictiveDistribution& given, const Matrix& noise, const Vector& targets);

}  // namespace alacarte
