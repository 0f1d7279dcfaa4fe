// Every kernel on every instruction set of this machine against the plain one, over random sizes, strides and
// alignments, with NaN and infinity among the numbers. The bounds are those of rounding, without false alarms.
#include <cmath>
#include <limits>
#include <vector>

#include "alacarte/core/random.hpp"
#include "linalg/hadamard.hpp"
#include "linalg/sincos.hpp"
#include "simd_scope.hpp"

namespace alacarte {
namespace {

constexpr int kRounds = 60;

/// Numbers at any alignment, `shift` of them past a cache line.
template <class Real>
struct Shifted {
  std::vector<Real> memory;
  Index shift;
  Shifted(RandomStream& stream, Index count, Index shift)
      : memory(static_cast<std::size_t>(count + shift)), shift(shift) {
    for (Real& x : memory) x = static_cast<Real>(stream.normal());
  }
  Real* data() { return memory.data() + shift; }
};

/// Sets a few entries to non-finite values.
template <class Real>
void spoil(RandomStream& stream, Shifted<Real>& numbers) {
  using Limits = std::numeric_limits<Real>;
  const Real odd[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), Limits::max(),
                      Limits::denorm_min()};
  for (const Real value : odd)
    numbers.memory[static_cast<std::size_t>(stream.below(static_cast<Index>(numbers.memory.size())))] = value;
}

/// Expects equal values, both NaN, or a difference within `tolerance` of the size of the summands.
template <class Real>
void expect_alike(const std::vector<Real>& a, const std::vector<Real>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    ASSERT_NEAR(static_cast<double>(a[i]), static_cast<double>(b[i]), tolerance) << i;
  }
}

/// Runs body() on the plain path, then on every other, and compares the results.
template <class Body>
void compare_paths(double tolerance, const Body& body) {
  const auto plain = [&] {
    const SimdScope scope(SimdPath::plain);
    return body();
  }();
  on_every_path([&] { expect_alike(plain, body(), tolerance); });
}

template <class Real>
void fuzz_gather(std::uint64_t seed) {
  RandomStream stream(seed);
  const Index length = Index{1} << stream.below(12), count = 1 + stream.below(3);
  const Index stride = kTileWidth + stream.below(20), rows = length * count;
  Shifted<Real> in(stream, rows * stride, stream.below(16)), scale(stream, rows, stream.below(4));
  if (seed % 3 == 0) spoil(stream, in);
  std::vector<std::int32_t> index;
  for (Index b = 0; b < count; ++b) {
    const auto order = stream.permutation(length);
    index.insert(index.end(), order.begin(), order.end());
  }
  // Fused and separate products round differently, by about the size of the sum.
  const double rounding = std::numeric_limits<Real>::epsilon() * 40.0 * static_cast<double>(length);
  compare_paths(rounding, [&] {
    std::vector<Real> out(static_cast<std::size_t>(rows * kTileWidth));
    hadamard_gather(in.data(), stride, length * stride, index.data(), scale.data(), length, count, out.data());
    return out;
  });
  compare_paths(rounding, [&] {
    const Index padded = (rows + kTileWidth - 1) / kTileWidth * kTileWidth;
    std::vector<Real> out(static_cast<std::size_t>(padded));
    gather_vectors(in.data(), index.data(), scale.data(), length, count, out.data());
    hadamard_vectors(out.data(), length, count);
    out.resize(static_cast<std::size_t>(rows));
    return out;
  });
}

template <class Real>
void fuzz_sincos(std::uint64_t seed) {
  RandomStream stream(seed);
  const Index count = 1 + stream.below(200);
  Shifted<Real> turns(stream, count, stream.below(16)), weights(stream, 4 * count, stream.below(16));
  const double size = std::pow(10.0, 8 * stream.uniform());
  for (Real& t : turns.memory) t *= static_cast<Real>(size);
  if (seed % 3 == 0) spoil(stream, turns);
  compare_paths(4.0 * std::numeric_limits<Real>::epsilon(), [&] {
    std::vector<Real> out(static_cast<std::size_t>(2 * count));
    sincos_turns(turns.data(), count, out.data(), out.data() + count);
    return out;
  });
  // The phase in turns is rounded before the sine is taken, so the turns here are small.
  Shifted<Real> phases(stream, count * kTileWidth, stream.below(16)), scale(stream, count, 0);
  const Real* w = weights.data();
  const DotWeights<Real> sets[] = {{w, w + count}, {w + 2 * count, w + 3 * count}};
  const Index many = 1 + stream.below(2);
  compare_paths(100.0 * std::numeric_limits<Real>::epsilon() * static_cast<double>(count), [&] {
    std::vector<Real> out(static_cast<std::size_t>(2 * kTileWidth + 2));
    cos_sin_dot_rows(phases.data(), scale.data(), sets, many, count, out.data());
    cos_sin_dot(phases.data(), scale.data(), sets, many, count, out.data() + 2 * kTileWidth);
    return out;
  });
}

TEST(Kernels, EveryPathAgreesWithThePlainOne) {
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    const auto seed = static_cast<std::uint64_t>(round);
    fuzz_gather<double>(seed);
    fuzz_gather<float>(seed);
    fuzz_sincos<double>(seed);
    fuzz_sincos<float>(seed);
  }
}

// Kernels between features and cotangents, with rows and strides of chunks of any size.
TEST(Kernels, FeatureRowsAgreeWithThePlainOnes) {
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    RandomStream stream(static_cast<std::uint64_t>(1000 + round));
    const Index rows = 1 + stream.below(20), tiles = 1 + stream.below(3);
    const Index step = (rows + 1) * kTileWidth, stride = tiles * kTileWidth + stream.below(9);
    Shifted<double> phases(stream, tiles * step, stream.below(8)), turns(stream, rows, 0);
    Shifted<double> bars(stream, 4 * rows * stride, stream.below(8)), zeta(stream, 2 * tiles * kTileWidth, 0);
    if (round % 4 == 0) spoil(stream, phases);
    const Index family = rows * stride;
    compare_paths(1e-12, [&] {
      std::vector<double> out(static_cast<std::size_t>(4 * family));
      cos_sin_rows({phases.data(), step, tiles}, turns.data(), rows, 0.7, out.data(), out.data() + family, stride);
      return out;
    });
    compare_paths(1e-12, [&] {
      std::vector<double> out(static_cast<std::size_t>(4 * family));
      double* o = out.data();
      shifted_cos_sin_rows({phases.data(), step, tiles}, turns.data(), rows, 0.7, zeta.data(),
                           zeta.data() + tiles * kTileWidth, {o, o + family, o + 2 * family, o + 3 * family, stride});
      return out;
    });
    compare_paths(1e-11, [&] {
      std::vector<double> out(static_cast<std::size_t>(2 * tiles * step + (tiles + 2) * kTileWidth));
      double *b = bars.data(), *o = out.data(), *lanes = o + 2 * tiles * step;
      const CosSinCotangent pair = {b, b + family, b + 2 * family, b + 3 * family, stride, stride};
      cos_sin_rows_adjoint(pair, rows, {o, step, tiles}, lanes);
      shifted_cos_sin_rows_adjoint(pair, pair, rows, {o + tiles * step, step, tiles}, lanes + 2 * kTileWidth,
                                   lanes + kTileWidth);
      return out;
    });
  }
}

}  // namespace
}  // namespace alacarte
