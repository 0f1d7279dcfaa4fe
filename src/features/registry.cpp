#include <algorithm>

#include "features/maps.hpp"

namespace alacarte {

const std::vector<FeatureMapEntry>& feature_maps() {
  static const std::vector<FeatureMapEntry> entries = {
      // clang-format off: one line for each
      rbf_entry(),
      ard_entry(),
      fsard_entry(),
      fsgbard_entry(),
      gaussian_mixture_entry(),
      piecewise_linear_entry(),
      ssgpr_entry(),
      matern_entry(),
      rational_quadratic_entry(),
      laplace_entry(),
      ball_entry(),
      listed_entry(),
      linear_entry(),
      polynomial_entry(),
      dot_product_entry(),
      moments_entry(),
      local_entry(),
      positive_entry(),
      periodic_entry(),
      nystrom_entry(),
      tensor_sketch_entry(),
      gcws_entry(),
      sum_entry(),
      // clang-format on
  };
  return entries;
}

const FeatureMapEntry* find_feature_map(const std::string& name) {
  const auto& entries = feature_maps();
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace alacarte
