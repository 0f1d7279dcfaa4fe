#pragma once
// The choice of landmarks (inducing inputs) of a Nystrom map among the training rows.
#include "alacarte/core/random.hpp"
#include "alacarte/core/training_statistics.hpp"
#include "alacarte/kernel/kernel.hpp"

namespace alacarte {

/// (min(count, n), d) distinct rows of `statistics.sample` (n, d), drawn by `method`:
///   uniform   without replacement, all equally likely;
///   kmeans    the seeding of k-means++: each next row with probability proportional to its squared distance from the
///             nearest chosen so far, inputs in units of their range;
///   leverage  with probability proportional to the ridge leverage score k_ii - k_iS (K_SS + r I)^-1 k_Si at the
///             kernel's first initial theta, S a uniform pilot of up to 500 rows, r a hundredth of the variance.
/// Throws ConfigError for another method. Cost O(n count d) for kmeans, O(n 500^2) for leverage.
Matrix choose_landmarks(const std::string& method, const Kernel& kernel, const TrainingStatistics& statistics,
                        Index count, const RandomStreams& streams);

}  // namespace alacarte
