#pragma once
// The inner loops of consistent weighted sampling (Ioffe 2010; Li 2017, algorithm 1), sixteen samples at a time. Each
// sample j has for each coordinate i the numbers r, c ~ Gamma(2, 1) and beta ~ U(0, 1); for a row with values u_i > 0
// it takes the coordinate of the smallest a_i = log c_i - r_i (t_i + 1 - beta_i), t_i = floor(log u_i / r_i + beta_i).
// The numbers are hashes of (key, j, i), so nothing is stored. Computed in float: the probability that two rows agree
// is off by about 1e-6, hundreds of times less than a mean over 10^5 samples shows.
#include <cstdint>

#include "alacarte/core/types.hpp"

namespace alacarte {

constexpr Index kSampleLanes = 16;

/// Numbers of one coordinate in sixteen samples.
struct alignas(64) SampleDraws {
  float rate[kSampleLanes];   ///< 1 / r
  float shift[kSampleLanes];  ///< beta
  float start[kSampleLanes];  ///< log c - r (1 - beta)
  float step[kSampleLanes];   ///< r
};

/// Draws the numbers of the coordinates (count) in the samples 16 block, 16 block + 1, .. into draws (count).
void draw_weighted_samples(std::uint64_t key, Index block, const std::int32_t* coordinates, Index count,
                           SampleDraws* draws);

/// Finds winners (16): the nonzero among `count` >= 1 that each sample takes, the first in a tie; nonzero e has the
/// draws draws[places[e]] and the logarithm logs[e].
void take_weighted_samples(const SampleDraws* draws, const std::int32_t* places, const float* logs, Index count,
                           std::int32_t* winners);

/// Returns a hash of 32 bits.
inline std::uint32_t mix_bits(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;  // constants of C. Wellons, "Prospecting for hash functions", 2018
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

}  // namespace alacarte
