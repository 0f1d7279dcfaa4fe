#pragma once
// The entries that the registry lists, each defined with its kernel; the registry fills in what all have in common.
#include "alacarte/kernel/kernel.hpp"

namespace alacarte {

KernelEntry rbf_kernel_entry(), ard_kernel_entry(), matern_kernel_entry(), rational_quadratic_kernel_entry();
KernelEntry periodic_kernel_entry(), linear_kernel_entry(), polynomial_kernel_entry(), minmax_kernel_entry();
KernelEntry sum_kernel_entry(), product_kernel_entry();

}  // namespace alacarte
