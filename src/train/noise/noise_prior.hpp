#pragma once
// The centre of the prior on the noise: the noise of a short ARD fit (docs/math.md, section 9).
#include <string>

#include "alacarte/model/training_record.hpp"
#include "optimise/fit_context.hpp"
#include "train/plan/noise_plan.hpp"

namespace alacarte {

/// Finds the noise by maximum likelihood of an exact ARD process from 2 starts, about 40 iterations, on at most
/// noise.prior_rows rows drawn without replacement. The result is clamped to [max(floor, 0.01), 1]; with fewer than 10
/// rows, a constant target or a fit that fails, the recipe's prior_value replaces it. Length-scales are those of the
/// fit, at most 10 sqrt(d) times the input's range. for_starts: fits begin there, so a fit that explains less than a
/// fifth of the variance is restarted at length-scales at which rows are far apart, and the restart is kept if it
/// explains a fifth more. A start from the structure of the rows (search/row_starts.hpp) that the evidence prefers is
/// tried as well, and kept if its left-out predictions explain more. `context`: interrupt and clock. Cost: about 100
/// evaluations of n^3, or twice as many with a restart. All ranks call it together.
NoiseCenter find_noise_center(const Recipe& recipe, const TrainingRows& rows, const FitOptions& options,
                              const FitContext& context, bool for_starts);

}  // namespace alacarte
