#pragma once
// Tiles of kTileWidth points cut from column-major matrices, and the thread's own scratch memory.
#include <algorithm>
#include <vector>

#include "alacarte/core/types.hpp"
#include "alacarte/linalg/hadamard.hpp"

namespace alacarte {

/// Scratch of one call: carved from a buffer that the thread keeps, so chunk loops allocate nothing after the first.
/// One frame at a time in a thread.
class ScratchFrame {
 public:
  explicit ScratchFrame(Index doubles) : next_(buffer(doubles)) {}
  double* take(Index doubles) {
    double* taken = next_;
    next_ += doubles;
    return taken;
  }

 private:
  static double* buffer(Index doubles) {
    thread_local std::vector<double> memory;
    constexpr Index kLine = 8;  // doubles in a cache line
    const auto wanted = static_cast<std::size_t>(doubles + kLine);
    if (memory.size() < wanted) memory.resize(wanted);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + (64 - address % 64) % 64 / sizeof(double);
  }
  double* next_;
};

/// Rows of a tile and how far apart they are.
struct TileView {
  const double* rows;
  Index stride;
};

/// Columns [first, first + count) of `matrix` over the points from `point` on, as a tile. A full tile is the matrix's
/// own memory; fewer points are copied to pad (count, kTileWidth), the missing lanes zero.
inline TileView tile_of(ConstMat matrix, Index first, Index count, Index point, double* pad) {
  const Index points = std::min(kTileWidth, matrix.rows() - point);
  const double* source = matrix.data() + first * matrix.outerStride() + point;
  if (points == kTileWidth) return {source, matrix.outerStride()};
  std::fill(pad, pad + count * kTileWidth, 0.0);
  for (Index j = 0; j < count; ++j)
    std::copy(source + j * matrix.outerStride(), source + j * matrix.outerStride() + points, pad + j * kTileWidth);
  return {pad, kTileWidth};
}

/// Where a kernel writes such a tile, and the copy back of the points that exist.
struct TileTarget {
  double* rows;
  Index stride;

  TileTarget(MatRef matrix, Index first, Index point, double* pad) {
    const bool whole = matrix.rows() - point >= kTileWidth;
    rows = whole ? matrix.data() + first * matrix.outerStride() + point : pad;
    stride = whole ? matrix.outerStride() : kTileWidth;
  }
};

inline void store_partial(MatRef matrix, Index first, Index count, Index point, const double* pad) {
  const Index points = matrix.rows() - point;
  if (points >= kTileWidth) return;
  double* target = matrix.data() + first * matrix.outerStride() + point;
  for (Index j = 0; j < count; ++j)
    std::copy(pad + j * kTileWidth, pad + j * kTileWidth + points, target + j * matrix.outerStride());
}

inline Index tile_count(Index points) { return (points + kTileWidth - 1) / kTileWidth; }

}  // namespace alacarte
