// A sine and a cosine, ours and the C library's; items are pairs.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "bench/kernel_opponents.hpp"
#include "linalg/sincos.hpp"

namespace alacarte::bench {
namespace {

template <class Scalar, class Pairs>
void run(benchmark::State& state, double scale, const Pairs& pairs) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<Scalar> angles(count), sine(count), cosine(count);
  for (std::size_t i = 0; i < count; ++i)
    angles[i] = static_cast<Scalar>(scale * std::sin(0.37 * static_cast<double>(i)));
  for (auto _ : state) {
    pairs(angles.data(), state.range(0), sine.data(), cosine.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <class Scalar>
void turns(benchmark::State& state) {
  run<Scalar>(state, 3, [](const Scalar* t, Index count, Scalar* s, Scalar* c) { sincos_turns(t, count, s, c); });
}

template <class Scalar, VectorBits bits>
void libmvec(benchmark::State& state) {
  if (!has_libmvec(bits)) return state.SkipWithError("the processor or the C library has none");
  run<Scalar>(state, 19,
              [](const Scalar* x, Index count, Scalar* s, Scalar* c) { libmvec_sincos(bits, x, count, s, c); });
}

BENCHMARK_TEMPLATE(turns, double)->Arg(1024)->Arg(16384);
BENCHMARK_TEMPLATE(turns, float)->Arg(1024)->Arg(16384);
BENCHMARK_TEMPLATE(libmvec, double, VectorBits::avx2)->Arg(1024);
BENCHMARK_TEMPLATE(libmvec, float, VectorBits::avx2)->Arg(1024);
BENCHMARK_TEMPLATE(libmvec, double, VectorBits::avx512)->Arg(1024);
BENCHMARK_TEMPLATE(libmvec, float, VectorBits::avx512)->Arg(1024);

}  // namespace
}  // namespace alacarte::bench
