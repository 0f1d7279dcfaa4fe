// Laplace's approximation of softmax for many features times classes: one block of the curvature for each class bounds
// log|B|.
#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/dense.hpp"
#include "model/posteriors.hpp"
#include "train/laplace_rows.hpp"

namespace alacarte {
namespace {

constexpr double bound_kInfinity = std::numeric_limits<double>::infinity();
constexpr int bound_kMostSteps = 100, bound_kMostHalvings = 60, kMostInner = 60;

// As of the whole curvature: Newton's decrement squared, at which the mode is found.
double bound_decrement_goal(Index rows) { return 1e-22 * (1 + as_double(rows)); }
constexpr double bound_kAlmost = 1e-10;
constexpr double kImplicitShare = 1e-9;  // residual of the one linear system that the gradient needs

class BoundLaplace final : public Objective {
 public:
  BoundLaplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
               const ObjectiveOptions& options)
      : rows_(std::move(map), std::move(rows), options, CurvatureShape::blocks) {}

  const ParameterLayout& parameters() const override { return rows_.parameters(); }
  double jitter() const override { return jitter_; }
  double noise_sd(ConstVec) const override { return 0; }

  double evaluate(ConstVec theta, VecRef gradient) override { return evaluate_below(bound_kInfinity, theta, gradient); }

  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override {
    require(gradient.size() == parameters().size(), "gradient does not fit the objective");
    double value = find_mode(theta);
    // What is added is positive.
    if (value <= ceiling)
      value += factor_blocks([&](LaplaceWorker& worker, const RowBlock& rows, MatRef psi) {
        rows_.derivatives(worker, rows, psi, weights_, true);
      });
    if (value > ceiling) {
      gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
      return value;
    }
    second_pullback(first_pullback());
    rows_.finish(gradient);
    finish_gradient(parameters(), value, gradient);
    return value;
  }

  std::unique_ptr<Posterior> posterior(ConstVec theta) override {
    LaplacePosteriors both = posteriors(theta);
    return std::move(both.stepped ? both.stepped : both.laplace);
  }

  using Objective::leave_one_out;
  LeaveOneOut leave_one_out(ConstVec theta, const std::vector<Index>& which) override {
    const LaplacePosteriors both = posteriors(theta);
    return rows_.leave_one_out(*both.laplace, both.stepped ? *both.stepped : *both.laplace, which);
  }

  EvaluationPlan plan() const override {
    constexpr double kPasses = 40;  // over the rows, for the mode and what moves it
    EvaluationPlan plan = rows_.plan("laplace bound");
    const double n = as_double(rows_.source().rows()), width = as_double(rows_.width());
    const double outputs = as_double(rows_.outputs());
    plan.flops =
        n * ((3 * outputs + 1) * width * width + kPasses * (6 * width * outputs + 0.5 * rows_.map().flops_per_row())) +
        (outputs + 1 / 3.0) * width * width * width;
    plan.memory_bytes += 8 * width * width;
    return plan;
  }

 private:
  Index width() const { return rows_.width(); }
  Index outputs() const { return rows_.outputs(); }
  auto block(Matrix& blocks, Index k) const { return blocks.middleCols(k * width(), width()); }
  auto block(const Matrix& blocks, Index k) const { return blocks.middleCols(k * width(), width()); }
  /// W_kk of a chunk, after derivatives().
  auto own_curvature(const LaplaceWorker& worker, const RowBlock& rows, Index k) const {
    return worker.curvature.col(pair_place(k, k, outputs())).head(rows.y.size());
  }

  // ---- the mode

  /// Leaves weights_ there; returns -sum log p + |w|^2 / 2.
  double find_mode(ConstVec theta) {
    rows_.prepare(theta);
    factor_most();
    by_blocks_ = false;
    double value = ascend(weights_.size() == 0 ? rows_.start(rows_.constant_sd(theta)) : weights_);
    if (!std::isfinite(value)) value = ascend(rows_.start(rows_.constant_sd(theta)));
    if (std::isfinite(value)) return value;
    weights_.resize(0, 0);
    throw NumericalError("Laplace's approximation", "the mode was not found", value);
  }

