#pragma once
// The fast Walsh-Hadamard transform of many points at once. H is the unnormalised ±1 matrix in natural (Sylvester)
// order: H_ij = (-1)^popcount(i & j), H H = l I, symmetric, so it is its own adjoint. Real is double or float; NaN and
// infinity spread only within their own point.
//
// Layout: a tile holds kTileWidth points; row i of a tile is coordinate i of all of them, contiguous. The lanes of the
// processor are points, so no transform shuffles within a vector, and diagonals and permutations are row-wise.
#include <alacarte/core/types.hpp>
#include <cstdint>

namespace alacarte {

inline constexpr Index kTileWidth = 16;  ///< points side by side in a tile

/// Transforms `count` consecutive tiles (length, kTileWidth) in place: each point x becomes H x. length is a power of
/// two, checked. Cost l log2 l a point. Long transforms go depth first, so that all but the last passes stay in the
/// cache. Fastest on whole cache lines (64 bytes).
template <class Real>
void hadamard(Real* tiles, Index length, Index count = 1);

/// Applies the first transform of a chain, fusing the diagonal and the gather before it into its loads; `count` blocks:
///   out block b = H diag(scale_b) gather_b(in + b in_step),   gather(in)_i = row index_b[i] of `in`.
/// in: rows of kTileWidth points, `stride` numbers apart (a matrix whose columns are inputs is such a tile); index,
/// scale (count length); out (count length, kTileWidth) overwritten, must not overlap in.
template <class Real>
void hadamard_gather(const Real* in, Index stride, Index in_step, const std::int32_t* index, const Real* scale,
                     Index length, Index count, Real* out);

/// Transforms a single point, where lanes are coordinates: x holds `count` consecutive vectors (count length, rounded
/// up to whole multiples of kTileWidth); each becomes H times itself. The rest of x after count length is overwritten.
/// length is a power of two, checked.
template <class Real>
void hadamard_vectors(Real* x, Index length, Index count);

/// Computes out[i] = scale[i] in[index[i] + (i / length) length] for the rows of `count` vectors of `length`: the
/// gather of a single point. out must not overlap in.
template <class Real>
void gather_vectors(const Real* in, const std::int32_t* index, const Real* scale, Index length, Index count, Real* out);

}  // namespace alacarte
