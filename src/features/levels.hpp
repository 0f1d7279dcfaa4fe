#pragma once
// Random effects of levels as features: an indicator for each, times tau (kernel/levels.hpp has the exact kernel).
#include <memory>
#include <string>
#include <vector>

#include "alacarte/core/tensor_bundle.hpp"
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

/// Means of the rows of each level (math.md, "Random effects of levels"), for features net of the effects.
struct LevelMeans {
  Matrix features;   ///< (L, M) mean features of each level's rows; empty: effects are taken as independent of w
  Vector shares;     ///< (L) lambda: share of a level's mean residual that its effect takes; empty with `features`
  Vector effects;    ///< (L) mean of the effect, the part that does not depend on w
  Vector variances;  ///< (L) its variance, that part, too
  Vector centre;     ///< (M) mean features; empty without a constant mean, and with `features`
};

/// Makes the features psi - lambda psi_g - (1 - lambda) centre, g the level of the row, of the rest of a map, followed
/// by 1 - lambda where there is a constant mean; without mean features those of the rest as they are. What is left of
/// the level's effect is the residual: mean and variance of `means`, the same effect for all rows of a level; 0 and
/// tau^2 for a row of another level. The parameters are those of the map. save() writes "level_means", "level_shares",
/// "level_effects", "level_variances" and "level_centre", except empty ones.
std::shared_ptr<const FeatureMap> make_features_net_of_levels(std::shared_ptr<const FeatureMap> map, LevelMeans means);
/// Loads what save() wrote for this map. Throws IoError for tensors that do not fit.
std::shared_ptr<const FeatureMap> load_features_net_of_levels(std::shared_ptr<const FeatureMap> map,
                                                              const TensorBundle& bundle, const std::string& prefix);
/// Tells whether save() wrote features net of levels.
bool has_features_net_of_levels(const TensorBundle& bundle, const std::string& prefix);

}  // namespace alacarte
