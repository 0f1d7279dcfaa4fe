#pragma once
// The feature map of a recipe at its first starting point, as `alacarte transform` exports it.
#include <alacarte/data/encoded_rows.hpp>
#include <alacarte/data/sparse_dataset.hpp>
#include <alacarte/features/feature_map.hpp>
#include <alacarte/train/fit.hpp>

namespace alacarte {

struct StartedMap {
  std::shared_ptr<const FeatureMap> map;
  Vector theta;               ///< of the map
  Standardizer standardizer;  ///< of the rows that the map is for
};

/// Throws ConfigError for exact kernels and mixtures, which have no features.
void require_features(const Recipe& recipe);

/// The map that fit() draws first for these rows and this seed, at its first start; for learners svm and logistic at
/// their fixed parameters, with the smallest of learner.scales. Memory: flat in the rows. Throws as require_features(),
/// and what fit() throws of recipe and rows.
StartedMap start_map(const Recipe& recipe, const EncodedRows& rows, std::uint64_t seed);

/// Whether start_map() accepts a survey of sparse rows: inputs are not scaled column by column, and map and start need
/// only their number and mean squared length. Throws as require_features().
bool starts_on_sparse_rows(const Recipe& recipe);
/// start_map() for the sparse rows of a LIBSVM file. Throws ConfigError unless starts_on_sparse_rows().
StartedMap start_map(const Recipe& recipe, const SparseSurvey& rows, std::uint64_t seed);

}  // namespace alacarte
