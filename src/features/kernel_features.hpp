#pragma once
// A Gaussian process of an exact kernel k, written as features of its training rows X: inference for a linear model is
// then inference for the process.
#include <memory>

#include "alacarte/core/row_source.hpp"
#include "alacarte/features/feature_map.hpp"
#include "alacarte/kernel/kernel.hpp"

namespace alacarte {

/// psi(x) = L^-1 k(X, x) with L L^T = k(X, X), its diagonal raised by 1e-12 of itself, or by the least power of ten
/// above that with which it factors (NumericalError where 1e-4 is not enough); and what psi lacks at x, the
/// variance k(x, x) - |psi(x)|^2, as the residual. D = n; the parameters are the kernel's. save() puts X as
/// "training_inputs" (n, d). prepare() costs n^3/3 flops on one thread and O(n^2) memory; so its bits depend on theta
/// and X alone. The rows are read, all of them, when they are first needed.
std::shared_ptr<const FeatureMap> make_kernel_features(std::shared_ptr<const Kernel> kernel,
                                                       std::shared_ptr<const RowSource> rows);
/// For the rows (n, d), n >= 1. Throws std::invalid_argument on shapes.
std::shared_ptr<const FeatureMap> make_kernel_features(std::shared_ptr<const Kernel> kernel, Matrix rows);

}  // namespace alacarte
