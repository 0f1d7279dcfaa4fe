// The Walsh-Hadamard transform in tiles, row by row, and as the textbook writes it; items are elements.
#include <benchmark/benchmark.h>

#include <vector>

#include "bench/kernel_opponents.hpp"
#include "linalg/hadamard.hpp"

namespace alacarte::bench {
namespace {

template <class Scalar, class Transform>
void run(benchmark::State& state, const Transform& transform) {
  const Index length = state.range(0);
  // Zero, as in `alacarte-bench`: repeated transforms in place would overflow otherwise.
  std::vector<Scalar> data(static_cast<std::size_t>(kTileWidth * length));
  for (auto _ : state) {
    transform(data.data(), length);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kTileWidth * length);
}

template <class Scalar>
void tiles(benchmark::State& state) {
  run<Scalar>(state, [](Scalar* x, Index length) { hadamard(x, length); });
}

template <class Scalar, LaneButterflies lanes>
void rows(benchmark::State& state) {
  if (!has_row_hadamard()) return state.SkipWithError("this processor has no AVX2");
  run<Scalar>(state, [](Scalar* x, Index length) { row_hadamard(x, length, kTileWidth, lanes); });
}

template <class Scalar>
void naive(benchmark::State& state) {
  run<Scalar>(state, [](Scalar* x, Index length) { naive_hadamard(x, length, kTileWidth); });
}

template <class Scalar>
void lone_vector(benchmark::State& state) {
  run<Scalar>(state, [](Scalar* x, Index length) { hadamard_vectors(x, length, kTileWidth); });
}

BENCHMARK_TEMPLATE(tiles, double)->RangeMultiplier(2)->Range(16, 1 << 20);
BENCHMARK_TEMPLATE(tiles, float)->RangeMultiplier(2)->Range(16, 1 << 20);
BENCHMARK_TEMPLATE(rows, double, LaneButterflies::ffht)->RangeMultiplier(2)->Range(16, 4096);
BENCHMARK_TEMPLATE(rows, float, LaneButterflies::ffht)->RangeMultiplier(2)->Range(16, 4096);
BENCHMARK_TEMPLATE(rows, double, LaneButterflies::fused)->RangeMultiplier(2)->Range(16, 4096);
BENCHMARK_TEMPLATE(rows, float, LaneButterflies::fused)->RangeMultiplier(2)->Range(16, 4096);
BENCHMARK_TEMPLATE(naive, double)->RangeMultiplier(4)->Range(16, 4096);
BENCHMARK_TEMPLATE(naive, float)->RangeMultiplier(4)->Range(16, 4096);
BENCHMARK_TEMPLATE(lone_vector, double)->RangeMultiplier(4)->Range(16, 4096);
BENCHMARK_TEMPLATE(lone_vector, float)->RangeMultiplier(4)->Range(16, 4096);

}  // namespace
}  // namespace alacarte::bench
