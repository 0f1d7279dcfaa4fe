#include "alacarte/features/fastfood.hpp"

#include <cmath>
#include <limits>

#include "features/fastfood_tiles.hpp"
#include "features/slots.hpp"
#include "features/thread_work.hpp"
#include "features/tiles.hpp"
#include "linalg/hadamard.hpp"
#include "linalg/sincos.hpp"

namespace alacarte {
namespace {

constexpr Index kW = kTileWidth;

double take_lanes(const double* rows, Index row) { return add_lanes(rows + row * kW); }

CosSinCotangent pair_of(const TileView* f, const TileView* f_bar) {
  return {f[0].rows, f[1].rows, f_bar[0].rows, f_bar[1].rows, f[0].stride, f_bar[0].stride};
}

}  // namespace

FastfoodDraws::FastfoodDraws(Index inputs, Index frequencies) : inputs(inputs), frequencies(frequencies) {
  require(inputs > 0 && frequencies > 0, "Fastfood needs inputs and frequencies");
  require(inputs <= (Index{1} << 30) && frequencies <= std::numeric_limits<std::int32_t>::max(),
          "Fastfood is too large");
  while (length < inputs) length *= 2;
  blocks = (frequencies + length - 1) / length;
}

FastfoodDraws::FastfoodDraws(Index inputs, Index frequencies, const RandomStreams& streams)
    : FastfoodDraws(inputs, frequencies) {
  RandomStream sign = streams.stream("fastfood.signs"), shuffle = streams.stream("fastfood.permutation");
  signs.resize(blocks * length);
  for (Index i = 0; i < signs.size(); ++i) signs[i] = sign.sign();
  gaussian = streams.stream("fastfood.gaussian").normals(blocks * length);
  permutation.reserve(static_cast<std::size_t>(blocks * length));
  for (Index block = 0; block < blocks; ++block) {
    const auto order = shuffle.permutation(length);
    permutation.insert(permutation.end(), order.begin(), order.end());
  }
}

FastfoodDraws::FastfoodDraws(Index inputs, Index frequencies, const TensorBundle& bundle, const std::string& prefix)
    : FastfoodDraws(inputs, frequencies) {
  signs = bundle.vector(prefix + "fastfood.signs", blocks * length);
  gaussian = bundle.vector(prefix + "fastfood.gaussian", blocks * length);
  permutation = bundle.integers(prefix + "fastfood.permutation", blocks * length);
  check_permutations(permutation, length, prefix + "fastfood.permutation");
  if (!inverse_norms().allFinite())
    throw IoError("model file", "tensor '" + prefix + "fastfood.gaussian' has a block without length");
}

void FastfoodDraws::save(TensorBundle& bundle, const std::string& prefix) const {
  bundle.put_vector(prefix + "fastfood.signs", signs);
  bundle.put_vector(prefix + "fastfood.gaussian", gaussian);
  bundle.put_integers(prefix + "fastfood.permutation", permutation);
}

Vector FastfoodDraws::inverse_norms() const {
  Vector inverse(blocks);
  for (Index block = 0; block < blocks; ++block) inverse[block] = 1 / gaussian.segment(block * length, length).norm();
  return inverse;
}

FastfoodSums::FastfoodSums(Index first, const FastfoodDraws& draws, FastfoodLearned learned)
    : log_amplitude(first),
      inputs(log_amplitude + 1),
      lengths(inputs + draws.inputs),
      gaussian(lengths + (learned.lengths ? draws.frequencies : 0)),
      signs(gaussian + (learned.gaussian ? draws.blocks * draws.length : 0)),
      end(signs + (learned.signs ? draws.blocks * draws.inputs : 0)) {}

Fastfood::Fastfood(std::shared_ptr<const FastfoodDraws> draws, ConstVec signs, ConstVec gaussian, ConstVec lengths,
                   ConstVec lengthscale, FastfoodLearned learned)
    : draws_(std::move(draws)),
      learned_(learned),
      signs_(signs),
      gaussian_(gaussian),
      inverse_lengthscale_(lengthscale.cwiseInverse()) {
  const Index l = draws_->length, rows = draws_->blocks * l;
  require(signs.size() == rows && gaussian.size() == rows && lengths.size() == draws_->frequencies &&
              lengthscale.size() == draws_->inputs,
          "Fastfood: diagonals do not fit the draws");
  input_scale_.setZero(rows);
  radians_.setZero(rows);
  inverse_gaussian_.resize(rows);
  inputs_.assign(static_cast<std::size_t>(rows), 0);
  identity_.resize(static_cast<std::size_t>(rows));
  inverse_permutation_.resize(static_cast<std::size_t>(rows));
  const Vector inverse_norms = draws_->inverse_norms();
  for (Index i = 0; i < rows; ++i) {
    const Index block = i / l, local = i % l;
    identity_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(local);
    if (local < draws_->inputs) {
      input_scale_[i] = signs[i] * inverse_lengthscale_[local];
      inputs_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(local);
    }
    if (i < draws_->frequencies) radians_[i] = lengths[i] * inverse_norms[block] / std::sqrt(static_cast<double>(l));
    const Index to = block * l + draws_->permutation[static_cast<std::size_t>(i)];
    inverse_permutation_[static_cast<std::size_t>(to)] = static_cast<std::int32_t>(local);
    inverse_gaussian_[to] = gaussian[i];
  }
  turns_ = radians_ / kTwoPi;
}

Fastfood::Group Fastfood::group(Index first_block) const {
  const Index together = std::max<Index>(1, kGroupRows / draws_->length);
  Group group;
  group.blocks = std::min(together, draws_->blocks - first_block);
  group.first = first_block * draws_->length;
  group.rows = group.blocks * draws_->length;
  group.used = std::min(group.rows, draws_->frequencies - group.first);
  return group;
}

// Computes hidden = H B (x ./ lengthscale); out = H G Pi hidden.
void Fastfood::project_tile(const double* x, Index stride, const Group& group, double* hidden, double* out) const {
  const Index l = draws_->length, at = group.first;
  hadamard_gather(x, stride, 0, inputs_.data() + at, input_scale_.data() + at, l, group.blocks, hidden);
  hadamard_gather(hidden, kTileWidth, l * kTileWidth, draws_->permutation.data() + at, gaussian_.data() + at, l,
                  group.blocks, out);
}

void Fastfood::project(ConstMat x, MatRef u) const {
  require(x.cols() == draws_->inputs && u.rows() == x.rows() && u.cols() == draws_->frequencies, "Fastfood: shapes");
  const Index rows = std::max(kGroupRows, draws_->length);
  ScratchFrame scratch((draws_->inputs + 2 * rows) * kTileWidth);
  double *pad = scratch.take(draws_->inputs * kTileWidth), *hidden = scratch.take(rows * kTileWidth);
  double* out = scratch.take(rows * kTileWidth);
  for (Index block = 0; block < draws_->blocks;) {
    const Group group = this->group(block);
    for (Index point = 0; point < x.rows(); point += kTileWidth) {
      const TileView tile = tile_of(x, 0, draws_->inputs, point, pad);
      project_tile(tile.rows, tile.stride, group, hidden, out);
      for (Index i = 0; i < group.used; ++i)
        for (Index j = 0; j < std::min(kTileWidth, x.rows() - point); ++j)
          u(point + j, group.first + i) = radians_[group.first + i] * out[i * kTileWidth + j];
    }
    block += group.blocks;
  }
}

Matrix Fastfood::frequencies() const {
  Matrix u(draws_->inputs, draws_->frequencies);
  project(Matrix::Identity(draws_->inputs, draws_->inputs), u);
  return u.transpose();
}

// Drives both forms: `parts` families of m columns; emit(group, run, phases, rows of each part, stride) writes them.
template <class Emit>
void Fastfood::forward_parts(ConstMat x, Index parts, MatRef psi, Emit&& emit) const {
  const Index d = draws_->inputs, m = draws_->frequencies;
  require(x.cols() == d && psi.rows() == x.rows() && psi.cols() == parts * m, "Fastfood: shapes do not fit");
  const StageShape shape(draws_->length, x.rows());
  ScratchFrame scratch((d + (1 + parts) * shape.rows) * kTileWidth + shape.tiles * shape.step);
  double *pad = scratch.take(d * kTileWidth), *hidden = scratch.take(shape.rows * kTileWidth);
  double *phases = scratch.take(shape.tiles * shape.step), *padding[kMaxParts] = {}, *rows[kMaxParts] = {};
  for (Index part = 0; part < parts; ++part) padding[part] = scratch.take(shape.rows * kTileWidth);
  for (Index block = 0; block < draws_->blocks;) {
    const Group group = this->group(block);
    for (PointRun run{0, 0}; run.first < x.rows(); run.first += run.tiles * kTileWidth) {
      run = run_at(run.first, x.rows(), shape.tiles);
      for (Index t = 0; t < run.tiles; ++t) {
        const TileView tile = tile_of(x, 0, d, run.first + t * kTileWidth, pad);
        project_tile(tile.rows, tile.stride, group, hidden, phases + t * shape.step);
      }
      Index stride = kTileWidth;
      for (Index part = 0; part < parts; ++part) {
        const TileTarget target(psi, part * m + group.first, run.first, padding[part]);
        rows[part] = target.rows;
        stride = target.stride;
      }
      emit(group, run, ConstTileStack{phases, shape.step, run.tiles}, rows, stride);
      for (Index part = 0; part < parts; ++part)
        store_partial(psi, part * m + group.first, group.used, run.first, padding[part]);
    }
    block += group.blocks;
  }
}

void Fastfood::forward(ConstMat x, double amplitude, MatRef psi) const {
  if (x.rows() == 1) return forward_point(x, nullptr, amplitude, psi);
  forward_parts(
      x, 2, psi,
      [&](const Group& group, const PointRun&, const ConstTileStack& phases, double* const* rows, Index stride) {
        cos_sin_rows(phases, turns_.data() + group.first, group.used, amplitude, rows[0], rows[1], stride);
      });
}

// Computes one row: its phases, then the features of each part.
void Fastfood::forward_point(ConstMat x, const double* shift_turn, double amplitude, MatRef psi) const {
  const Index m = draws_->frequencies, parts = shift_turn == nullptr ? 2 : 4;
  require(x.cols() == draws_->inputs && psi.rows() == 1 && psi.cols() == parts * m, "Fastfood: shapes do not fit");
  const double* phases = project_point(x);
  double *turns = thread_work<struct LoneTurns>(m), *sines = thread_work<struct LoneSines>(m);
  for (Index part = 0; part < parts; part += 2) {
    const double shift = shift_turn == nullptr ? 0.0 : part == 0 ? *shift_turn : -*shift_turn;
    for (Index i = 0; i < m; ++i) turns[i] = phases[i] + shift;
    sincos_turns(turns, m, sines, turns);
    for (Index i = 0; i < m; ++i) {
      psi(0, part * m + i) = amplitude * turns[i];
      psi(0, (part + 1) * m + i) = amplitude * sines[i];
    }
  }
}

void Fastfood::forward_shifted(ConstMat x, ConstVec shift, double amplitude, MatRef psi) const {
  require(shift.size() == draws_->inputs && x.cols() == shift.size(), "Fastfood: shapes do not fit");
  if (x.rows() == 1) {
    const double turn = x.row(0).dot(shift) / kTwoPi;
    return forward_point(x, &turn, amplitude, psi);
  }
  const Index d = draws_->inputs, lanes = tile_count(x.rows()) * kTileWidth;
  Eigen::Map<Vector> shift_turns(thread_work<struct ShiftTurns>(d), d);
  shift_turns = shift / kTwoPi;
  double *c = thread_work<struct ShiftCosines>(lanes), *s = thread_work<struct ShiftSines>(lanes);
  double* pad = thread_work<struct ShiftPad>(d * kTileWidth);
  for (Index point = 0; point < x.rows(); point += kTileWidth) {
    const TileView tile = tile_of(x, 0, d, point, pad);
    combine_rows(tile.rows, tile.stride, shift_turns.data(), d, c + point);
  }
  sincos_turns(c, lanes, s, c);
  forward_parts(
      x, 4, psi,
      [&](const Group& group, const PointRun& run, const ConstTileStack& phases, double* const* rows, Index stride) {
        shifted_cos_sin_rows(phases, turns_.data() + group.first, group.used, amplitude, c + run.first, s + run.first,
                             {rows[0], rows[1], rows[2], rows[3], stride});
      });
}

double Fastfood::flops(const FastfoodDraws& draws, FastfoodLearned learned) {
  const double l = static_cast<double>(draws.length), rows = l * static_cast<double>(draws.blocks);
  const double chain = rows * (2 * std::log2(l) + 3);
  const double again = learned.lengths || learned.gaussian ? chain : 0;
  const double collected = 2 * rows * (1.0 + (learned.lengths ? 1 : 0) + (learned.gaussian ? 1 : 0));
  return 2 * chain + again + collected;
}

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
