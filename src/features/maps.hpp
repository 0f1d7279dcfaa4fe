#pragma once
// The registry entry of each feature map, defined in the file of its map; registry.cpp lists them.
#include <memory>

#include "alacarte/features/feature_map.hpp"

namespace alacarte {

using MapPointer = std::unique_ptr<FeatureMap>;

FeatureMapEntry rbf_entry();
FeatureMapEntry ard_entry();
FeatureMapEntry matern_entry();
FeatureMapEntry rational_quadratic_entry();
FeatureMapEntry laplace_entry();
FeatureMapEntry ball_entry();
FeatureMapEntry listed_entry();
FeatureMapEntry fsard_entry();
FeatureMapEntry fsgbard_entry();
FeatureMapEntry gaussian_mixture_entry();
FeatureMapEntry piecewise_linear_entry();
FeatureMapEntry ssgpr_entry();
FeatureMapEntry linear_entry();
FeatureMapEntry polynomial_entry();
FeatureMapEntry dot_product_entry();
FeatureMapEntry moments_entry();
FeatureMapEntry local_entry();
FeatureMapEntry positive_entry();
FeatureMapEntry periodic_entry();
FeatureMapEntry nystrom_entry();
FeatureMapEntry tensor_sketch_entry();
FeatureMapEntry gcws_entry();
FeatureMapEntry sum_entry();

}  // namespace alacarte
