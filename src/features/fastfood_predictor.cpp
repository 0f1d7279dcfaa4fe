// Prediction fused into the chain: psi(x) w without psi. Memory bandwidth would limit stored features; tiles stay
// cached.
#include <algorithm>
#include <array>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/features/fastfood.hpp"
#include "features/fastfood_tiles.hpp"
#include "features/tiles.hpp"
#include "linalg/sincos.hpp"

namespace alacarte {
namespace {

// A single point goes through the blocks with vector lanes over its coordinates, not as a tile.

/// Returns the rows of the stack handled together: whole blocks; short ones share calls and the L1 cache.
Index point_group_rows(const FastfoodDraws& draws) { return std::max<Index>(1024, draws.length); }

/// The diagonals B ./ lengthscale and G of a stack, each (blocks l).
template <class Real>
struct PointDiagonals {
  const Real *input_scale, *gaussian;
};

/// Computes out (rows) = H G Pi H B (x ./ lengthscale) for rows first .. first + rows - 1 of the stack, whole blocks.
/// x: d numbers, `stride` apart. hidden: work space. Both arrays hold max(rows, kTileWidth) numbers. Cost O(rows log
/// l).
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

/// Loads a tile of points as Reals, the missing lanes zero.
template <class Real>
void load_tile(ConstMat x, Index point, Real* tile) {
  const Index points = std::min(kTileWidth, x.rows() - point);
  for (Index j = 0; j < x.cols(); ++j) {
    const double* from = x.data() + j * x.outerStride() + point;
    for (Index i = 0; i < kTileWidth; ++i) tile[j * kTileWidth + i] = i < points ? static_cast<Real>(from[i]) : Real(0);
  }
}

// With a shift zeta = x . shift every frequency has four features of weights (a, b, c, e), and
//   a cos(xi + zeta) + b sin(xi + zeta) + c cos(xi - zeta) + e sin(xi - zeta)
//     = cos zeta ((a + c) cos xi + (b + e) sin xi) + sin zeta ((b - e) cos xi + (c - a) sin xi):
// two sets of weights on one sine and cosine.
template <class Real>
class FastfoodPredictor final : public LinearPredictor {
 public:
  using Numbers = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  FastfoodPredictor(std::shared_ptr<const FastfoodDraws> draws, std::vector<std::int32_t> inputs, ConstVec input_scale,
                    ConstVec gaussian, ConstVec turns, ConstVec shift, ConstVec weights)
      : draws_(std::move(draws)),
        inputs_(std::move(inputs)),
        input_scale_(input_scale.cast<Real>()),
        gaussian_(gaussian.cast<Real>()),
        turns_(turns.cast<Real>()),
        shift_turns_(shift / kTwoPi) {
    const Index m = draws_->frequencies;
    if (shift.size() == 0) {
      weights_ = weights.cast<Real>();
      sets_ = 1;
    } else {
      const auto a = weights.segment(0, m), b = weights.segment(m, m), c = weights.segment(2 * m, m),
                 e = weights.segment(3 * m, m);
      weights_.resize(4 * m);
      weights_ << (a + c).template cast<Real>(), (b + e).template cast<Real>(), (b - e).template cast<Real>(),
          (c - a).template cast<Real>();
      sets_ = 2;
    }
  }

  void add(const InputView& rows, VecRef f) const override {
    ConstMat x = rows.dense();
    require(x.cols() == draws_->inputs && f.size() == x.rows(), "Fastfood: shapes do not fit");
    if (x.rows() == 1)
      f[0] += lone(x);
    else
      add_tiles(x, f);
  }

 private:
  /// Returns both sets from row `first` of the stack on.
  std::array<DotWeights<Real>, 2> weights(Index first) const {
    const Index m = draws_->frequencies, second = sets_ == 2 ? 2 * m : 0;
    const Real* w = weights_.data() + first;
    return {DotWeights<Real>{w, w + m}, DotWeights<Real>{w + second, w + second + m}};
  }

  double lone(ConstMat x) const {
    const Index l = draws_->length, all = draws_->blocks * l, together = point_group_rows(*draws_);
    const Index size = std::max(std::min(together, all), kTileWidth);
    ScratchOf<Real> scratch(2 * size);
    Real *hidden = scratch.take(size), *phases = scratch.take(size);
    double sums[2] = {};
    for (Index first = 0; first < all; first += together) {
      const Index rows = std::min(together, all - first);
      project_point_group(*draws_, PointDiagonals<Real>{input_scale_.data(), gaussian_.data()}, first, rows, x.data(),
                          x.outerStride(), hidden, phases);
      Real part[2] = {};
      cos_sin_dot(phases, turns_.data() + first, weights(first).data(), sets_,
                  std::min(rows, draws_->frequencies - first), part);
      for (int set = 0; set < 2; ++set) sums[set] += static_cast<double>(part[set]);
    }
    if (sets_ == 1) return sums[0];
    double turn = 0, sine = 0, cosine = 0;
    for (Index j = 0; j < x.cols(); ++j) turn += shift_turns_[j] * x(0, j);
    sincos_turns(&turn, 1, &sine, &cosine);
    return cosine * sums[0] + sine * sums[1];
  }

