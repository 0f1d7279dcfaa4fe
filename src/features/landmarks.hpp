#pragma once
// Which training rows become the landmarks of a Nystrom map.
#include "alacarte/core/random.hpp"
#include "alacarte/core/training_view.hpp"
#include "alacarte/kernel/kernel.hpp"

namespace alacarte {

/// (min(count, rows of the sample), d) different rows of view.sample, by `method`:
///   uniform   any with the same probability;
///   kmeans    the seeds of k-means++: each next row with probability proportional to its squared distance from the
///             nearest so far, inputs in units of their range;
///   leverage  with probability proportional to the ridge leverage score k_ii - k_iS (K_SS + r I)^-1 k_Si at the
///             kernel's first start, S a uniform pilot of up to 500 rows, r a hundredth of the variance.
/// Throws ConfigError for another method. Cost: O(rows count d) for kmeans, O(rows 500^2) for leverage.
Matrix choose_landmarks(const std::string& method, const Kernel& kernel, const TrainingView& view, Index count,
                        const RandomStreams& streams);

}  // namespace alacarte
