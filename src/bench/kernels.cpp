// Kernels of linalg against alternatives, on one core; and the cost of every registered map: time of a transform and
// memory held, over growing rows, inputs and frequencies.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "alacarte/core/threads.hpp"
#include "alacarte/data/row_source.hpp"
#include "alacarte/features/feature_map.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "bench/kernel_opponents.hpp"
#include "bench/machine.hpp"
#include "bench/suite.hpp"
#include "core/large_matrix.hpp"
#include "linalg/fourier.hpp"
#include "linalg/hadamard.hpp"
#include "linalg/sincos.hpp"

namespace alacarte::bench {
namespace {

// Bytes of a race's data. A tile of a chain stays in the first-level cache; a batch of rows in the second, whose
// bandwidth limits the fastest contestants.
struct WorkingSet {
  const char* name;
  Index bytes;
};
constexpr WorkingSet kWorkingSets[] = {{"L1", 16384}, {"L2", 262144}};

// Zeros, since repeated transforms in place would overflow otherwise; adders take the same time for all values.
template <class Scalar>
void race_hadamard(Suite& suite, Index length, const WorkingSet& set) {
  const std::string name = fmt::format("hadamard {} d={} {}", type_name<Scalar>(), length, set.name);
  const Index tile = kTileWidth * length, tiles = set.bytes / static_cast<Index>(sizeof(Scalar)) / tile;
  if (tiles == 0 || !suite.wants(name)) return;
  const Index points = tiles * kTileWidth;
  constexpr Index kLine = kCacheLineBytes / static_cast<Index>(sizeof(Scalar));
  std::vector<Scalar> data(static_cast<std::size_t>(points * length + kLine));
  Scalar* p = align_to_cache_line(data.data());
  Race race{name,
            {{"d", length}, {"points", points}},
            static_cast<double>(points * length),
            "element",
            {{"tiles", [=] { hadamard(p, length, tiles); }}}};
  if (has_row_hadamard()) {
    race.add_opponent("rows ffht", [=] { row_hadamard(p, length, points, LaneButterflies::ffht); });
    race.add_opponent("rows fused", [=] { row_hadamard(p, length, points, LaneButterflies::fused); });
  } else {
    suite.skip(name + " rows", "this processor has no AVX2");
  }
  race.add_opponent("naive", [=] { naive_hadamard(p, length, points); });
  suite.run(race);
}

template <class Scalar>
struct Angles {
  std::vector<Scalar> turns, radians, sine, cosine;
  explicit Angles(Index count) : turns(static_cast<std::size_t>(count)), radians(turns), sine(turns), cosine(turns) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      turns[i] = static_cast<Scalar>(std::sin(0.37 * static_cast<double>(i)) * 3);
      radians[i] = turns[i] * static_cast<Scalar>(6.283185307179586476925);
    }
  }
};

template <class Scalar>
void race_sincos(Suite& suite) {
  const std::string name = fmt::format("sincos {}", type_name<Scalar>());
  if (!suite.wants(name)) return;
  constexpr Index kCount = 1024;
  Angles<Scalar> at(kCount);
  Race race{name,
            {{"count", kCount}},
            static_cast<double>(kCount),
            "pair",
            {{"turns", [&] { sincos_turns(at.turns.data(), kCount, at.sine.data(), at.cosine.data()); }}}};
  for (const auto& [bits, opponent] :
       {std::pair(VectorBits::avx2, "libmvec avx2"), std::pair(VectorBits::avx512, "libmvec avx512")}) {
    if (has_libmvec(bits))
      race.add_opponent(opponent, [&at, bits = bits] {
        libmvec_sincos(bits, at.radians.data(), kCount, at.sine.data(), at.cosine.data());
      });
    else
      suite.skip(name + " " + opponent, "the processor or the C library has none");
  }
  race.add_opponent("scalar", [&] {
    for (std::size_t i = 0; i < at.radians.size(); ++i) {
      at.sine[i] = std::sin(at.radians[i]);
      at.cosine[i] = std::cos(at.radians[i]);
    }
  });
  suite.run(race);
}

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

void run_kernels(Suite& suite) {
  const BlasThreads single(1);
  const std::vector<Index> lengths =
      suite.quick() ? std::vector<Index>{16, 128} : std::vector<Index>{16, 32, 64, 128, 256, 512, 1024};
  for (const WorkingSet& set : kWorkingSets) {
    for (const Index length : lengths) race_hadamard<double>(suite, length, set);
    for (const Index length : lengths) race_hadamard<float>(suite, length, set);
  }
  race_sincos<double>(suite);
  race_sincos<float>(suite);
  race_features(suite);
}

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
