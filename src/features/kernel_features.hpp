#pragma once
// A Gaussian process of an exact kernel k, written as features of its training rows X, for inference in a linear model.
#include <functional>
#include <memory>

#include "alacarte/features/feature_map.hpp"
#include "alacarte/kernel/kernel.hpp"

namespace alacarte {

/// Returns psi(x) = L^-1 k(X, x) with L L^T = k(X, X), its diagonal raised by 1e-12 of itself, or by the smallest power
/// of ten above that with which it factors (NumericalError if 1e-4 is not enough); the residual is the missing variance
/// k(x, x) - |psi(x)|^2. D = n; the parameters are the kernel's. save() writes X as "training_inputs" (n, d). prepare()
/// costs n^3/3 flops on one thread and O(n^2) memory, so its bits depend only on theta and X. rows: X (n, d), n >= 1.
/// Throws std::invalid_argument on shapes.
std::shared_ptr<const FeatureMap> make_kernel_features(std::shared_ptr<const Kernel> kernel, Matrix rows);
/// Makes the features of rows that are read later. read: returns X (n, d), n >= 1, when the rows are first needed.
std::shared_ptr<const FeatureMap> make_kernel_features(std::shared_ptr<const Kernel> kernel, Index n,
                                                       std::function<Matrix()> read);

}  // namespace alacarte
