#include "linalg/weighted_samples.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "linalg/multiversion.hpp"

namespace alacarte {
namespace {

constexpr int kNumbers = 5;  // two uniforms make r, two c, one is beta

/// Natural logarithm of x > 0, not denormal, to about 1e-7: x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), and
/// log(1 + f) = 2 atanh(f / (2 + f)).
ALACARTE_INLINE float fast_log(float x) {
  const std::int32_t bits = std::bit_cast<std::int32_t>(x) - 0x3f3504f3;  // of sqrt(1/2)
  const std::int32_t exponent = bits >> 23;
  const float f = std::bit_cast<float>((bits & 0x7fffff) + 0x3f3504f3) - 1.0F;
  const float s = f / (2.0F + f), z = s * s;
  const float tail = z * (0.66666663F + z * (0.40000972F + z * (0.28498787F + z * 0.24279079F)));
  return static_cast<float>(exponent) * 0.69314718F + (2.0F * s + s * tail);
}

/// In (0, 1), of 23 bits: never 0, never 1.
ALACARTE_INLINE float uniform_of(std::uint32_t bits) {
  return (static_cast<float>(static_cast<std::int32_t>(bits >> 9)) + 0.5F) * 0x1p-23F;
}

template <bool>
ALACARTE_INLINE void draw_body(const std::uint32_t* hashes, std::uint32_t first, std::uint32_t second,
                               SampleDraws* draws) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < kSampleLanes; ++j) {
    float u[kNumbers];
    for (int v = 0; v < kNumbers; ++v)
      u[v] = uniform_of(mix_bits(mix_bits(first ^ hashes[v * kSampleLanes + j]) ^ second));
    const float r = -fast_log(u[0] * u[1]), log_c = fast_log(-fast_log(u[2] * u[3]));
    draws->rate[j] = 1.0F / r;
    draws->shift[j] = u[4];
    draws->start[j] = log_c - r * (1.0F - u[4]);
    draws->step[j] = r;
  }
}

template <bool>
ALACARTE_INLINE void take_body(const SampleDraws* draws, const std::int32_t* places, const float* logs, Index count,
                               std::int32_t* winners) {
  float least[kSampleLanes];
  std::int32_t winner[kSampleLanes];
  for (Index j = 0; j < kSampleLanes; ++j) {
    least[j] = std::numeric_limits<float>::infinity();
    winner[j] = 0;
  }
  for (Index e = 0; e < count; ++e) {
    const SampleDraws& of = draws[places[e]];
    const float log = logs[e];
    const auto index = static_cast<std::int32_t>(e);
    ALACARTE_INDEPENDENT
    for (Index j = 0; j < kSampleLanes; ++j) {
      const float a = of.start[j] - of.step[j] * std::floor(log * of.rate[j] + of.shift[j]);
      const bool less = a < least[j];
      least[j] = less ? a : least[j];
      winner[j] = less ? index : winner[j];
    }
  }
  for (Index j = 0; j < kSampleLanes; ++j) winners[j] = winner[j];
}

}  // namespace

namespace kernels {
ALACARTE_MULTIVERSION(draw,
                      (const std::uint32_t* hashes, std::uint32_t first, std::uint32_t second, SampleDraws* draws),
                      (hashes, first, second, draws))
ALACARTE_MULTIVERSION(take,
                      (const SampleDraws* draws, const std::int32_t* places, const float* logs, Index count,
                       std::int32_t* winners),
                      (draws, places, logs, count, winners))
}  // namespace kernels

// One hash of each sample and number, two of each coordinate; together they decide a number.
void draw_weighted_samples(std::uint64_t key, Index block, const std::int32_t* coordinates, Index count,
                           SampleDraws* draws) {
  const auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
  std::uint32_t hashes[kNumbers * kSampleLanes];
  for (std::uint32_t v = 0; v < kNumbers; ++v)
    for (Index j = 0; j < kSampleLanes; ++j) {
      const auto sample = static_cast<std::uint32_t>(block * kSampleLanes + j);
      hashes[v * kSampleLanes + static_cast<std::uint32_t>(j)] = mix_bits(mix_bits(sample ^ low) + kNumbers * high + v);
    }
  for (Index i = 0; i < count; ++i) {
    const auto coordinate = static_cast<std::uint32_t>(coordinates[i]);
    kernels::draw(hashes, mix_bits(coordinate + high), mix_bits(~coordinate ^ low), draws + i);
  }
}

void take_weighted_samples(const SampleDraws* draws, const std::int32_t* places, const float* logs, Index count,
                           std::int32_t* winners) {
  kernels::take(draws, places, logs, count, winners);
}

}  // namespace alacarte