  void add_tiles(ConstMat x, VecRef f) const {
    const Index l = draws_->length, d = draws_->inputs, all = draws_->blocks * l;
    const Index together = std::max(kGroupRows, l);
    ScratchOf<Real> scratch((d + 2 * together) * kTileWidth);
    Real *tile = scratch.take(d * kTileWidth), *hidden = scratch.take(together * kTileWidth);
    Real* phases = scratch.take(together * kTileWidth);
    for (Index point = 0; point < x.rows(); point += kTileWidth) {
      load_tile(x, point, tile);
      Real sums[2 * kTileWidth] = {};
      for (Index first = 0; first < all; first += together) {
        const Index rows = std::min(together, all - first);
        hadamard_gather(tile, kTileWidth, 0, inputs_.data() + first, input_scale_.data() + first, l, rows / l, hidden);
        hadamard_gather(hidden, kTileWidth, l * kTileWidth, draws_->permutation.data() + first,
                        gaussian_.data() + first, l, rows / l, phases);
        cos_sin_dot_rows(phases, turns_.data() + first, weights(first).data(), sets_,
                         std::min(rows, draws_->frequencies - first), sums);
      }
      add_points(x, point, sums, f);
    }
  }

  void add_points(ConstMat x, Index point, const Real* sums, VecRef f) const {
    double cosine[kTileWidth] = {}, sine[kTileWidth] = {};
    const Index points = std::min(kTileWidth, x.rows() - point);
    if (sets_ == 2) {
      for (Index j = 0; j < x.cols(); ++j)
        for (Index i = 0; i < points; ++i) cosine[i] += shift_turns_[j] * x(point + i, j);
      sincos_turns(cosine, kTileWidth, sine, cosine);
    }
    for (Index i = 0; i < points; ++i) {
      const double first = static_cast<double>(sums[i]), second = static_cast<double>(sums[kTileWidth + i]);
      f[point + i] += sets_ == 1 ? first : cosine[i] * first + sine[i] * second;
    }
  }

  std::shared_ptr<const FastfoodDraws> draws_;
  std::vector<std::int32_t> inputs_;
  Numbers input_scale_, gaussian_, turns_;
  Vector shift_turns_;
  Numbers weights_;
  Index sets_ = 1;
};

}  // namespace

std::unique_ptr<LinearPredictor> Fastfood::shifted_predictor(ConstVec shift, double amplitude, ConstVec weights,
                                                             FloatType type) const {
  const Index parts = shift.size() == 0 ? 2 : 4;
  require(weights.size() == parts * draws_->frequencies && (shift.size() == 0 || shift.size() == draws_->inputs),
          "Fastfood: weights do not fit the features");
  const Vector scaled = amplitude * weights;
  if (type == FloatType::float32)
    return std::make_unique<FastfoodPredictor<float>>(draws_, inputs_, input_scale_, gaussian_, turns_, shift, scaled);
  return std::make_unique<FastfoodPredictor<double>>(draws_, inputs_, input_scale_, gaussian_, turns_, shift, scaled);
}

std::unique_ptr<LinearPredictor> Fastfood::linear_predictor(double amplitude, ConstVec weights, FloatType type) const {
  return shifted_predictor(Vector(), amplitude, weights, type);
}

// Returns the phases (blocks l) of one row, in turns, in memory that the thread keeps until its next call.
const double* Fastfood::project_point(ConstMat x) const {
  const Index all = draws_->blocks * draws_->length, together = point_group_rows(*draws_);
  const Index size = std::max(std::min(together, all), kTileWidth);
  const Index padded = std::max((all + kTileWidth - 1) / kTileWidth * kTileWidth, size);
  ScratchFrame scratch(size + padded);
  double *hidden = scratch.take(size), *phases = scratch.take(padded);
  for (Index first = 0; first < all; first += together)
    project_point_group(*draws_, PointDiagonals<double>{input_scale_.data(), gaussian_.data()}, first,
                        std::min(together, all - first), x.data(), x.outerStride(), hidden, phases + first);
  for (Index i = 0; i < all; ++i) phases[i] *= turns_[i];
  return phases;
}

}  // namespace alacarte
