#pragma once
#include <memory>
#include <vector>

#include "alacarte/features/feature_map.hpp"

namespace alacarte {

/// The sum of what the parts add: of a map made of several stacks.
std::unique_ptr<FeatureSum> join_sums(std::vector<std::unique_ptr<FeatureSum>> parts);

}  // namespace alacarte
