#include "linalg/weighted_samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "linalg/multiversion.hpp"

namespace alacarte {
namespace {

constexpr int kNumbers = 5;  // two uniforms make r, two c, one is beta

/// Returns the natural logarithm of x > 0, not denormal, to about 1e-7: x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2),
/// log(1 + f) = 2 atanh(f / (2 + f)).
ALACARTE_INLINE float fast_log(float x) {
  const std::int32_t bits = std::bit_cast<std::int32_t>(x) - 0x3f3504f3;  // bits of sqrt(1/2)
  const std::int32_t exponent = bits >> 23;
  const float f = std::bit_cast<float>((bits & 0x7fffff) + 0x3f3504f3) - 1.0F;
  const float s = f / (2.0F + f), z = s * s;
  const float tail = z * (0.66666663F + z * (0.40000972F + z * (0.28498787F + z * 0.24279079F)));
  return static_cast<float>(exponent) * 0.69314718F + (2.0F * s + s * tail);
}

/// Returns a number strictly inside (0, 1), of 23 bits.
ALACARTE_INLINE float uniform_of(std::uint32_t bits) {
  return (static_cast<float>(static_cast<std::int32_t>(bits >> 9)) + 0.5F) * 0x1p-23F;
}

template <bool>
ALACARTE_INLINE void draw_body(const std::uint32_t* hashes, const std::uint32_t* first, const std::uint32_t* second,
                               Index count, SampleDraws* draws) {
  for (Index i = 0; i < count; ++i) {
    SampleDraws& out = draws[i];
    // Separate passes over the lanes are simple enough to be vectorised.
    float u[kNumbers][kSampleLanes];
    for (int v = 0; v < kNumbers; ++v) {
      ALACARTE_INDEPENDENT
      for (Index j = 0; j < kSampleLanes; ++j)
        u[v][j] = uniform_of(mix_bits(mix_bits(first[i] ^ hashes[v * kSampleLanes + j]) ^ second[i]));
    }
    ALACARTE_INDEPENDENT
    for (Index j = 0; j < kSampleLanes; ++j) {
      const float r = -fast_log(u[0][j] * u[1][j]), log_c = fast_log(-fast_log(u[2][j] * u[3][j]));
      out.rate[j] = 1.0F / r;
      out.shift[j] = u[4][j];
      out.start[j] = log_c - r * (1.0F - u[4][j]);
      out.step[j] = r;
    }
  }
}

/// Smallest values so far, and their nonzeros.
struct Winners {
  float minimum[kSampleLanes];
  std::int32_t winner[kSampleLanes];
};

ALACARTE_INLINE float value_of(const SampleDraws& of, float log, Index lane) {
  return of.start[lane] - of.step[lane] * std::floor(log * of.rate[lane] + of.shift[lane]);
}

ALACARTE_INLINE void take_one(const SampleDraws& of, float log, std::int32_t e, Winners& state) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < kSampleLanes; ++j) {
    const float a = value_of(of, log, j);
    const bool less = a < state.minimum[j];
    state.winner[j] = less ? e : state.winner[j];
    state.minimum[j] = less ? a : state.minimum[j];
  }
}

/// Takes four nonzeros at once, so that the state is loaded and stored less often.
ALACARTE_INLINE void take_four(const SampleDraws* draws, const std::int32_t* places, const float* logs, std::int32_t e,
                               Winners& state) {
  const SampleDraws &d0 = draws[places[0]], &d1 = draws[places[1]], &d2 = draws[places[2]], &d3 = draws[places[3]];
  const float l0 = logs[0], l1 = logs[1], l2 = logs[2], l3 = logs[3];
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < kSampleLanes; ++j) {
    const float a0 = value_of(d0, l0, j), a1 = value_of(d1, l1, j), a2 = value_of(d2, l2, j), a3 = value_of(d3, l3, j);
    const bool second = a1 < a0, fourth = a3 < a2;
    const float first_pair = second ? a1 : a0, second_pair = fourth ? a3 : a2;
    const std::int32_t first_winner = second ? e + 1 : e, second_winner = fourth ? e + 3 : e + 2;
    const bool later = second_pair < first_pair;
    const float a = later ? second_pair : first_pair;
    const std::int32_t winner = later ? second_winner : first_winner;
    const bool less = a < state.minimum[j];
    state.winner[j] = less ? winner : state.winner[j];
    state.minimum[j] = less ? a : state.minimum[j];
  }
}

template <bool>
ALACARTE_INLINE void take_weighted_samples_body(const SampleDraws* draws, const std::int32_t* places, const float* logs,
                                                Index count, std::int32_t* winners) {
  Winners state;
  std::fill(state.minimum, state.minimum + kSampleLanes, std::numeric_limits<float>::infinity());
  std::fill(state.winner, state.winner + kSampleLanes, 0);
  const Index whole = count - count % 4;
  for (Index e = 0; e < whole; e += 4) take_four(draws, places + e, logs + e, static_cast<std::int32_t>(e), state);
  for (Index e = whole; e < count; ++e) take_one(draws[places[e]], logs[e], static_cast<std::int32_t>(e), state);
  std::copy(state.winner, state.winner + kSampleLanes, winners);
}

}  // namespace

namespace kernels {
ALACARTE_MULTIVERSION(draw,
                      (const std::uint32_t* hashes, const std::uint32_t* first, const std::uint32_t* second,
                       Index count, SampleDraws* draws),
                      (hashes, first, second, count, draws))
}  // namespace kernels

ALACARTE_MULTIVERSION(take_weighted_samples,
                      (const SampleDraws* draws, const std::int32_t* places, const float* logs, Index count,
                       std::int32_t* winners),
                      (draws, places, logs, count, winners))

// Hashes each sample and number once, each coordinate twice; together they determine a number.
void draw_weighted_samples(std::uint64_t key, Index block, const std::int32_t* coordinates, Index count,
                           SampleDraws* draws) {
  const auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
  std::uint32_t hashes[kNumbers * kSampleLanes];
  for (std::uint32_t v = 0; v < kNumbers; ++v)
    for (Index j = 0; j < kSampleLanes; ++j) {
      const auto sample = static_cast<std::uint32_t>(block * kSampleLanes + j);
      hashes[v * kSampleLanes + static_cast<std::uint32_t>(j)] = mix_bits(mix_bits(sample ^ low) + kNumbers * high + v);
    }
  constexpr Index kAtOnce = 64;
  std::uint32_t one[kAtOnce], other[kAtOnce];
  for (Index begin = 0; begin < count; begin += kAtOnce) {
    const Index some = std::min(kAtOnce, count - begin);
    for (Index i = 0; i < some; ++i) {
      const auto coordinate = static_cast<std::uint32_t>(coordinates[begin + i]);
      one[i] = mix_bits(coordinate + high);
      other[i] = mix_bits(~coordinate ^ low);
    }
    kernels::draw(hashes, one, other, some, draws + begin);
  }
}

}  // namespace alacarte
