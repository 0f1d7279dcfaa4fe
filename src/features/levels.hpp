#pragma once
// Random effects of levels as features: an indicator for each, times tau (kernel/levels.hpp has the exact kernel).
#include <memory>
#include <string>
#include <vector>

#include "alacarte/features/feature_map.hpp"

namespace alacarte {

/// Makes the map of one column of codes 0 .. levels - 1: psi(x) = tau e_code, with levels + 1 features. The last is of
/// all other codes: no training row sets it, so its weight keeps its prior and a row of another level the variance
/// tau^2 of a level drawn anew.
std::unique_ptr<FeatureMap> make_levels_map(Index levels);

/// Returns the sum of a map and one of levels for each of `level_counts`, whose codes are the inputs behind its own.
/// `model`: name of the map in reports. Parameters, features and tensors of the map come first, by their own names.
std::unique_ptr<FeatureMap> with_level_effects(std::string model, std::unique_ptr<FeatureMap> map,
                                               const std::vector<Index>& level_counts);

}  // namespace alacarte
