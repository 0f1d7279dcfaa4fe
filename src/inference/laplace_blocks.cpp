// Laplace's approximation of softmax for many features times classes: one block of the curvature for each class bounds
// log|B|.
#include <algorithm>
#include <cmath>

#include "core/workers.hpp"
#include "inference/laplace.hpp"
#include "linalg/dense.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

constexpr int kMaxInnerSteps = 60;       // steps of conjugate gradients for one Newton step
constexpr double kImplicitShare = 1e-9;  // residual of the one linear system that the gradient needs

class BlockLaplace final : public Laplace {
 public:
  BlockLaplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
               const InferenceOptions& options)
      : Laplace(std::move(map), std::move(rows), options, CurvatureShape::blocks, {1e-22, 1e-10}) {}

  EvaluationPlan plan() const override {
    EvaluationPlan plan = rows_.plan(EvaluationForm::laplace_bound);
    plan.flops = block_laplace_flops(as_double(rows_.source().rows()), as_double(rows_.width()),
                                     as_double(rows_.outputs()), rows_.map().flops_per_row(), rows_.keeps_features());
    return plan;
  }

 private:
  auto block(Matrix& blocks, Index k) const { return blocks.middleCols(k * width(), width()); }
  auto block(const Matrix& blocks, Index k) const { return blocks.middleCols(k * width(), width()); }
  /// Calls body(k) for each class. Classes are dealt out to the threads; with more threads than classes, each class has
  /// all of them.
  template <class Body>
  void for_each_class(const Body& body) const {
    const bool deal = outputs() >= rows_.threads();
    const BlasThreads each(deal ? 1 : factor_threads(width()));
    run_dealt(deal ? rows_.threads() : 1, outputs(), 1, body);
  }
  /// Computes W_kk of a chunk, after derivatives().
  auto own_curvature(const LaplaceState& state, const RowBlock& rows, Index k) const {
    return state.curvature.col(k).head(rows.y.size());
  }

  // ---- the mode

  void begin_search() override {
    jitter_ = 0;
    passes_since_factor_ = 0;
    if (weights_.size() > 0)
      factor_blocks_at_mode();
    else
      factor_boehning();
  }

  /// Factors I + Psi^T C Psi / 2, C the weights of the rows: with Boehning's (1992) bound of any softmax's curvature,
  /// so one factor preconditions all steps from a fresh start.
  void factor_boehning() {
    rows_.gram_pass(
        [&](LaplaceState& state, const RowBlock& rows, MatRef psi) {
          MatRef scaled = state.scratch.topRows(rows.y.size());
          scaled = (0.5 * rows_.row_weights(state, rows)).cwiseSqrt().asDiagonal() * psi;
          syrk_lower(1.0, scaled, Op::transpose, 1.0, block(state.gram, 0));
        },
        width());
    boehning_factor_ = block(rows_.gram(), 0);
    factor_curvature(boehning_factor_);
    uses_blocks_ = false;
  }

  double decrement(Matrix&) override { return gradient_.cwiseProduct(precondition(gradient_)).sum(); }

  /// Solves for the step by conjugate gradients, until the residual is a share that shrinks with the decrement: steps
  /// near the mode are almost exact.
  void newton_step(double decrement, Matrix& step) override {
    const double share = std::clamp(0.1 * std::sqrt(decrement), 1e-6, 0.1);
    if (passes_since_factor_ > cg_budget()) {
      factor_blocks_at_mode();
      passes_since_factor_ = 0;
    }
    step = conjugate_gradients(gradient_, share, passes_since_factor_);
  }

  double value_at(const Matrix& weights) override {
    rows_.pass([&](LaplaceState& state, const RowBlock& rows, MatRef psi) {
      state.value += rows_.derivatives(state, rows, psi, weights, false);
      gemm(1.0, psi, Op::transpose, state.gradient.topRows(rows.y.size()), Op::none, 1.0, state.sums);
    });
    gradient_ = rows_.sums() - weights;
    return -rows_.value() + 0.5 * weights.squaredNorm();
  }

  Matrix solve_boehning(Matrix right) const {
    const BlasThreads many(factor_threads(width()));
    solve_lower(boehning_factor_, Op::none, right);
    solve_lower(boehning_factor_, Op::transpose, right);
    return right;
  }

  /// Sets state.slopes to W Psi direction, c p (v - p^T v) in each row; after derivatives(), which left c (own - p) in
  /// the gradient. state.f is overwritten by p.
  void curve_rows(LaplaceState& state, const RowBlock& rows, ConstMat psi, const Matrix& direction) const {
    state.slopes.resize(rows.y.size(), outputs());
    gemm(1.0, psi, Op::none, direction, Op::none, 0.0, state.slopes);
    for (Index i = 0; i < rows.y.size(); ++i) {
      const double weight = state.row_weights[i];
      if (!(weight > 0)) {
        state.slopes.row(i).setZero();
        continue;
      }
      auto p = state.f.row(i);
      p = state.gradient.row(i) / -weight;
      p[static_cast<Index>(rows.y[i])] += 1;
      const double mean = p.dot(state.slopes.row(i));
      state.slopes.row(i) = weight * p.array() * (state.slopes.row(i).array() - mean);
    }
  }

  /// Returns (I + Psi^T W Psi) direction, with the exact curvature at weights_.
  Matrix curve(const Matrix& direction) {
    rows_.pass([&](LaplaceState& state, const RowBlock& rows, MatRef psi) {
      rows_.derivatives(state, rows, psi, weights_, false);
      curve_rows(state, rows, psi, direction);
      gemm(1.0, psi, Op::transpose, state.slopes, Op::none, 1.0, state.sums);
    });
    return rows_.sums() + direction;
  }

  /// Returns the number of passes over the rows that cost about as much as the factors of all blocks.
  int cg_budget() const { return static_cast<int>(std::max<Index>(16, width() / 16)); }

  /// Applies the preconditioner. Boehning's bound is far above the curvature where the model is sure; the blocks at
  /// weights not far from the mode are near it (2000 rows of MNIST: 60 passes and more a step, or 15).
  Matrix precondition(const Matrix& right) const {
    Matrix solution = uses_blocks_ ? solve_blocks(right) : solve_boehning(right);
    take_from_first(solution);
    return solution;
  }

  /// Solves (I + Psi^T W Psi)^-1 right until the residual, measured by the preconditioner, is this share of the first
  /// one; adds the passes over the rows to `passes`.
  Matrix conjugate_gradients(const Matrix& right, double share, int& passes) {
    Matrix solution = Matrix::Zero(right.rows(), right.cols()), residual = right, direction = precondition(right);
    double size = residual.cwiseProduct(direction).sum();
    const double goal = share * share * size;
    for (int inner = 0; inner < kMaxInnerSteps && size > goal; ++inner, ++passes) {
      const Matrix curved = curve(direction);
      const double along = size / direction.cwiseProduct(curved).sum();
      solution += along * direction;
      residual -= along * curved;
      const Matrix next = precondition(residual);
      const double next_size = residual.cwiseProduct(next).sum();
      direction = next + (next_size / size) * direction;
      size = next_size;
    }
    return solution;
  }

  // ---- the bound

  /// Leaves the factors of B_k = I + K/(K-1) Psi^T W_kk Psi; returns (K-1)/K sum_k log|B_k| / 2. derive(): leaves W of
  /// a chunk in state.curvature.
  template <class Derive>
  double factor_blocks(const Derive& derive) {
    const double share = as_double(outputs() - 1) / as_double(outputs());
    rows_.gram_pass([&](LaplaceState& state, const RowBlock& rows, MatRef psi) {
      derive(state, rows, psi);
      MatRef scaled = state.scratch.topRows(rows.y.size());
      for (Index k = 0; k < outputs(); ++k) {
        scaled = (own_curvature(state, rows, k) / share).cwiseMax(0.0).cwiseSqrt().asDiagonal() * psi;
        syrk_lower(1.0, scaled, Op::transpose, 1.0, block(state.gram, k));
      }
    });
    blocks_.swap(rows_.gram());
    uses_blocks_ = true;
    Vector jitter(outputs()), log_determinants(outputs());
    for_each_class([&](Index k) {
      jitter[k] = factor_in_place(block(blocks_, k));
      log_determinants[k] = log_determinant(block(blocks_, k));
    });
    jitter_ = std::max(jitter_, jitter.maxCoeff());
    return 0.5 * share * log_determinants.sum();
  }

  // Solves with sum_k (e_k - 1/K) B_k^-1 (e_k - 1/K)^T, which is nearly (I + Psi^T W Psi)^-1, and 1 along the sum of
  // the classes.
  Matrix solve_blocks(const Matrix& right) const {
    const Vector along = right.rowwise().mean();
    Matrix solution = right.colwise() - along;
    for_each_class([&](Index k) {
      solve_lower_vector(block(blocks_, k), Op::none, solution.col(k));
      solve_lower_vector(block(blocks_, k), Op::transpose, solution.col(k));
    });
    return solution.colwise() + (along - solution.rowwise().mean());
  }

  double factor_blocks_at_mode() {
    return factor_blocks([&](LaplaceState& state, const RowBlock& block, MatRef psi) {
      rows_.derivatives(state, block, psi, weights_, true);
    });
  }

  /// Skips the factors for a value above the ceiling, since log|B| is positive.
  double add_log_determinant(double value, double ceiling) override {
    return value > ceiling ? value : value + factor_blocks_at_mode();
  }

  // ---- the posterior

  std::unique_ptr<Posterior> posterior_around(ConstVec theta, const Matrix& weights) const override {
    return make_posterior(rows_.shared_map(), theta, OutputsState{weights, rows_.constant_sd(theta), blocks_});
  }

  Matrix variational_step(const Posterior& laplace) override {
    factor_blocks([&](LaplaceState& state, const RowBlock& rows, MatRef psi) {
      rows_.expect(state, rows, psi, laplace, weights_);
      gemm(1.0, psi, Op::transpose, state.gradient.topRows(rows.y.size()), Op::none, 1.0, state.sums);
    });
    return solve_blocks(rows_.sums() - weights_);
  }

  // ---- the gradient

  Matrix pull_back_at_mode() override {
    Matrix inverses = blocks_;
    for_each_class([&](Index k) { invert_from_cholesky(block(inverses, k)); });
    rows_.pass([&](LaplaceState& state, const RowBlock& rows, MatRef psi) {
      const Index count = rows.y.size();
      rows_.derivatives(state, rows, psi, weights_, true);
      state.leverages.resize(count, outputs());
      state.slopes.resize(count, outputs());
      state.bar.setZero(count, width());
      MatRef product = state.scratch.topRows(count);
      for (Index k = 0; k < outputs(); ++k) {
        gemm(1.0, psi, Op::none, block(inverses, k), Op::none, 0.0, product);
        state.leverages.col(k) = product.cwiseProduct(psi).rowwise().sum();
        state.bar += own_curvature(state, rows, k).asDiagonal() * product;
      }
      rows_.likelihood().curvature_slopes(state.f.topRows(count), rows.y, state.row_weights.head(count),
                                          state.leverages, state.slopes);
      gemm(1.0, psi, Op::transpose, state.slopes, Op::none, 1.0, state.sums);
      gemm(1.0, state.slopes - state.gradient.topRows(count), Op::none, weights_, Op::transpose, 1.0, state.bar);
      rows_.backward(state, rows, psi, state.bar);
    });
    int passes = 0;
    return conjugate_gradients(rows_.sums(), kImplicitShare, passes);
  }

  void pull_back_mode(const Matrix& implicit) override {
    rows_.pass([&](LaplaceState& state, const RowBlock& rows, MatRef psi) {
      rows_.derivatives(state, rows, psi, weights_, false);
      curve_rows(state, rows, psi, implicit);
      state.bar.resize(rows.y.size(), width());
      gemm(1.0, state.gradient.topRows(rows.y.size()), Op::none, implicit, Op::transpose, 0.0, state.bar);
      gemm(-1.0, state.slopes, Op::none, weights_, Op::transpose, 1.0, state.bar);
      rows_.backward(state, rows, psi, state.bar);
    });
  }

  Matrix boehning_factor_;       // (D', D') preconditioner of the search for the mode
  Matrix blocks_;                // (D', K D') factors of B_k, side by side
  bool uses_blocks_ = false;     // the blocks are the preconditioner, not Boehning's factor
  int passes_since_factor_ = 0;  // passes of conjugate gradients over the rows
};

}  // namespace

double block_laplace_flops(double rows, double width, double outputs, double map_flops_per_row, bool keeps_features) {
  constexpr double kPasses = 40;  // passes over the rows for the mode and its derivative
  const double maps = keeps_features ? 2 : 0.5 * kPasses;
  return rows * ((3 * outputs + 1) * width * width + kPasses * 6 * width * outputs + maps * map_flops_per_row) +
         (outputs + 1 / 3.0) * width * width * width;
}

std::unique_ptr<Inference> make_block_laplace(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const InferenceOptions& options) {
  return std::make_unique<BlockLaplace>(std::move(map), std::move(rows), options);
}

}  // namespace alacarte
