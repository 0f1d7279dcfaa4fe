#include "alacarte/core/error.hpp"
#include "kernel/entries.hpp"

namespace alacarte {

void Kernel::tangent(ConstVec, ConstMat, ConstMat, ConstMat, MatRef) const {
  require(false, "the kernel has no derivative by its inputs");
}
void Kernel::tangent_variance(ConstVec, ConstMat, ConstMat, VecRef) const {
  require(false, "the kernel has no derivative by its inputs");
}

const std::vector<KernelEntry>& kernels() {
  static const std::vector<KernelEntry> table = [] {
    std::vector<KernelEntry> all = {
        rbf_kernel_entry(),      ard_kernel_entry(),     matern_kernel_entry(),     rational_quadratic_kernel_entry(),
        periodic_kernel_entry(), linear_kernel_entry(),  polynomial_kernel_entry(), minmax_kernel_entry(),
        sum_kernel_entry(),      product_kernel_entry(),
    };
    for (KernelEntry& entry : all) {
      entry.exact = true;
      if (entry.accuracy.empty()) entry.accuracy = "exact";
      if (entry.cost.empty())
        entry.cost = "n^3/3 + n^2 d flops and 8 n^2 bytes an evaluation, n^2 d flops more for its gradient";
    }
    return all;
  }();
  return table;
}

const KernelEntry* find_kernel(const std::string& name) { return find_named(kernels(), name); }

}  // namespace alacarte
