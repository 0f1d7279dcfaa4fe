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

}  // namespace alacarte
