#pragma once
// The feature map of a recipe at its first starting point, as `alacarte transform` exports it.
#include <alacarte/features/feature_map.hpp>
#include <alacarte/train/fit.hpp>

namespace alacarte {

/// A map with its draws made, and where its training would begin.
struct StartedMap {
  std::shared_ptr<const FeatureMap> map;  ///< never null
  Vector theta;                           ///< parameters of the map
};

/// Throws ConfigError for exact kernels and mixtures, which have no features.
void require_features(const Recipe& recipe);

/// Returns the map that fit() draws first for rows with these statistics and this seed, at its first start; for
/// learners svm and logistic at their fixed parameters, with the smallest of learner.scales. Throws as
/// require_features() and fit() do.
StartedMap start_map(const Recipe& recipe, TrainingStatistics statistics, std::uint64_t seed);

/// Tells whether start_map() accepts the statistics of a survey of sparse rows: inputs are not scaled column by column,
/// and map and start need only their number and mean squared length. Throws as require_features().
bool starts_on_sparse_rows(const Recipe& recipe);

}  // namespace alacarte
