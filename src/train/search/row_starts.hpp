#pragma once
// Starting points from what the rows hold: length-scales at which neighbours agree, and sinusoids.
#include <optional>
#include <vector>

#include "alacarte/inference/objective.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {

/// Returns length-scales (d each) between the ranges of the inputs and the spacing of the rows: of all inputs alike, of
/// each input that has a spectral peak, and of all of these together; and of inputs whose values may number groups.
std::vector<Vector> candidate_lengthscales(const TrainingStatistics& statistics);

/// Returns the start of an ARD fit that its objective prefers to all of `starts`, among candidate_lengthscales() at two
/// levels of noise; nothing where it prefers none by far. Cost: two values of the objective for each candidate.
std::optional<Vector> row_start(Objective& objective, const FitJob& job, const TrainingRows& rows,
                                const std::vector<Vector>& starts);

/// Adds the start of a fit at the length-scales and noise of the ARD fit where these are so short that the fit's own
/// starts may not reach them, and its objective prefers it; a fit with one start begins there then. A fit that begins
/// on a subsample compares its starts by itself. Cost: a value of the objective for each start.
void add_found_start(Objective& objective, const FitJob& job, const TrainingRows& rows, double noise_center,
                     std::vector<Vector>& starts);

}  // namespace alacarte
