#pragma once
// A single point through a stack of Fastfood blocks: vector lanes run over its coordinates, so no time is spent on a
// tile of kTileWidth points.
#include "alacarte/features/fastfood.hpp"
#include "alacarte/linalg/hadamard.hpp"

namespace alacarte {

/// Rows of the stack handled together: whole blocks, so that short ones share their calls and stay in the L1 cache.
inline Index point_group_rows(const FastfoodDraws& draws) { return std::max<Index>(1024, draws.length); }

/// The diagonals B ./ lengthscale and G of a stack, each (blocks l).
template <class Real>
struct PointDiagonals {
  const Real *input_scale, *gaussian;
};

/// out (rows) = H G Pi H B (x ./ lengthscale) for the rows first .. first + rows - 1 of the stack, whole blocks. x: d
/// numbers, `stride` apart. hidden: work space. Both arrays hold max(rows, kTileWidth) numbers. Cost O(rows log l).
template <class Real>
void project_point_group(const FastfoodDraws& draws, const PointDiagonals<Real>& diagonals, Index first, Index rows,
                         const double* x, Index stride, Real* hidden, Real* out) {
  const Index l = draws.length, blocks = rows / l;
  for (Index block = 0; block < blocks; ++block) {
    Real* to = hidden + block * l;
    const Real* scale = diagonals.input_scale + first + block * l;
    for (Index j = 0; j < draws.inputs; ++j) to[j] = scale[j] * static_cast<Real>(x[j * stride]);
    std::fill(to + draws.inputs, to + l, Real(0));
  }
  hadamard_vectors(hidden, l, blocks);
  gather_vectors(hidden, draws.permutation.data() + first, diagonals.gaussian + first, l, blocks, out);
  hadamard_vectors(out, l, blocks);
}

}  // namespace alacarte
