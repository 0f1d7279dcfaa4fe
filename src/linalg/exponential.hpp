#pragma once
// The exponential for kernels that are compiled for several instruction sets (linalg/multiversion.hpp).
#include <bit>
#include <cstdint>

#include "linalg/multiversion.hpp"

namespace alacarte {

/// Returns e^x for x <= 0, to 2 units in the last place; 0 below -708, near the smallest normal number. x = n log 2 + r
/// with |r| <= log(2)/2: Taylor's series of e^r, whose next term is below 1e-17, times 2^n by its bits.
ALACARTE_INLINE double exp_of(double x) {
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer, in the lowest bits
  constexpr double kLog2High = 6.93147180369123816490e-01, kLog2Low = 1.90821492927058770002e-10;
  const double bounded = x < -708.0 ? -708.0 : x;
  const double shifted = bounded * 1.44269504088896338700 + kShift, n = shifted - kShift;
  const double r = (bounded - n * kLog2High) - n * kLog2Low;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const auto bits = std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(shifted) << 52U);
  return x < -708.0 ? 0.0 : std::bit_cast<double>(bits);
}

}  // namespace alacarte
