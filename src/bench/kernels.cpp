// Kernels of linalg against alternatives, on one core.
#include <fmt/format.h>
#include <cmath>
#include <vector>

#include "alacarte/core/threads.hpp"
#include "bench/kernel_opponents.hpp"
#include "bench/suite.hpp"
#include "core/aligned_matrix.hpp"
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

}  // namespace alacarte::bench
