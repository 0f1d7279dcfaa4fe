// Cost of every registered map: time of a transform and memory held, over growing rows, inputs and frequencies.
#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "alacarte/data/row_source.hpp"
#include "alacarte/features/feature_map.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "bench/machine.hpp"
#include "bench/problems.hpp"
#include "bench/suite.hpp"
#include "core/large_matrix.hpp"
#include "linalg/fourier.hpp"

namespace alacarte::bench {
namespace {

struct MapShape {
  Index n, d, m;
};

/// A map under its example recipe, or with other draws or phases.
struct Variant {
  std::string name;
  Recipe recipe;
};

void set_frequencies(Recipe& recipe, Index frequencies) {
  const ModelInfo& info = *find_model_info(model_infos(), recipe.model);
  if (info.uses("features.frequencies")) recipe.features.frequencies = frequencies;
  if (info.uses("features.sketch")) recipe.features.sketch = frequencies;
  if (info.uses("features.samples")) recipe.features.samples = frequencies;
  for (Recipe& term : recipe.terms) set_frequencies(term, frequencies);
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const FeatureMapEntry& entry : feature_maps()) {
    Recipe recipe = parse_recipe(parse_json(entry.recipe, entry.name), model_infos());
    all.push_back({entry.name, recipe});
    if (entry.name != "ard") continue;
    for (const char* draws : {"fft", "gaussian", "orthogonal", "sobol", "hashed"}) {
      recipe.features.draws = from_word<DirectionSource>(draws).value();
      all.push_back({fmt::format("ard {}", draws), recipe});
    }
    recipe.features.draws = DirectionSource::fastfood;
    recipe.features.phase = PhaseFeatures::offset;
    all.push_back({"ard offset", recipe});
  }
  return all;
}

bool needs_fftw(const Recipe& recipe) {
  return recipe.model == "tensor-sketch" || recipe.features.draws == DirectionSource::fft;
}

/// A map at its first starting point, and the output of its features.
struct Work {
  std::unique_ptr<FeatureMap> map;
  std::unique_ptr<PreparedMap> prepared;
  Matrix x, psi;
  SparseRows nonzeros;
  bool sparse = false;         ///< true if most of the many features are zeros
  std::optional<double> held;  ///< bytes of the map and its prepared state, if known

  Work(Recipe recipe, const MapShape& shape, const Dataset& rows, const TrainingStatistics& statistics)
      : x(rows.inputs.topRows(shape.n)) {
    set_frequencies(recipe, shape.m);
    const std::optional<double> before = held_memory();
    map = find_feature_map(recipe.model)->make(recipe, shape.d, RandomStreams(1), statistics);
    RandomStream stream(2);
    prepared = map->prepare(map->start(statistics, 0, stream));
    if (before) held = *held_memory() - *before;
    sparse = map->sparse_support().features && map->feature_count() > shape.d;
  }

  double feature_bytes() const { return sparse ? 0 : 8.0 * static_cast<double>(x.rows() * map->feature_count()); }
  void allocate() {
    if (!sparse) psi = large_matrix(x.rows(), map->feature_count());
  }

  void transform() {
    if (sparse)
      prepared->forward(x, nonzeros);
    else
      prepared->forward(x, psi);
  }
};

void sweep(Suite& suite, const Variant& variant, const std::string& variable, const std::vector<Index>& values,
           MapShape shape, Index MapShape::*field) {
  const std::string name = fmt::format("map {} in {}", variant.name, variable);
  if (!suite.wants(name)) return;
  if (needs_fftw(variant.recipe) && !has_fftw()) return suite.skip(name, "this program was built without FFTW");
  Race race{name, {{"n", shape.n}, {"d", shape.d}, {"m", shape.m}}, 1, "transform"};
  std::vector<double> bytes;
  std::vector<Index> features;
  double needed = 0;
  for (const Index value : values) {
    shape.*field = value;
    // Landmarks are rows, so there must be enough of them.
    const Dataset rows = generated_rows(std::max(shape.n, shape.m), shape.d, 3);
    RandomStream stream(4);
    const TrainingStatistics statistics = training_statistics(rows.inputs, rows.target, stream);
    auto work = std::make_shared<Work>(variant.recipe, shape, rows, statistics);
    needed += work->feature_bytes();
    if (suite.skip_for_memory(name, "features take", needed)) return;
    work->allocate();
    if (work->held) bytes.push_back(*work->held);
    features.push_back(work->map->feature_count());
    race.contestants.push_back({fmt::format("{}={}", variable, value), [work] { work->transform(); }});
  }
  nlohmann::json fields = {{"model", variant.name}, {"features", features}};
  std::string held;
  if (!bytes.empty()) {
    fields["bytes"] = bytes;
    held = fmt::format("; holds {:.3g} to {:.3g} KiB", bytes.front() / 1024, bytes.back() / 1024);
  }
  suite.grow(std::move(race), variable, values, &Times::minimum, std::move(fields), held);
}

}  // namespace

void run_maps(Suite& suite) {
  const bool quick = suite.quick();
  const MapShape middle = quick ? MapShape{32, 4, 16} : MapShape{256, 64, 1024};
  const auto sizes = [&](std::vector<Index> full, std::vector<Index> small) { return quick ? small : full; };
  for (const Variant& variant : variants()) {
    sweep(suite, variant, "n", sizes({64, 256, 1024, 4096}, {16, 32}), middle, &MapShape::n);
    sweep(suite, variant, "d", sizes({16, 64, 256, 1024}, {4, 8}), middle, &MapShape::d);
    sweep(suite, variant, "m", sizes({256, 512, 1024, 2048, 4096}, {8, 16}), middle, &MapShape::m);
  }
}

}  // namespace alacarte::bench
