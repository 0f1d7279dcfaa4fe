#pragma once
// The amplitude of fixed features by rows that they were not fitted to, for likelihoods without a closed form.
#include <functional>

#include "train/plan/fit_jobs.hpp"

namespace alacarte {

/// What is best for rows that were held out.
struct HeldOutAmplitude {
  double factor = 1;       ///< of the features
  double log_density = 0;  ///< mean of the held-out rows' log probabilities
  Index trials = 0;        ///< posteriors that were tried
};

/// Rows that tell it as well as more.
inline constexpr Index kMostAmplitudeRows = 5000;

/// The factor, within 8 of `first`, with which Laplace's posterior of the other rows makes the held-out rows most
/// probable: by a search in halves and doubles, then between. theta: of the inference on these rows, at factor 1. Of
/// more than `most_rows` as many are drawn from the job's streams. Before each trial but the first `goes_on` is asked,
/// with the number of those before. Cost: seven posteriors at most. Throws NumericalError where none exists.
HeldOutAmplitude fit_held_out_amplitude(const FitJob& job, const TrainingRows& rows, const Vector& theta, double first,
                                        Index most_rows, int threads, const std::function<bool(Index)>& goes_on);

}  // namespace alacarte