  /// Factor of I + Psi^T C Psi / 2, C what each row counts: with Boehning's (1992) bound of any softmax's curvature, so
  /// one factor preconditions all steps to the mode.
  void factor_most() {
    rows_.gram_pass([&](LaplaceWorker& worker, const RowBlock& rows, MatRef psi) {
      MatRef scaled = worker.other.topRows(rows.y.size());
      scaled = (0.5 * rows_.counts(worker, rows)).cwiseSqrt().asDiagonal() * psi;
      syrk_lower(1.0, scaled, Op::transpose, 1.0, block(worker.gram, 0));
    });
    most_ = block(rows_.gram(), 0);
    jitter_ = factor(most_);
  }

  /// Of a matrix that lacks its identity. Returns the jitter.
  double factor(MatRef matrix) const {
    const BlasThreads many(rows_.threads());
    matrix.diagonal().array() += 1.0;
    if (!matrix.diagonal().allFinite()) throw NumericalError("Laplace's approximation", "the curvature is not finite");
    return safe_cholesky(matrix, "Cholesky factor of the curvature");
  }

  /// Newton's method from `at`, each step by conjugate gradients; leaves weights_ at the mode. Returns -sum log p +
  /// |w|^2 / 2 there, or infinity where it fails.
  double ascend(Matrix at) {
    double best = bound_kInfinity, last_decrement = bound_kInfinity;
    int spent = 0;
    Matrix step;
    for (int steps = 0, halvings = 0; steps < bound_kMostSteps && halvings < bound_kMostHalvings;) {
      const double value = gradient_pass(at);
      if (!(value <= best + 1e-11 * (1 + std::abs(best)))) {
        if (!std::isfinite(best)) return bound_kInfinity;
        ++halvings;
        step *= 0.5;
        at = weights_ + step;
        continue;
      }
      best = value;
      weights_ = at;
      const double decrement = gradient_.cwiseProduct(precondition(gradient_)).sum();
      const bool stalled = decrement < bound_kAlmost && decrement > 0.25 * last_decrement;
      if (decrement <= bound_decrement_goal(rows_.source().rows()) || stalled) return best;
      last_decrement = decrement;
      // Until the residual is a share that shrinks with the decrement: steps near the mode are almost exact.
      const double share = std::clamp(0.1 * std::sqrt(decrement), 1e-6, 0.1);
      if (spent > patience()) {
        factor_blocks([&](LaplaceWorker& worker, const RowBlock& rows, MatRef psi) {
          rows_.derivatives(worker, rows, psi, weights_, true);
        });
        spent = 0;
      }
      step = conjugate_gradients(gradient_, share, spent);
      at = weights_ + step;
      ++steps;
    }
    return bound_kInfinity;
  }

  double gradient_pass(const Matrix& weights) {
    rows_.pass([&](LaplaceWorker& worker, const RowBlock& rows, MatRef psi) {
      worker.value += rows_.derivatives(worker, rows, psi, weights, false);
      gemm(1.0, psi, Op::transpose, worker.gradient.topRows(rows.y.size()), Op::none, 1.0, worker.sums);
    });
    gradient_ = rows_.sums() - weights;
    return -rows_.value() + 0.5 * weights.squaredNorm();
  }

  Matrix solve_most(Matrix right) const {
    const BlasThreads many(rows_.threads());
    solve_lower(most_, Op::none, right);
    solve_lower(most_, Op::transpose, right);
    return right;
  }

  /// worker.slopes := W Psi direction, of each row c p (v - p^T v), after derivatives(): their gradient is c (own - p).
  /// worker.f is overwritten by p.
  void curve_rows(LaplaceWorker& worker, const RowBlock& rows, ConstMat psi, const Matrix& direction) const {
    worker.slopes.resize(rows.y.size(), outputs());
    gemm(1.0, psi, Op::none, direction, Op::none, 0.0, worker.slopes);
    for (Index i = 0; i < rows.y.size(); ++i) {
      const double count = worker.counts[i];
      if (!(count > 0)) {
        worker.slopes.row(i).setZero();
        continue;
      }
      auto p = worker.f.row(i);
      p = worker.gradient.row(i) / -count;
      p[static_cast<Index>(rows.y[i])] += 1;
      const double mean = p.dot(worker.slopes.row(i));
      worker.slopes.row(i) = count * p.array() * (worker.slopes.row(i).array() - mean);
    }
  }

