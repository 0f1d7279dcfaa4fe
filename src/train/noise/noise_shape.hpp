#pragma once
// The shape of the noise, learned from predictions of rows that were left out of a model's fits (noise.shape mixture).
#include "alacarte/data/row_source.hpp"
#include "alacarte/model/fitted_model.hpp"

namespace alacarte {

/// Returns the shape under which the left-out targets are most probable: up to three normals, each further one kept if
/// it gains more than two units of the log density for each of its two numbers; gaussian if all of them together gain
/// no more than four. given: distributions of observations (rows, J); noise (rows, J): the part of its variances that
/// is noise; targets (rows). Factors lie between 2^-10 and 2^20. From more than 10,000 rows that many are taken, evenly
/// spaced. Deterministic. Cost O(rows J) for each of 121 scales; memory: as many numbers per row.
NoiseShape learn_noise_shape(const PredictiveDistribution& given, const Matrix& noise, const Vector& targets);

/// Learns noise_shape of a model whose fits gave these left-out predictions, with noise of these factors (rows);
/// returns the predictions with it. The noise of a transformed target stays gaussian if a shape makes the squared error
/// of its means more than a twentieth larger.
Prediction learn_noise_shape(const Prediction& left_out, const Vector& targets, const Vector& factors,
                             FittedModel& model);

}  // namespace alacarte
