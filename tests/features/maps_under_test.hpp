#pragma once
// Every registered map in every variant of its configuration, on small sizes: what the suites iterate.
#include <memory>
#include <string>
#include <vector>

#include "alacarte/core/training_view.hpp"
#include "alacarte/features/feature_map.hpp"
#include "support/card_recipe.hpp"

namespace alacarte {

struct MapCase {
  std::string name;
  Recipe recipe;
  std::string label;
  bool dense = false;  ///< phases through a matrix product, whose rounding depends on the shape
  bool drawn = true;   ///< a stationary kernel on random frequencies; linear has none
};

inline std::vector<MapCase> map_cases(Index frequencies) {
  std::vector<MapCase> cases;
  for (const FeatureMapEntry& entry : feature_maps()) {
    Recipe recipe = card_recipe(entry.name, frequencies);
    FeatureConfig& config = recipe.features;
    cases.push_back({entry.name, recipe, entry.name, entry.name == "ssgpr", entry.name != "linear"});
    if (entry.name == "rbf" || entry.name == "ard") {
      config.draws = "gaussian";
      cases.push_back({entry.name, recipe, entry.name + "_gaussian", true});
    }
    if (entry.name == "ssgpr") {
      config.learn_lengthscale = false;
      cases.push_back({entry.name, recipe, "ssgpr_fixed_scales", true});
    }
    if (entry.name == "pwl") {
      config.knots = 4;
      cases.push_back({entry.name, recipe, "pwl_knots", false});
      config.knots = 1;
      cases.push_back({entry.name, recipe, "pwl_one_knot", false});
    }
  }
  return cases;
}

inline Matrix normal_matrix(Index rows, Index cols, std::uint64_t seed) {
  RandomStream stream(seed);
  Matrix a(rows, cols);
  for (Index i = 0; i < a.size(); ++i) a.data()[i] = stream.normal();
  return a;
}

inline TrainingView small_view(Index inputs) {
  RandomStream stream(3);
  const Matrix x = normal_matrix(60, inputs, 17);
  const Vector y = x.rowwise().sum().array().sin();
  return make_training_view(x, y, stream);
}

inline std::unique_ptr<FeatureMap> make_map(const MapCase& c, Index inputs, std::uint64_t seed = 5) {
  return find_feature_map(c.name)->make(c.recipe, inputs, RandomStreams(seed), small_view(inputs));
}

/// A start moved off it, so that nothing is checked at a special point.
inline Vector test_theta(const FeatureMap& map, std::uint64_t seed = 23) {
  RandomStream stream(seed);
  Vector theta = map.start(small_view(map.input_count()), 1, stream);
  for (Index i = 0; i < theta.size(); ++i) theta[i] += 0.2 * stream.normal();
  return theta;
}

inline Matrix features(const FeatureMap& map, ConstVec theta, ConstMat x) {
  Matrix psi(x.rows(), map.feature_count());
  map.prepare(theta)->forward(x, psi);
  return psi;
}

}  // namespace alacarte
