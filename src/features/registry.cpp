#include "features/maps.hpp"

namespace alacarte {

const std::vector<FeatureMapEntry>& feature_maps() {
  static const std::vector<FeatureMapEntry> entries = {
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
      deep_entry(),
  };
  return entries;
}

const FeatureMapEntry* find_feature_map(const std::string& name) { return find_named(feature_maps(), name); }

}  // namespace alacarte
