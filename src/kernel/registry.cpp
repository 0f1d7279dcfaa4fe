#include <algorithm>

#include "alacarte/core/error.hpp"
#include "kernel/stationary.hpp"

namespace alacarte {
namespace {

std::unique_ptr<Kernel> make_rbf(const KernelConfig&, Index inputs) {
  return std::make_unique<StationaryKernel>(Profile::squared_exponential, "rbf", true, inputs);
}

std::unique_ptr<Kernel> make_ard(const KernelConfig&, Index inputs) {
  return std::make_unique<StationaryKernel>(Profile::squared_exponential, "ard", false, inputs);
}

std::unique_ptr<Kernel> make_matern(const KernelConfig& config, Index inputs) {
  Profile profile = Profile::matern12;
  if (config.nu == 1.5) {
    profile = Profile::matern32;
  } else if (config.nu == 2.5) {
    profile = Profile::matern52;
  } else if (config.nu != 0.5) {
    throw ConfigError("/kernel/nu", "must be 0.5, 1.5 or 2.5");
  }
  return std::make_unique<StationaryKernel>(profile, "matern", false, inputs);
}

}  // namespace

const std::vector<KernelEntry>& kernels() {
  static const std::vector<KernelEntry> table = {
      {"exact-rbf", "Exact Gaussian process, Gaussian kernel with one length-scale for all inputs", make_rbf},
      {"exact-ard", "Exact Gaussian process, Gaussian kernel with one length-scale for each input", make_ard},
      {"exact-matern", "Exact Gaussian process, Matern kernel (nu 0.5, 1.5 or 2.5), one length-scale for each input",
       make_matern},
  };
  return table;
}

const KernelEntry* find_kernel(const std::string& name) {
  const auto& table = kernels();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace alacarte
