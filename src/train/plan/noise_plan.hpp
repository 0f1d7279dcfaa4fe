#pragma once
// How a training learns its noise: the fit that centres its prior, the models of noise that varies, and its shape.
#include "fit_jobs.hpp"

namespace alacarte {

/// Tells whether any job uses the centre found by the ARD fit.
bool needs_noise_center(const std::vector<FitJob>& jobs);

/// Plans the evaluations that find_noise_center() makes of at most `most` of the rows, n^3 flops each; none where it
/// makes none (fewer than ten rows, or sparse ones). Reads no row.
TrainingPlan::Fit plan_noise_prior(const RowSource& rows, Index most);

/// Tells whether find_noise_center() makes a fit of these rows: at least ten, and no sparse ones.
bool suits_exact_fit(const RowSource& rows);
/// Returns the recipe of that fit, by maximum likelihood.
Recipe ard_recipe(const Recipe& recipe);

/// Returns the recipe of the models that learn the logarithm of the noise from so many left-out rows of a model.
Recipe left_out_noise_recipe(const Recipe& mean, Index rows);
/// Returns true where the model of so many rows is an exact kernel.
bool is_exact_noise(Index rows);
/// Returns the number of folds of the cross-fitting of so many rows.
Index left_out_noise_folds(Index rows);

/// Largest number of rows that the shape of the noise is learned from, and scales that are tried: its work space is
/// their product.
inline constexpr Index kNoiseShapeRows = 10'000, kNoiseShapeScales = 121;

/// Tells whether a training learns the shape (noise.shape); recipe as auto_recipe() has it. Throws ConfigError where it
/// is asked for and rows have weights or several targets.
bool learns_noise_shape(const Recipe& recipe, const RowSource& training);

}  // namespace alacarte
