#pragma once
// The size of random effects beside a network, whose minibatches leave amplitudes as they are.
#include "train/plan/fit_jobs.hpp"

namespace alacarte {

/// Sets the amplitudes and the noise in theta, those of the effects among them, by the evidence of a few rows of each
/// of some levels; other parameters stay. Does nothing without levels, for a likelihood that is not gaussian, and for
/// rows that processes share. Cost: some ten evaluations on 2000 rows.
void fit_level_effects(const FitJob& job, const TrainingRows& rows, int threads, Vector& theta);

}  // namespace alacarte
