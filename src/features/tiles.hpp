#pragma once
// Tiles of kTileWidth points cut from column-major matrices, and the thread's own scratch memory.
#include <algorithm>
#include <vector>

#include "alacarte/core/types.hpp"
#include "alacarte/linalg/hadamard.hpp"
#include "core/lines.hpp"

namespace alacarte {

/// Scratch of one call: carved from a buffer that the thread keeps, so chunk loops allocate nothing after the first.
/// One frame of a kind of number at a time in a thread; every piece begins on a cache line of its own if the sizes
/// taken before it are whole lines.
template <class Real>
class ScratchOf {
 public:
  explicit ScratchOf(Index numbers) : next_(buffer(numbers)) {}
  Real* take(Index numbers) {
    Real* taken = next_;
    next_ += numbers;
    return taken;
  }

 private:
  static Real* buffer(Index numbers) {
    thread_local std::vector<Real> memory;
    constexpr std::size_t kLine = kLineBytes / sizeof(Real);
    const std::size_t wanted = static_cast<std::size_t>(numbers) + kLine;
    if (memory.size() < wanted) memory.resize(wanted);
    return first_line(memory.data());
  }
  Real* next_;
};
using ScratchFrame = ScratchOf<double>;

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
