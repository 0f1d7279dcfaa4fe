// Every registered feature map, forward and backward, over a chunk of rows; items are features.
#include <benchmark/benchmark.h>

#include "alacarte/features/feature_map.hpp"
#include "bench/suite.hpp"

namespace alacarte::bench {
namespace {

struct Case {
  std::unique_ptr<FeatureMap> map;
  std::unique_ptr<PreparedMap> prepared;
  Matrix x, psi;

  Case(const FeatureMapEntry& entry, Index rows, Index inputs) {
    Recipe recipe;
    recipe.features.frequencies = 128;
    x = generated_rows(rows, inputs, 2).inputs;
    RandomStream stream(3);
    const TrainingStatistics statistics = training_statistics(x, x.col(0), stream);
    map = entry.make(recipe, inputs, RandomStreams(1), statistics);
    prepared = map->prepare(map->start(statistics, 0, stream));
    psi.resize(rows, map->feature_count());
    prepared->forward(x, psi);
  }
};

void forward(benchmark::State& state, const FeatureMapEntry* entry) {
  Case at(*entry, 512, state.range(0));
  for (auto _ : state) at.prepared->forward(at.x, at.psi);
  state.SetItemsProcessed(state.iterations() * at.psi.size());
}

void backward(benchmark::State& state, const FeatureMapEntry* entry) {
  Case at(*entry, 512, state.range(0));
  const Matrix psi_bar = at.psi;
  Vector sums = Vector::Zero(at.prepared->accumulator_size());
  for (auto _ : state) at.prepared->backward(at.x, at.psi, psi_bar, sums);
  state.SetItemsProcessed(state.iterations() * at.psi.size());
}

[[maybe_unused]] const bool registered = [] {
  for (const FeatureMapEntry& entry : feature_maps()) {
    benchmark::RegisterBenchmark(("forward/" + entry.name).c_str(), forward, &entry)->Arg(8)->Arg(64)->Arg(512);
    benchmark::RegisterBenchmark(("backward/" + entry.name).c_str(), backward, &entry)->Arg(8)->Arg(64)->Arg(512);
  }
  return true;
}();

}  // namespace
}  // namespace alacarte::bench
