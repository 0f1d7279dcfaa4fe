#pragma once
// Groups of blocks, runs of tiles and work space, shared by the forward and backward pass of Fastfood.
#include <algorithm>

#include "alacarte/features/fastfood.hpp"
#include "linalg/hadamard.hpp"

namespace alacarte {

// Rows of a tile up to which short blocks are handled together: enough to hide the calls, few enough for the first
// level of cache.
inline constexpr Index kGroupRows = 64;

// Size of the staging buffer, in doubles. The columns of psi lie far apart, often a multiple of a page, so visiting one
// for a single tile costs more in caches and address translation than the arithmetic. As many tiles as fit the second
// level of cache are staged, and each column is read or written for all of them at once.
inline constexpr Index kStagedDoubles = 65536;

/// Consecutive points handled together: whole tiles, or the last, partial one alone.
struct PointRun {
  Index first;  ///< point
  Index tiles;  ///< number of tiles
};

/// Returns the run from point `first` of `points` on, with at most max_tiles tiles.
inline PointRun run_at(Index first, Index points, Index max_tiles) {
  const Index whole = (points - first) / kTileWidth;
  return {first, whole > 0 ? std::min(whole, max_tiles) : 1};
}

/// Sizes of the work space for blocks of length `length` and `points` points.
struct StageShape {
  Index rows;   ///< rows of the largest group of blocks
  Index step;   ///< doubles from tile to tile: one row more than needed, so that tiles do not share cache sets
  Index tiles;  ///< largest number of staged tiles
  StageShape(Index length, Index points)
      : rows(std::max(kGroupRows, length)),
        step((rows + 1) * kTileWidth),
        tiles(std::clamp<Index>(kStagedDoubles / step, 1, std::max<Index>(1, (points + kTileWidth - 1) / kTileWidth))) {
  }
};

/// Consecutive blocks handled together.
struct Fastfood::Group {
  Index blocks;  ///< number of blocks
  Index first;   ///< their first row in the stack
  Index rows;    ///< blocks * length
  Index used;    ///< how many of these rows are among the m frequencies
};

/// Work space of one backward pass, tiles (rows, kTileWidth). The sums stay split by lane until the group is done.
struct Fastfood::BackwardTiles {
  static constexpr Index kTiles = 6;
  double *hidden, *out, *work;
  double *input_sums, *length_sums, *gaussian_sums;
};

}  // namespace alacarte
