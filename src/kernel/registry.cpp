#include <algorithm>

#include "alacarte/core/error.hpp"
#include "kernel/stationary.hpp"

namespace alacarte {
namespace {

std::unique_ptr<Kernel> make_rbf(const Recipe&, Index inputs) {
  return std::make_unique<StationaryKernel>(Profile::squared_exponential, "rbf", true, inputs);
}

std::unique_ptr<Kernel> make_ard(const Recipe&, Index inputs) {
  return std::make_unique<StationaryKernel>(Profile::squared_exponential, "ard", false, inputs);
}

std::unique_ptr<Kernel> make_matern(const Recipe& recipe, Index inputs) {
  Profile profile = Profile::matern12;
  if (recipe.kernel.nu == 1.5) {
    profile = Profile::matern32;
  } else if (recipe.kernel.nu == 2.5) {
    profile = Profile::matern52;
  } else if (recipe.kernel.nu != 0.5) {
    throw ConfigError("/kernel/nu", "must be 0.5, 1.5 or 2.5");
  }
  return std::make_unique<StationaryKernel>(profile, "matern", false, inputs);
}

constexpr const char* kCost = "n^3/3 + n^2 d flops and 8 n^2 bytes an evaluation, n^2 d flops more for its gradient";

KernelEntry rbf_entry() {
  return {{.name = "exact-rbf",
           .description = "Exact Gaussian process, Gaussian kernel with one length-scale for all inputs.",
           .formula = "k(x, x') = v^2 exp(-r^2 / 2), r = |x - x'| / lengthscale",
           .cost = kCost,
           .reference = "Rasmussen and Williams 2006, eq. 4.9",
           .accuracy = "exact",
           .fixed = "",
           .keys = {},
           .recipe = R"({"model": "exact-rbf"})",
           .exact = true},
          make_rbf};
}

KernelEntry ard_entry() {
  return {{.name = "exact-ard",
           .description = "Exact Gaussian process, Gaussian kernel with one length-scale for each input.",
           .formula = "k(x, x') = v^2 exp(-r^2 / 2), r^2 = sum_j ((x_j - x'_j) / lengthscale_j)^2",
           .cost = kCost,
           .reference = "Rasmussen and Williams 2006, eq. 5.1",
           .accuracy = "exact",
           .fixed = "",
           .keys = {},
           .recipe = R"({"model": "exact-ard"})",
           .exact = true},
          make_ard};
}

KernelEntry matern_entry() {
  return {
      {.name = "exact-matern",
       .description = "Exact Gaussian process, Matern kernel (nu 0.5, 1.5 or 2.5), one length-scale for each input.",
       .formula = "k(x, x') = v^2 exp(-r), v^2 (1 + s) exp(-s) with s = sqrt(3) r, or v^2 (1 + s + s^2/3) exp(-s) "
                  "with s = sqrt(5) r;\nr^2 = sum_j ((x_j - x'_j) / lengthscale_j)^2",
       .cost = kCost,
       .reference = "Rasmussen and Williams 2006, eqs. 4.14, 4.17",
       .accuracy = "exact",
       .fixed = "kernel.nu stays what the recipe says",
       .keys = {"kernel.nu"},
       .recipe = R"({"model": "exact-matern", "kernel": {"nu": 2.5}})",
       .exact = true},
      make_matern};
}

}  // namespace

const std::vector<KernelEntry>& kernels() {
  static const std::vector<KernelEntry> table = {rbf_entry(), ard_entry(), matern_entry()};
  return table;
}

const KernelEntry* find_kernel(const std::string& name) {
  const auto& table = kernels();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace alacarte
