#pragma once
// The amplitude of fixed features by rows that they were not fitted to, for likelihoods without a closed form.
#include <functional>

#include "train/plan/fit_jobs.hpp"

namespace alacarte {

/// The amplitude that suits the held-out rows best.
struct HeldOutAmplitude {
  double factor = 1;       ///< multiplies the features
  double log_density = 0;  ///< mean of the held-out rows' log probabilities
  Index trials = 0;        ///< posteriors that were tried
};

/// Largest number of rows for this search; more do not determine the amplitude better.
inline constexpr Index kMaxAmplitudeRows = 5000;

/// Returns the factor, within 8 of `first`, with which Laplace's posterior of the other rows makes the held-out rows
/// most probable; it doubles or halves the factor, then looks between. theta: of the inference on these rows, at factor
/// 1. If there are more than `most_rows` rows, that many are drawn from the job's streams. Calls `goes_on` with the
/// trials so far before each one but the first. Cost: at most seven posteriors. Throws NumericalError if none exists.
HeldOutAmplitude fit_held_out_amplitude(const FitJob& job, const TrainingRows& rows, const Vector& theta, double first,
                                        Index most_rows, int threads, const std::function<bool(Index)>& goes_on);

}  // namespace alacarte
