#include <algorithm>

#include "alacarte/core/error.hpp"
#include "alacarte/features/fastfood.hpp"
#include "features/fastfood_tiles.hpp"
#include "features/thread_work.hpp"
#include "features/tiles.hpp"
#include "linalg/sincos.hpp"

namespace alacarte {
namespace {

constexpr Index kW = kTileWidth;

double take_lanes(const double* rows, Index row) { return add_lanes(rows + row * kW); }

CosSinCotangent pair_of(const TileView* f, const TileView* f_bar) {
  return {f[0].rows, f[1].rows, f_bar[0].rows, f_bar[1].rows, f[0].stride, f_bar[0].stride};
}

}  // namespace

// With t1 = B x~, t2 = H t1, t3 = Pi t2, t4 = G t3, t5 = H t4, u = c S t5 and u_bar given:
//   t4_bar = H (c S u_bar),  t1_bar = H Pi^T (G t4_bar);
//   log s_bar = sum u_bar u,  G_bar = sum t4_bar t3,  B_bar = sum t1_bar x~,  log lengthscale_bar = -sum B t1_bar x~.
// The forward tiles are recomputed if G or s is learned: storing them would cost more memory traffic than the
// transforms.
void Fastfood::pull_back_tile(const double* x, Index stride, const Group& group, double* phase_bar,
                              const BackwardTiles& tiles) const {
  const Index l = draws_->length, at = group.first, step = l * kW;
  std::fill(phase_bar + group.used * kW, phase_bar + group.rows * kW, 0.0);
  if (learned_.lengths || learned_.gaussian) project_tile(x, stride, group, tiles.hidden, tiles.out);
  if (learned_.lengths)
    for (Index block = 0; block < group.blocks; ++block)
      multiply_add_rows(tiles.out + block * step, kW, identity_.data(), phase_bar + block * step, kW, l,
                        tiles.length_sums + block * step);
  double *t4_bar = tiles.out, *t1_bar = tiles.work;
  hadamard_gather(phase_bar, kW, step, identity_.data() + at, radians_.data() + at, l, group.blocks, t4_bar);
  if (learned_.gaussian)
    for (Index block = 0; block < group.blocks; ++block)
      multiply_add_rows(tiles.hidden + block * step, kW, draws_->permutation.data() + at + block * l,
                        t4_bar + block * step, kW, l, tiles.gaussian_sums + block * step);
  hadamard_gather(t4_bar, kW, step, inverse_permutation_.data() + at, inverse_gaussian_.data() + at, l, group.blocks,
                  t1_bar);
  multiply_add_rows(x, stride, inputs_.data() + at, t1_bar, kW, group.rows, tiles.input_sums);
}

void Fastfood::collect(const Group& group, const BackwardTiles& tiles, const FastfoodSums& at, VecRef sums) const {
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

// Drives both forms, like forward_parts(): pull(run, features, cotangents, rows, phase_bar, amplitude lanes).
template <class Pull>
void Fastfood::backward_parts(ConstMat x, ConstMat psi, ConstMat psi_bar, Index parts, const FastfoodSums& at,
                              VecRef sums, Pull&& pull) const {
  const Index d = draws_->inputs, m = draws_->frequencies;
  require(x.cols() == d && psi.rows() == x.rows() && psi.cols() == parts * m && psi_bar.rows() == psi.rows() &&
              psi_bar.cols() == psi.cols() && sums.size() >= at.end,
          "Fastfood: shapes do not fit");
  const StageShape shape(draws_->length, x.rows());
  const Index tile_size = shape.rows * kW;
  ScratchFrame scratch((d + 1) * kW + (BackwardTiles::kTiles + 2 * parts) * tile_size + shape.tiles * shape.step);
  double *pad = scratch.take(d * kW), *amplitude_lanes = scratch.take(kW);
  double *staged = scratch.take(shape.tiles * shape.step), *padding[2 * kMaxParts] = {};
  for (Index part = 0; part < 2 * parts; ++part) padding[part] = scratch.take(tile_size);
  const BackwardTiles tiles = {scratch.take(tile_size), scratch.take(tile_size), scratch.take(tile_size),
                               scratch.take(tile_size), scratch.take(tile_size), scratch.take(tile_size)};
  std::fill(amplitude_lanes, amplitude_lanes + kW, 0.0);
  TileView features[kMaxParts] = {}, cotangents[kMaxParts] = {};
  for (Index block = 0; block < draws_->blocks;) {
    const Group group = this->group(block);
    for (double* lanes : {tiles.input_sums, tiles.length_sums, tiles.gaussian_sums})
      std::fill(lanes, lanes + group.rows * kW, 0.0);
    for (PointRun run{0, 0}; run.first < x.rows(); run.first += run.tiles * kW) {
      run = run_at(run.first, x.rows(), shape.tiles);
      for (Index k = 0; k < parts; ++k) {
        features[k] = tile_of(psi, k * m + group.first, group.used, run.first, padding[k]);
        cotangents[k] = tile_of(psi_bar, k * m + group.first, group.used, run.first, padding[parts + k]);
      }
      pull(run, features, cotangents, group.used, TileStack{staged, shape.step, run.tiles}, amplitude_lanes);
      for (Index t = 0; t < run.tiles; ++t) {
        const TileView tile = tile_of(x, 0, d, run.first + t * kW, pad);
        pull_back_tile(tile.rows, tile.stride, group, staged + t * shape.step, tiles);
      }
    }
    collect(group, tiles, at, sums);
    block += group.blocks;
  }
  sums[at.log_amplitude] += add_lanes(amplitude_lanes);
}

void Fastfood::backward(ConstMat x, ConstMat psi, ConstMat psi_bar, const FastfoodSums& at, VecRef sums) const {
  backward_parts(
      x, psi, psi_bar, 2, at, sums,
      [](const PointRun&, const TileView* f, const TileView* f_bar, Index rows, const TileStack& phase_bar,
         double* amplitude_lanes) { cos_sin_rows_adjoint(pair_of(f, f_bar), rows, phase_bar, amplitude_lanes); });
}

void Fastfood::backward_project(ConstMat x, ConstMat u_bar, const FastfoodSums& at, VecRef sums) const {
  backward_parts(
      x, u_bar, u_bar, 1, at, sums,
      [](const PointRun&, const TileView*, const TileView* f_bar, Index rows, const TileStack& phase_bar, double*) {
        for (Index t = 0; t < phase_bar.tiles; ++t)
          for (Index i = 0; i < rows; ++i)
            std::copy_n(f_bar->rows + i * f_bar->stride + t * kW, kW, phase_bar.data + t * phase_bar.step + i * kW);
      });
}

void Fastfood::backward_shifted(ConstMat x, ConstMat psi, ConstMat psi_bar, const FastfoodSums& at, VecRef sums,
                                VecRef shift_sums) const {
  const Index d = draws_->inputs;
  require(shift_sums.size() == d && x.cols() == d, "Fastfood: shapes do not fit");
  const Index points = tile_count(x.rows()) * kW;
  double *zeta_bar = thread_work<struct ShiftBar>(points), *lanes = thread_work<struct ShiftLanes>(d * kW);
  double* pad = thread_work<struct ShiftPad>(d * kW);
  std::fill(zeta_bar, zeta_bar + points, 0.0);
  std::fill(lanes, lanes + d * kW, 0.0);
  backward_parts(x, psi, psi_bar, 4, at, sums,
                 [&](const PointRun& run, const TileView* f, const TileView* f_bar, Index rows,
                     const TileStack& phase_bar, double* amplitude_lanes) {
                   shifted_cos_sin_rows_adjoint(pair_of(f, f_bar), pair_of(f + 2, f_bar + 2), rows, phase_bar,
                                                zeta_bar + run.first, amplitude_lanes);
                 });
  for (Index point = 0; point < x.rows(); point += kW) {
    const TileView tile = tile_of(x, 0, d, point, pad);
    multiply_add_rows(tile.rows, tile.stride, identity_.data(), zeta_bar + point, 0, d, lanes);
  }
  for (Index j = 0; j < d; ++j) shift_sums[j] += take_lanes(lanes, j);
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
