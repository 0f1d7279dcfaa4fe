#include <algorithm>

#include "kernel/entries.hpp"

namespace alacarte {

const std::vector<KernelEntry>& kernels() {
  static const std::vector<KernelEntry> table = {
      rbf_kernel_entry(),      ard_kernel_entry(),     matern_kernel_entry(),     rational_quadratic_kernel_entry(),
      periodic_kernel_entry(), linear_kernel_entry(),  polynomial_kernel_entry(), minmax_kernel_entry(),
      sum_kernel_entry(),      product_kernel_entry(),
  };
  return table;
}

const KernelEntry* find_kernel(const std::string& name) {
  const auto& table = kernels();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace alacarte
