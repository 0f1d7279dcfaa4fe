#pragma once
// Sobol's sequence, by Boost.Random.
#include <cstdint>
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte {

inline constexpr Index kSobolDimensions = 3667;  ///< Largest dimension with direction numbers.

/// Returns the first `count` points after the origin, each coordinate as 64 bits of a number in [0, 1).
std::vector<std::uint64_t> sobol_points(Index count, Index dimensions);

}  // namespace alacarte
