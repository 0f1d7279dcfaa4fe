#include "features/consistent_sampling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "linalg/weighted_samples.hpp"

namespace alacarte {
namespace {

constexpr Index kGroupNonzeros = 32768;  // draws of rows with shared inputs stay in the second-level cache
constexpr Index kMax = Index{1} << 31;

}  // namespace

struct ConsistentSampler::Work {
  std::vector<Index> ends;                        // ends of the rows among the nonzeros
  std::vector<std::int32_t> coordinates, places;  // for each nonzero: of the doubled row, and into `distinct`
  std::vector<std::int32_t> distinct;
  std::vector<float> logs;
  std::vector<SampleDraws> draws;  // draws of the distinct coordinates
};

float ConsistentSampler::level_of(const Work& work, std::size_t nonzero, Index lane) {
  const SampleDraws& of = work.draws[static_cast<std::size_t>(work.places[nonzero])];
  return std::floor(work.logs[nonzero] * of.rate[lane] + of.shift[lane]);
}

ConsistentSampler::ConsistentSampler(std::uint64_t key, Index inputs, Index samples, Index bits, bool full)
    : key_(key), inputs_(inputs), samples_(samples), codes_(Index{1} << bits), full_(full) {
  require(inputs > 0 && samples > 0 && bits >= 1 && bits <= 24, "consistent samples of nothing");
  mask_ = static_cast<std::uint32_t>(codes_ - 1);
  if (2 * inputs + 1 >= kMax) throw ConfigError("/model", "too many inputs for consistent sampling");
  if (!full) codes_ = std::min(codes_, 2 * inputs + 1);
  if (samples * codes_ >= kMax) throw ConfigError("/features/samples", "samples times 2^bits must be below 2^31");
}

double ConsistentSampler::work_bytes() const {
  const auto draws = static_cast<double>(std::min(2 * inputs_, kGroupNonzeros)) * sizeof(SampleDraws);
  return draws + 16.0 * static_cast<double>(kGroupNonzeros);
}

void ConsistentSampler::sample(const SparseView& x, std::vector<std::int32_t>& codes) const {
  require(x.width == inputs_, "consistent sampling: rows of another width");
  codes.resize(static_cast<std::size_t>(x.rows * samples_));
  thread_local Work work;
  for (Index first = 0, last = 0; first < x.rows; first = last) {
    while (last < x.rows && (last == first || x.starts[last + 1] - x.starts[first] <= kGroupNonzeros)) ++last;
    sample_group(x.middle(first, last - first), work, codes.data() + first * samples_);
  }
}

// Gives input j the coordinates j and d + j, for its positive and its negative part: few bits of i* still distinguish
// inputs if all have one sign, which 2j and 2j + 1 would not.
void ConsistentSampler::sample_group(const SparseView& x, Work& work, std::int32_t* codes) const {
  work.ends.clear();
  work.coordinates.clear();
  work.logs.clear();
  for (Index i = 0; i < x.rows; ++i) {
    for (Index e = x.starts[i]; e < x.starts[i + 1]; ++e) {
      if (x.values[e] == 0) continue;
      work.coordinates.push_back(static_cast<std::int32_t>(x.columns[e] + (x.values[e] < 0 ? inputs_ : 0)));
      work.logs.push_back(static_cast<float>(std::log(std::abs(x.values[e]))));
    }
    work.ends.push_back(static_cast<Index>(work.logs.size()));
  }
  work.distinct = work.coordinates;
  std::sort(work.distinct.begin(), work.distinct.end());
  work.distinct.erase(std::unique(work.distinct.begin(), work.distinct.end()), work.distinct.end());
  work.places.resize(work.coordinates.size());
  std::transform(work.coordinates.begin(), work.coordinates.end(), work.places.begin(), [&](std::int32_t coordinate) {
    const auto found = std::lower_bound(work.distinct.begin(), work.distinct.end(), coordinate);
    return static_cast<std::int32_t>(found - work.distinct.begin());
  });
  work.draws.resize(work.distinct.size());
  std::int32_t winners[kSampleLanes];
  for (Index first = 0; first < samples_; first += kSampleLanes) {
    draw_weighted_samples(key_, first / kSampleLanes, work.distinct.data(), static_cast<Index>(work.distinct.size()),
                          work.draws.data());
    for (Index i = 0; i < x.rows; ++i) {
      const auto begin = static_cast<std::size_t>(i == 0 ? 0 : work.ends[static_cast<std::size_t>(i) - 1]);
      const auto end = static_cast<std::size_t>(work.ends[static_cast<std::size_t>(i)]);
      const Index lanes = std::min(kSampleLanes, samples_ - first);
      std::int32_t* out = codes + i * samples_ + first;
      if (begin == end) {
        for (Index j = 0; j < lanes; ++j) out[j] = code_of(static_cast<std::int32_t>(2 * inputs_), 0, first + j);
        continue;
      }
      take_weighted_samples(work.draws.data(), work.places.data() + begin, work.logs.data() + begin,
                            static_cast<Index>(end - begin), winners);
      for (Index j = 0; j < lanes; ++j) {
        const std::size_t e = begin + static_cast<std::size_t>(winners[j]);
        out[j] = code_of(work.coordinates[e], full_ ? level_of(work, e, j) : 0, first + j);
      }
    }
  }
}

std::int32_t ConsistentSampler::code_of(std::int32_t coordinate, float level, Index sample) const {
  auto bits = static_cast<std::uint32_t>(coordinate);
  if (full_) {
    bits = mix_bits(static_cast<std::uint32_t>(sample) ^ mix_bits(bits));
    bits = mix_bits(bits ^ std::bit_cast<std::uint32_t>(level));
  }
  return static_cast<std::int32_t>(bits & mask_);
}

}  // namespace alacarte