  /// (I + Psi^T W Psi) direction, with the exact curvature at weights_.
  Matrix curve(const Matrix& direction) {
    rows_.pass([&](LaplaceWorker& worker, const RowBlock& rows, MatRef psi) {
      rows_.derivatives(worker, rows, psi, weights_, false);
      curve_rows(worker, rows, psi, direction);
      gemm(1.0, psi, Op::transpose, worker.slopes, Op::none, 1.0, worker.sums);
    });
    return rows_.sums() + direction;
  }

  /// Passes over the rows that cost about as much as the factors of all blocks.
  int patience() const { return static_cast<int>(std::max<Index>(16, width() / 16)); }

  /// Boehning's bound is far above the curvature where the model is sure; the blocks at weights not far from the mode
  /// are near it (2000 rows of MNIST: 60 passes and more a step, or 15).
  Matrix precondition(const Matrix& right) const { return by_blocks_ ? solve_blocks(right) : solve_most(right); }

  /// (I + Psi^T W Psi)^-1 right, until the residual, measured by the preconditioner, is a share of what it was; adds
  /// the passes over the rows to `passes`.
  Matrix conjugate_gradients(const Matrix& right, double share, int& passes) {
    Matrix solution = Matrix::Zero(right.rows(), right.cols()), residual = right, direction = precondition(right);
    double size = residual.cwiseProduct(direction).sum();
    const double goal = share * share * size;
    for (int inner = 0; inner < kMostInner && size > goal; ++inner, ++passes) {
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

  /// Leaves the factors of B_k = I + K/(K-1) Psi^T W_kk Psi; returns (K-1)/K sum_k log|B_k| / 2. derive: leaves W of a
  /// chunk in worker.curvature.
  template <class Derive>
  double factor_blocks(const Derive& derive) {
    const double share = as_double(outputs() - 1) / as_double(outputs());
    rows_.gram_pass([&](LaplaceWorker& worker, const RowBlock& rows, MatRef psi) {
      derive(worker, rows, psi);
      MatRef scaled = worker.other.topRows(rows.y.size());
      for (Index k = 0; k < outputs(); ++k) {
        scaled = (own_curvature(worker, rows, k) / share).cwiseMax(0.0).cwiseSqrt().asDiagonal() * psi;
        syrk_lower(1.0, scaled, Op::transpose, 1.0, block(worker.gram, k));
      }
    });
    blocks_.swap(rows_.gram());
    by_blocks_ = true;
    double sum = 0;
    for (Index k = 0; k < outputs(); ++k) {
      jitter_ = std::max(jitter_, factor(block(blocks_, k)));
      sum += log_determinant(block(blocks_, k));
    }
    return 0.5 * share * sum;
  }

  // (I + Psi^T W Psi)^-1 is nearly sum_k (e_k - 1/K) B_k^-1 (e_k - 1/K)^T, and 1 along the classes' sum.
  Matrix solve_blocks(const Matrix& right) const {
    const BlasThreads many(rows_.threads());
    const Vector along = right.rowwise().mean();
    Matrix solution = right.colwise() - along;
    for (Index k = 0; k < outputs(); ++k) {
      solve_lower_vector(block(blocks_, k), Op::none, solution.col(k));
      solve_lower_vector(block(blocks_, k), Op::transpose, solution.col(k));
    }
    return solution.colwise() + (along - solution.rowwise().mean());
  }

  // ---- the posterior

  LaplacePosteriors posteriors(ConstVec theta) {
    find_mode(theta);
    factor_blocks([&](LaplaceWorker& worker, const RowBlock& rows, MatRef psi) {
      rows_.derivatives(worker, rows, psi, weights_, true);
    });
    const double constant = rows_.constant_sd(theta);
    auto laplace = make_posterior(rows_.shared_map(), theta, OutputsState{weights_, constant, blocks_});
    if (!rows_.steps_on()) return {std::move(laplace), nullptr};
    factor_blocks([&](LaplaceWorker& worker, const RowBlock& rows, MatRef psi) {
      rows_.expect(worker, rows, psi, *laplace, weights_);
      gemm(1.0, psi, Op::transpose, worker.gradient.topRows(rows.y.size()), Op::none, 1.0, worker.sums);
    });
    const Matrix step = solve_blocks(rows_.sums() - weights_);
    auto stepped = make_posterior(rows_.shared_map(), theta, OutputsState{weights_ + 0.5 * step, constant, blocks_});
    return {std::move(laplace), std::move(stepped)};
  }

  // ---- the gradient

  /// Pulls back what log|B_k| and -log p say of psi at a mode that stays; returns (I + Psi^T W Psi)^-1 Psi^T s, (D',
  /// K).
  Matrix first_pullback() {
    Matrix inverses = blocks_;
    {
      const BlasThreads many(rows_.threads());
      for (Index k = 0; k < outputs(); ++k) invert_from_cholesky(block(inverses, k));
    }
    rows_.pass([&](LaplaceWorker& worker, const RowBlock& rows, MatRef psi) {
      const Index count = rows.y.size();
      rows_.derivatives(worker, rows, psi, weights_, true);
      worker.leverages.setZero(count, pair_count(outputs()));
      worker.slopes.resize(count, outputs());
      worker.bar.setZero(count, width());
      MatRef product = worker.other.topRows(count);
      for (Index k = 0; k < outputs(); ++k) {
        gemm(1.0, psi, Op::none, block(inverses, k), Op::none, 0.0, product);
        worker.leverages.col(pair_place(k, k, outputs())) = product.cwiseProduct(psi).rowwise().sum();
        worker.bar += own_curvature(worker, rows, k).asDiagonal() * product;
      }
      rows_.likelihood().curvature_slopes(worker.f.topRows(count), rows.y, worker.counts.head(count), worker.leverages,
                                          worker.slopes);
      gemm(1.0, psi, Op::transpose, worker.slopes, Op::none, 1.0, worker.sums);
      gemm(1.0, worker.slopes - worker.gradient.topRows(count), Op::none, weights_, Op::transpose, 1.0, worker.bar);
      rows_.backward(worker, rows, psi, worker.bar);
    });
    int passes = 0;
    return conjugate_gradients(rows_.sums(), kImplicitShare, passes);
  }

  /// Pulls back what moves the mode: g q^T - (W Psi q) w^T, row by row.
  void second_pullback(const Matrix& implicit) {
    rows_.pass([&](LaplaceWorker& worker, const RowBlock& rows, MatRef psi) {
      rows_.derivatives(worker, rows, psi, weights_, false);
      curve_rows(worker, rows, psi, implicit);
      worker.bar.resize(rows.y.size(), width());
      gemm(1.0, worker.gradient.topRows(rows.y.size()), Op::none, implicit, Op::transpose, 0.0, worker.bar);
      gemm(-1.0, worker.slopes, Op::none, weights_, Op::transpose, 1.0, worker.bar);
      rows_.backward(worker, rows, psi, worker.bar);
    });
  }

  LaplaceRows rows_;
  Matrix weights_, gradient_;  // (D', K) at the mode of the last evaluation
  Matrix most_;                // (D', D') factor for the way to the mode
  Matrix blocks_;              // (D', K D') factors of B_k, side by side
  bool by_blocks_ = false;     // which of the two preconditions
  double jitter_ = 0;
};

}  // namespace

std::unique_ptr<Objective> make_bound_laplace(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const ObjectiveOptions& options) {
  return std::make_unique<BoundLaplace>(std::move(map), std::move(rows), options);
}

}  // namespace alacarte
