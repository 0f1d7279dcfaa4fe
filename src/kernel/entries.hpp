#pragma once
// The entries that the registry lists, each written beside its kernel.
#include "alacarte/kernel/kernel.hpp"

namespace alacarte {

constexpr const char* kExactCost =
    "n^3/3 + n^2 d flops and 8 n^2 bytes an evaluation, n^2 d flops more for its gradient";

KernelEntry rbf_kernel_entry();
KernelEntry ard_kernel_entry();
KernelEntry matern_kernel_entry();
KernelEntry rational_quadratic_kernel_entry();
KernelEntry linear_kernel_entry();
KernelEntry polynomial_kernel_entry();
KernelEntry minmax_kernel_entry();
KernelEntry periodic_kernel_entry();
KernelEntry sum_kernel_entry();
KernelEntry product_kernel_entry();

}  // namespace alacarte
