#pragma once
// Weights of the components of a mixture: one for each, none negative. Their sum is the number of components, so equal
// weights are ones and change no digit.
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/core/types.hpp"

namespace alacarte {

/// Checks weights (J); returns ones if they are empty. Throws std::invalid_argument.
inline Vector component_weights(Vector weights, Index count) {
  if (weights.size() == 0) return Vector::Ones(count);
  require(weights.size() == count && (weights.array() >= 0).all(), "one weight, not negative, for each component");
  const auto sum = static_cast<double>(count);
  require(std::abs(weights.sum() - sum) <= 1e-9 * sum, "the weights of J components have the sum J");
  return weights;
}

/// Returns (rows) sum_j w_j values(., j) / J; values (rows, J), w (J).
inline Vector weighted_mean(ConstMat values, const Vector& weights) {
  const Matrix weighted = values * weights.asDiagonal();
  return weighted.rowwise().mean();
}

/// Returns the log of sum_j w_j exp(l_j) / J. A component of weight 0 is ignored, however large its l.
inline double log_mean_exp(Vector logs, const Vector& weights) {
  for (Index j = 0; j < logs.size(); ++j)
    if (weights[j] == 0) logs[j] = -std::numeric_limits<double>::infinity();
  const double top = logs.maxCoeff();
  return std::isfinite(top) ? top + std::log((weights.array() * (logs.array() - top).exp()).mean()) : top;
}

}  // namespace alacarte
