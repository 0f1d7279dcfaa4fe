#pragma once
// Tiles of kTileWidth points of column-major matrices, and work space aligned for them.
#include <algorithm>
#include <vector>

#include "alacarte/core/types.hpp"
#include "core/large_matrix.hpp"
#include "linalg/hadamard.hpp"

namespace alacarte {

/// Work space of one call, cut from a buffer that the thread keeps, so loops over chunks allocate nothing. A thread
/// uses at most one frame of a type Real at a time. The buffer begins on a cache line, and so does each piece if the
/// sizes taken before it are whole lines.
template <class Real>
class ScratchOf {
 public:
  /// Opens a frame of `numbers` Reals, uninitialised.
  explicit ScratchOf(Index numbers) : next_(buffer(numbers)) {}
  /// Returns the next `numbers` of them.
  Real* take(Index numbers) {
    Real* taken = next_;
    next_ += numbers;
    return taken;
  }

 private:
  static Real* buffer(Index numbers) {
    thread_local std::vector<Real> memory;
    constexpr std::size_t kLine = kCacheLineBytes / sizeof(Real);
    const std::size_t wanted = static_cast<std::size_t>(numbers) + kLine;
    if (memory.size() < wanted) memory.resize(wanted);
    return align_to_cache_line(memory.data());
  }
  Real* next_;
};
using ScratchFrame = ScratchOf<double>;

/// A read-only tile: row i, kTileWidth numbers, begins at rows + i * stride.
struct TileView {
  const double* rows;
  Index stride;
};

/// Returns columns first .. first + count - 1 of `matrix` over the points from `point` on, as the rows of a tile. A
/// full tile is the matrix's own memory; fewer points are copied to pad (count, kTileWidth), the missing lanes zero.
inline TileView tile_of(ConstMat matrix, Index first, Index count, Index point, double* pad) {
  const Index points = std::min(kTileWidth, matrix.rows() - point);
  const double* source = matrix.data() + first * matrix.outerStride() + point;
  if (points == kTileWidth) return {source, matrix.outerStride()};
  std::fill(pad, pad + count * kTileWidth, 0.0);
  for (Index j = 0; j < count; ++j)
    std::copy(source + j * matrix.outerStride(), source + j * matrix.outerStride() + points, pad + j * kTileWidth);
  return {pad, kTileWidth};
}

/// A writable tile: the memory of the matrix, or `pad` if fewer than kTileWidth points are left.
struct TileTarget {
  double* rows;
  Index stride;

  TileTarget(MatRef matrix, Index first, Index point, double* pad) {
    const bool whole = matrix.rows() - point >= kTileWidth;
    rows = whole ? matrix.data() + first * matrix.outerStride() + point : pad;
    stride = whole ? matrix.outerStride() : kTileWidth;
  }
};

/// Copies the existing points from `pad` (count, kTileWidth) to the matrix; does nothing for a full tile.
inline void store_partial(MatRef matrix, Index first, Index count, Index point, const double* pad) {
  const Index points = matrix.rows() - point;
  if (points >= kTileWidth) return;
  double* target = matrix.data() + first * matrix.outerStride() + point;
  for (Index j = 0; j < count; ++j)
    std::copy(pad + j * kTileWidth, pad + j * kTileWidth + points, target + j * matrix.outerStride());
}

/// Returns the number of tiles that cover `points` points; the last may be partial.
inline Index tile_count(Index points) { return (points + kTileWidth - 1) / kTileWidth; }

}  // namespace alacarte
