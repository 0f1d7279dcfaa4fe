#include <algorithm>

#include "alacarte/core/error.hpp"
#include "alacarte/features/fastfood.hpp"
#include "alacarte/linalg/sincos.hpp"
#include "features/fastfood_tiles.hpp"
#include "features/tiles.hpp"

namespace alacarte {
namespace {

constexpr Index kW = kTileWidth;

double take_lanes(const double* rows, Index row) { return add_lanes(rows + row * kW); }

}  // namespace

// With t1 = B x~, t2 = H t1, t3 = Pi t2, t4 = G t3, t5 = H t4, u = c S t5 and u_bar given:
//   t4_bar = H (c S u_bar),  t1_bar = H Pi^T (G t4_bar);
//   log s_bar = sum u_bar u,  G_bar = sum t4_bar t3,  B_bar = sum t1_bar x~,  log lengthscale_bar = -sum B t1_bar x~.
// The forward tiles are recomputed when G or s wants them: a tape would cost more memory traffic than the transforms.
void Fastfood::pull_back_tile(const double* x, Index stride, const Group& group, Backed& tiles) const {
  const Index l = draws_->length, at = group.first, step = l * kW;
  std::fill(tiles.phase_bar + group.used * kW, tiles.phase_bar + group.rows * kW, 0.0);
  if (learned_.lengths || learned_.gaussian) project_tile(x, stride, group, tiles.hidden, tiles.out);
  if (learned_.lengths)
    for (Index block = 0; block < group.blocks; ++block)
      multiply_add_rows(tiles.out + block * step, kW, identity_.data(), tiles.phase_bar + block * step, kW, l,
                        tiles.length_sums + block * step);
  double *t4_bar = tiles.out, *t1_bar = tiles.work;
  hadamard_gather(tiles.phase_bar, kW, step, identity_.data() + at, radians_.data() + at, l, group.blocks, t4_bar);
  if (learned_.gaussian)
    for (Index block = 0; block < group.blocks; ++block)
      multiply_add_rows(tiles.hidden + block * step, kW, draws_->permutation.data() + at + block * l,
                        t4_bar + block * step, kW, l, tiles.gaussian_sums + block * step);
  hadamard_gather(t4_bar, kW, step, inverse_permutation_.data() + at, inverse_gaussian_.data() + at, l, group.blocks,
                  t1_bar);
  multiply_add_rows(x, stride, inputs_.data() + at, t1_bar, kW, group.rows, tiles.input_sums);
}

void Fastfood::collect(const Group& group, const Backed& tiles, const FastfoodSums& at, VecRef sums) const {
  const Index l = draws_->length, d = draws_->inputs;
  for (Index block = 0; block < group.blocks; ++block) {
    for (Index j = 0; j < d; ++j) {
      const Index row = block * l + j;
      const double sum = take_lanes(tiles.input_sums, row);
      sums[at.inputs + j] += signs_[group.first + row] * sum;
      if (learned_.signs) sums[at.signs + (group.first / l + block) * d + j] += sum;
    }
  }
  if (learned_.lengths)
    for (Index i = 0; i < group.used; ++i) sums[at.lengths + group.first + i] += take_lanes(tiles.length_sums, i);
  if (learned_.gaussian)
    for (Index i = 0; i < group.rows; ++i) sums[at.gaussian + group.first + i] += take_lanes(tiles.gaussian_sums, i);
}

namespace {

/// Carves the tiles of a backward pass, `parts` pairs of padding among them.
constexpr Index kBackwardTiles = 7;

}  // namespace

void Fastfood::backward(ConstMat x, ConstMat psi, ConstMat psi_bar, const FastfoodSums& at, VecRef sums) const {
  const Index m = draws_->frequencies, rows = std::max(kGroupRows, draws_->length);
  require(x.cols() == draws_->inputs && psi.rows() == x.rows() && psi.cols() == 2 * m && psi_bar.rows() == psi.rows() &&
              psi_bar.cols() == psi.cols() && sums.size() >= at.end,
          "Fastfood: shapes do not fit");
  ScratchFrame scratch((draws_->inputs + (kBackwardTiles + 4) * rows + 1) * kW);
  double* pad = scratch.take(draws_->inputs * kW);
  double* part[4];
  for (double*& p : part) p = scratch.take(rows * kW);
  Backed tiles = {scratch.take(rows * kW), scratch.take(rows * kW), scratch.take(rows * kW), scratch.take(rows * kW),
                  scratch.take(rows * kW), scratch.take(rows * kW), scratch.take(rows * kW)};
  double* amplitude_sums = scratch.take(kW);
  std::fill(amplitude_sums, amplitude_sums + kW, 0.0);
  for (Index block = 0; block < draws_->blocks;) {
    const Group group = this->group(block);
    for (double* sum : {tiles.input_sums, tiles.length_sums, tiles.gaussian_sums})
      std::fill(sum, sum + group.rows * kW, 0.0);
    for (Index point = 0; point < x.rows(); point += kW) {
      const TileView tile = tile_of(x, 0, draws_->inputs, point, pad);
      const TileView c = tile_of(psi, group.first, group.used, point, part[0]);
      const TileView s = tile_of(psi, m + group.first, group.used, point, part[1]);
      const TileView c_bar = tile_of(psi_bar, group.first, group.used, point, part[2]);
      const TileView s_bar = tile_of(psi_bar, m + group.first, group.used, point, part[3]);
      cos_sin_rows_adjoint({c.rows, s.rows, c_bar.rows, s_bar.rows, c.stride, c_bar.stride}, group.used,
                           tiles.phase_bar, amplitude_sums);
      pull_back_tile(tile.rows, tile.stride, group, tiles);
    }
    collect(group, tiles, at, sums);
    block += group.blocks;
  }
  sums[at.log_amplitude] += add_lanes(amplitude_sums);
}

void Fastfood::backward_shifted(ConstMat x, ConstMat psi, ConstMat psi_bar, const FastfoodSums& at, VecRef sums,
                                VecRef shift_sums) const {
  const Index m = draws_->frequencies, rows = std::max(kGroupRows, draws_->length), points = tile_count(x.rows()) * kW;
  require(x.cols() == draws_->inputs && psi.rows() == x.rows() && psi.cols() == 4 * m && psi_bar.rows() == psi.rows() &&
              psi_bar.cols() == psi.cols() && sums.size() >= at.end && shift_sums.size() == x.cols(),
          "Fastfood: shapes do not fit");
  ScratchFrame scratch((2 * draws_->inputs + (kBackwardTiles + 8) * rows + 1) * kW + points);
  double *pad = scratch.take(draws_->inputs * kW), *shift_lanes = scratch.take(draws_->inputs * kW);
  double* part[8];
  for (double*& p : part) p = scratch.take(rows * kW);
  Backed tiles = {scratch.take(rows * kW), scratch.take(rows * kW), scratch.take(rows * kW), scratch.take(rows * kW),
                  scratch.take(rows * kW), scratch.take(rows * kW), scratch.take(rows * kW)};
  double *amplitude_sums = scratch.take(kW), *shift_bar = scratch.take(points);
  std::fill(amplitude_sums, amplitude_sums + kW, 0.0);
  std::fill(shift_bar, shift_bar + points, 0.0);
  std::fill(shift_lanes, shift_lanes + draws_->inputs * kW, 0.0);
  for (Index block = 0; block < draws_->blocks;) {
    const Group group = this->group(block);
    for (double* sum : {tiles.input_sums, tiles.length_sums, tiles.gaussian_sums})
      std::fill(sum, sum + group.rows * kW, 0.0);
    for (Index point = 0; point < x.rows(); point += kW) {
      const TileView tile = tile_of(x, 0, draws_->inputs, point, pad);
      TileView f[4], f_bar[4];
      for (Index k = 0; k < 4; ++k) {
        f[k] = tile_of(psi, k * m + group.first, group.used, point, part[k]);
        f_bar[k] = tile_of(psi_bar, k * m + group.first, group.used, point, part[4 + k]);
      }
      shifted_cos_sin_rows_adjoint({f[0].rows, f[1].rows, f_bar[0].rows, f_bar[1].rows, f[0].stride, f_bar[0].stride},
                                   {f[2].rows, f[3].rows, f_bar[2].rows, f_bar[3].rows, f[2].stride, f_bar[2].stride},
                                   group.used, tiles.phase_bar, shift_bar + point, amplitude_sums);
      pull_back_tile(tile.rows, tile.stride, group, tiles);
    }
    collect(group, tiles, at, sums);
    block += group.blocks;
  }
  for (Index point = 0; point < x.rows(); point += kW) {
    const TileView tile = tile_of(x, 0, draws_->inputs, point, pad);
    for (Index j = 0; j < draws_->inputs; ++j)
      multiply_add_rows(tile.rows + j * tile.stride, 0, identity_.data(), shift_bar + point, 0, 1,
                        shift_lanes + j * kW);
  }
  for (Index j = 0; j < draws_->inputs; ++j) shift_sums[j] += take_lanes(shift_lanes, j);
  sums[at.log_amplitude] += add_lanes(amplitude_sums);
}

Fastfood::Pullback Fastfood::finish(const FastfoodSums& at, ConstVec sums) const {
  const Index l = draws_->length, d = draws_->inputs, m = draws_->frequencies;
  Pullback bar;
  bar.log_amplitude = sums[at.log_amplitude];
  bar.log_lengthscale = -sums.segment(at.inputs, d).cwiseProduct(inverse_lengthscale_);
  if (learned_.lengths) bar.log_lengths = sums.segment(at.lengths, m).cwiseProduct(radians_.head(m));
  if (learned_.gaussian) bar.gaussian = sums.segment(at.gaussian, draws_->blocks * l);
  if (learned_.signs) {
    bar.signs.resize(draws_->blocks * d);
    for (Index i = 0; i < bar.signs.size(); ++i) bar.signs[i] = sums[at.signs + i] * inverse_lengthscale_[i % d];
  }
  return bar;
}

}  // namespace alacarte
