#pragma once
// Every registered map in every variant of its configuration, at small sizes, for the suites.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "alacarte/data/row_source.hpp"
#include "alacarte/features/feature_map.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {

struct MapCase {
  std::string name;
  Recipe recipe;
  std::string label;
  bool dense = false;          ///< features through a matrix product, whose rounding depends on the shape
  bool waves = true;           ///< a stationary kernel: cosines, perhaps sines, of random frequencies
  bool pairs = true;           ///< a cosine and a sine per phase
  bool exact_diagonal = true;  ///< psi(x).psi(x) equals the kernel's for any draws
  bool drawn = true;           ///< features depend on the seed
};

/// Adds the maps of radial_map.hpp with other draws and phases than their example recipes; each draws and phase occurs.
inline void add_radial_cases(const std::string& name, Index frequencies, std::vector<MapCase>& cases) {
  const auto add = [&](const std::string& draws, bool offset = false, bool normalized = false) {
    Recipe recipe = example_recipe(name, frequencies);
    recipe.features.draws = from_word<DirectionSource>(draws).value();
    recipe.features.phase = offset ? PhaseFeatures::offset : PhaseFeatures::pair;
    recipe.features.normalized = normalized;
    const std::string label =
        name + (draws == "fastfood" ? "" : "_" + draws) + (offset ? "_offset" : "") + (normalized ? "_normalized" : "");
    cases.push_back({name, recipe, label, draws != "fastfood" || offset, true, !offset, !offset || normalized});
  };
  if (name == "rbf") add("gaussian");
  if (name == "ard") {
    for (const char* draws : {"gaussian", "fft", "orthogonal", "sobol", "hashed"}) add(draws);
    for (const char* draws : {"fastfood", "gaussian", "hashed"}) add(draws, true);
    for (const char* draws : {"fastfood", "gaussian"}) add(draws, true, true);
  }
  if (name == "matern") {
    for (const char* draws : {"gaussian", "fft", "orthogonal", "sobol", "hashed"}) add(draws);
    add("hashed", true);
  }
  if (name == "rq") add("orthogonal");
  if (name == "laplace")
    for (const char* draws : {"sobol", "hashed"}) add(draws);
  if (name == "ball")
    for (const char* draws : {"gaussian", "fft", "orthogonal", "hashed"}) add(draws);
  if (name == "radial")
    for (const char* draws : {"sobol", "hashed"}) add(draws);
}

inline std::vector<MapCase> map_cases(Index frequencies) {
  std::vector<MapCase> cases;
  for (const FeatureMapEntry& entry : feature_maps()) {
    Recipe recipe = example_recipe(entry.name, frequencies);
    FeatureConfig& config = recipe.features;
    const auto one_of = [&](std::initializer_list<const char*> names) {
      return std::find(names.begin(), names.end(), entry.name) != names.end();
    };
    const bool random_diagonal =
        one_of({"polynomial", "dot-product", "moments", "local", "positive", "nystrom", "sum", "tensor-sketch"});
    cases.push_back({entry.name, recipe, entry.name,
                     one_of({"ssgpr", "periodic", "nystrom", "deep"}) || config.draws != DirectionSource::fastfood,
                     !random_diagonal && !one_of({"linear", "periodic", "gcws", "deep"}), true, !random_diagonal,
                     entry.name != "linear"});
    add_radial_cases(entry.name, frequencies, cases);
    if (entry.name == "polynomial") {
      recipe.kernel.offset = 0;
      recipe.kernel.degree = 4;
      cases.push_back({entry.name, recipe, "polynomial_homogeneous", false, false, true, false});
      recipe.kernel.offset = 1;
      recipe.kernel.isotropic = true;
      cases.push_back({entry.name, recipe, "polynomial_isotropic", false, false, true, false});
    }
    if (entry.name == "tensor-sketch") {
      config.buckets = SketchBuckets::balanced;
      recipe.kernel.degree = 3;
      cases.push_back({entry.name, recipe, "tensor-sketch_balanced", false, false, true, false});
      config.buckets = SketchBuckets::random;
      config.learn_lengthscale = false;
      recipe.kernel.degree = 1;
      recipe.kernel.offset = 0;
      cases.push_back({entry.name, recipe, "tensor-sketch_count", false, false, true, false});
    }
    if (entry.name == "gcws") {
      config.code = SampleCode::full;
      cases.push_back({entry.name, recipe, "gcws_full", false, false});
    }
    if (entry.name == "sum") {
      recipe.terms = {example_recipe("linear", frequencies), example_recipe("tensor-sketch", frequencies),
                      example_recipe("gcws", frequencies)};
      cases.push_back({entry.name, recipe, "sum_sparse", false, false, true, false});
    }
    if (entry.name == "dot-product") {
      recipe.kernel.offset = 0;
      recipe.kernel.coefficients = {0, 1, 0, 0.5};
      recipe.kernel.learn_coefficients = false;
      cases.push_back({entry.name, recipe, "dot-product_odd", false, false, true, false});
    }
    if (entry.name == "nystrom") {
      recipe.features.landmarks = LandmarkChoice::leverage;
      recipe.terms.front().model = "exact-matern";
      cases.push_back({entry.name, recipe, "nystrom_matern_leverage", true, false, true, false});
    }
    if (entry.name == "deep") {
      recipe.network.activation = Activation::tanh;
      recipe.network.skip = false;
      recipe.network.widths = {4};
      cases.push_back({entry.name, recipe, "deep_tanh", true, false});
      recipe.network.residual = true;
      recipe.network.widths = {4, 4, 3, 3};
      cases.push_back({entry.name, recipe, "deep_residual", true, false});
      recipe.network.widths = {4};
      recipe.network.activation = Activation::sine;
      recipe.network.skip = true;
      recipe.terms = {example_recipe("sum", frequencies)};
      recipe.terms.front().terms = {example_recipe("linear", frequencies), example_recipe("ssgpr", frequencies)};
      cases.push_back({entry.name, recipe, "deep_sine_sum", true, false, true, false});
    }
    if (entry.name == "ssgpr") {
      config.learn_lengthscale = false;
      cases.push_back({entry.name, recipe, "ssgpr_fixed_scales", true});
    }
    if (entry.name == "matern") {
      recipe.kernel.learn_shape = false;
      cases.push_back({entry.name, recipe, "matern_fixed_nu", false});
      recipe.kernel.isotropic = true;
      cases.push_back({entry.name, recipe, "matern_isotropic", false});
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

inline TrainingStatistics small_statistics(Index inputs) {
  RandomStream stream(3);
  const Matrix x = normal_matrix(60, inputs, 17);
  const Vector y = x.rowwise().sum().array().sin();
  return training_statistics(x, y, stream);
}

inline std::unique_ptr<FeatureMap> make_map(const MapCase& c, Index inputs, std::uint64_t seed = 5) {
  return find_feature_map(c.name)->make(c.recipe, inputs, RandomStreams(seed), small_statistics(inputs));
}

/// Returns a perturbed start, to avoid special points.
inline Vector test_theta(const FeatureMap& map, std::uint64_t seed = 23) {
  RandomStream stream(seed);
  Vector theta = map.start(small_statistics(map.input_count()), 1, stream);
  for (Index i = 0; i < theta.size(); ++i) theta[i] += 0.2 * stream.normal();
  return theta;
}

inline Matrix features(const FeatureMap& map, ConstVec theta, ConstMat x) {
  Matrix psi(x.rows(), map.feature_count());
  map.prepare(theta)->forward(x, psi);
  return psi;
}

}  // namespace alacarte
