#pragma once
// Targets for likelihoods of classes and counts.
#include <alacarte/core/random.hpp>
#include <alacarte/model/likelihood.hpp>
#include <cmath>

namespace alacarte {

inline bool is_of_classes(const LikelihoodEntry& entry) { return entry.likelihood.target() == TargetKind::classes; }

/// Returns the maximum number of classes of the likelihood, at most three.
inline Index class_count_of(const LikelihoodEntry& entry) {
  return entry.likelihood.max_classes() > 0 ? entry.likelihood.max_classes() : 3;
}

/// Returns noisy functions of the first inputs: the index of the largest of K, or a whole number.
inline Vector class_target(const LikelihoodEntry& entry, ConstMat x, std::uint64_t seed) {
  RandomStream stream(seed);
  Vector y(x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    const double f = std::sin(2 * x(i, 0)) + 0.5 * x(i, x.cols() - 1) + 0.7 * stream.normal();
    const double g = std::cos(x(i, 0)) - 0.5 + 0.7 * stream.normal();
    if (!is_of_classes(entry))
      y[i] = std::floor(std::exp(1 + 0.5 * f));
    else if (class_count_of(entry) == 2)
      y[i] = f > 0 ? 1 : 0;
    else
      y[i] = f > 0.4 ? 2 : g > 0 ? 1 : 0;
  }
  return y;
}

}  // namespace alacarte
