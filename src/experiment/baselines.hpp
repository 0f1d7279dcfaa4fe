#pragma once
// Baseline predictors without a kernel.
#include <alacarte/core/predictive_distribution.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Returns the names of the baselines. "mean": N(mean, variance) of the training targets. "knn": mean of the k nearest
/// rows (Euclidean, inputs divided by their standard deviations); k of 1, 2, 3, 5, 8, 13, 21, 34 has the least
/// leave-one-out error on at most 2000 training rows, whose mean square is the variance.
const std::vector<std::string>& baseline_names();

/// Predicts at test (t, d) from inputs (n, d), target (n), all in raw units. Throws std::invalid_argument for shapes
/// and unknown names. Cost of knn: O(t n d), and at most O(2000 n d) for k.
PredictiveDistribution predict_baseline(const std::string& name, ConstMat inputs, ConstVec target, ConstMat test);

}  // namespace alacarte
