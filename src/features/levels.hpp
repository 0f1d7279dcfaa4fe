#pragma once
// Random effects of levels as features: an indicator for each, times tau (kernel/levels.hpp has the exact kernel).
#include <memory>
#include <string>
#include <vector>

#include "alacarte/core/tensor_bundle.hpp"
#include "alacarte/features/feature_map.hpp"

namespace alacarte {

/// Makes the map of one column of codes 0 .. levels - 1: psi(x) = tau e_code, with kept + 1 features, kept <= levels.
/// Levels from `kept` on have no feature: their effects are left to the noise. The last feature is of all other codes:
/// no training row sets it, so its weight keeps its prior and a row of another level the variance tau^2 of a level
/// drawn anew.
std::unique_ptr<FeatureMap> make_levels_map(Index levels, Index kept);

/// Largest number of levels that have features of their own in all columns together, besides those of a column that the
/// evidence eliminates (inference/evaluation.hpp).
inline constexpr Index kMaxDenseLevels = 2000;

/// Random effects of one column.
struct LevelColumn {
  Index levels = 0, kept = 0;  ///< levels of its codes; those with features
};

/// Returns the columns of these numbers of levels. Where the evidence eliminates one, the largest keeps all of its
/// levels; of the others, the smallest first, each keeps all while they are kMaxDenseLevels together, or a single one:
/// a part of them would cost every evaluation far more than it explains. Where none is eliminated each keeps its share.
std::vector<LevelColumn> level_columns(const std::vector<Index>& level_counts, bool eliminates);
/// Returns the number of features of level_columns() beside an eliminated column.
Index level_features(const std::vector<Index>& level_counts, bool eliminates);

/// Returns the sum of a map and one of levels for each of `columns`, whose codes are the inputs behind its own.
/// `model`: name of the map in reports. Parameters, features and tensors of the map come first, by their own names.
std::unique_ptr<FeatureMap> with_level_effects(std::string model, std::unique_ptr<FeatureMap> map,
                                               const std::vector<LevelColumn>& columns);

/// Means of the rows of each level (math.md, "Random effects of levels"), for features net of the effects.
struct LevelMeans {
  Matrix features;   ///< (L, M) mean features of each level's rows; empty: the features of a row stand for them
  Vector shares;     ///< (L) lambda: share of a level's mean residual that its effect takes
  Vector effects;    ///< (L) mean of the effect, the part that does not depend on w; all of it without `features`
  Vector variances;  ///< (L) variance of the effect given w
  Vector centre;     ///< (M) mean features; empty without a constant mean
};

/// Makes the features psi - lambda psi_g - (1 - lambda) centre, g the level of the row, of the rest of a map, followed
/// by 1 - lambda where there is a constant mean. What is left of the level's effect is the residual: mean and variance
/// of `means`, the same effect for all rows of a level; 0 and tau^2 for a row of another level. Without the mean
/// features psi stands for psi_g, in variances alone: predictors have psi - centre. The parameters are those of the
/// map. save() writes "level_means", "level_shares", "level_effects", "level_variances" and "level_centre", except
/// empty ones.
std::shared_ptr<const FeatureMap> make_features_net_of_levels(std::shared_ptr<const FeatureMap> map, LevelMeans means);
/// Loads what save() wrote for this map. Throws IoError for tensors that do not fit.
std::shared_ptr<const FeatureMap> load_features_net_of_levels(std::shared_ptr<const FeatureMap> map,
                                                              const TensorBundle& bundle, const std::string& prefix);
/// Tells whether save() wrote features net of levels.
bool has_features_net_of_levels(const TensorBundle& bundle, const std::string& prefix);

}  // namespace alacarte
