// Laplace's approximation of softmax for many features times classes: Boehning's bound in place of the curvature.
#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/dense.hpp"
#include "model/posteriors.hpp"
#include "train/laplace_rows.hpp"

namespace alacarte {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMostSteps = 100, kMostHalvings = 60, kMostInner = 60;

// The evidence errs by the decrement squared alone, since the bound does not move with the mode; the gradient by its
// root.
double decrement_goal(Index rows) { return 1e-18 * (1 + as_double(rows)); }
constexpr double kAlmost = 1e-10;

class BoundLaplace final : public Objective {
 public:
  BoundLaplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
               const ObjectiveOptions& options)
      : rows_(map, std::move(rows), options, map->feature_count() + (options.mean == MeanKind::constant ? 1 : 0)) {}

  const ParameterLayout& parameters() const override { return rows_.parameters(); }
  double jitter() const override { return jitter_; }
  double noise_sd(ConstVec) const override { return 0; }

  double evaluate(ConstVec theta, VecRef gradient) override { return evaluate_below(kInfinity, theta, gradient); }

  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override {
    require(gradient.size() == parameters().size(), "gradient does not fit the objective");
    const double value = find_mode(theta);
    if (value > ceiling) {
      gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
      return value;
    }
    pull_back();
    rows_.finish(gradient);
    finish_gradient(parameters(), value, gradient);
    return value;
  }

  std::unique_ptr<Posterior> posterior(ConstVec theta) override {
    find_mode(theta);
    return make_posterior(rows_.shared_map(), theta, OutputsState{weights_, rows_.constant_sd(theta), factor_});
  }

  using Objective::leave_one_out;
  LeaveOneOut leave_one_out(ConstVec, const std::vector<Index>&) override { return {}; }

  EvaluationPlan plan() const override {
    constexpr double kPasses = 30;  // over the rows, for the mode
    EvaluationPlan plan = rows_.plan("laplace bound");
    const double n = as_double(rows_.source().rows()), width = as_double(rows_.width());
    plan.flops = n * (3 * width * width +
                      kPasses * (6 * width * as_double(rows_.outputs()) + 0.5 * rows_.map().flops_per_row())) +
                 width * width * width;
    return plan;
  }

 private:
  double shares() const { return as_double(rows_.outputs() - 1); }

  /// As that of the whole curvature.
  double find_mode(ConstVec theta) {
    rows_.prepare(theta);
    factor_bound();
    double value = ascend(weights_.size() == 0 ? rows_.start(rows_.constant_sd(theta)) : weights_);
    if (!std::isfinite(value)) value = ascend(rows_.start(rows_.constant_sd(theta)));
    if (!std::isfinite(value)) {
      weights_.resize(0, 0);
      throw NumericalError("Laplace's approximation", "the mode was not found", value);
    }
    return value + 0.5 * shares() * log_determinant(factor_);
  }

  /// Factor of I + Psi^T C Psi / 2, C what each row counts.
  void factor_bound() {
    rows_.pass([&](LaplaceWorker& worker, const RowBlock& block, MatRef psi) {
      MatRef scaled = worker.other.topRows(block.y.size());
      scaled = (0.5 * rows_.counts(worker, block)).cwiseSqrt().asDiagonal() * psi;
      syrk_lower(1.0, scaled, Op::transpose, 1.0, worker.gram);
    });
    const BlasThreads many(rows_.threads());
    factor_.swap(rows_.gram());
    factor_.diagonal().array() += 1.0;
    if (!factor_.diagonal().allFinite()) throw NumericalError("Laplace's approximation", "the features are not finite");
    jitter_ = safe_cholesky(factor_, "Cholesky factor of the bound");
  }

  /// Newton's method from `at`, each step by conjugate gradients with the bound's factor; leaves weights_ at the mode.
  /// Returns -sum log p + |w|^2 / 2 there, or infinity where it fails.
  double ascend(Matrix at) {
    double best = kInfinity, last_decrement = kInfinity;
    Matrix step;
    for (int steps = 0, halvings = 0; steps < kMostSteps && halvings < kMostHalvings;) {
      const double value = gradient_pass(at);
      if (!(value <= best + 1e-11 * (1 + std::abs(best)))) {
        if (!std::isfinite(best)) return kInfinity;
        ++halvings;
        step *= 0.5;
        at = weights_ + step;
        continue;
      }
      best = value;
      weights_ = at;
      const Matrix preconditioned = solve(gradient_);
      const double decrement = gradient_.cwiseProduct(preconditioned).sum();
      const bool stalled = decrement < kAlmost && decrement > 0.25 * last_decrement;
      if (decrement <= decrement_goal(rows_.source().rows()) || stalled) return best;
      last_decrement = decrement;
      step = newton_step(preconditioned, decrement);
      at = weights_ + step;
      ++steps;
    }
    return kInfinity;
  }

  double gradient_pass(const Matrix& weights) {
    rows_.pass([&](LaplaceWorker& worker, const RowBlock& block, MatRef psi) {
      worker.value += rows_.derivatives(worker, block, psi, weights, false);
      gemm(1.0, psi, Op::transpose, worker.gradient.topRows(block.y.size()), Op::none, 1.0, worker.sums);
    });
    gradient_ = rows_.sums() - weights;
    return -rows_.value() + 0.5 * weights.squaredNorm();
  }

  Matrix solve(Matrix right) const {
    const BlasThreads many(rows_.threads());
    solve_lower(factor_, Op::none, right);
    solve_lower(factor_, Op::transpose, right);
    return right;
  }

  /// (I + Psi^T W Psi) direction, W the exact curvature at weights_: of row i, W v = c p (v - p^T v).
  Matrix curve(const Matrix& direction) {
    rows_.pass([&](LaplaceWorker& worker, const RowBlock& block, MatRef psi) {
      const Index rows = block.y.size();
      rows_.derivatives(worker, block, psi, weights_, false);
      worker.slopes.resize(rows, rows_.outputs());
      gemm(1.0, psi, Op::none, direction, Op::none, 0.0, worker.slopes);
      // The gradient is c (own - p).
      for (Index i = 0; i < rows; ++i) {
        const double count = worker.counts[i];
        if (!(count > 0)) {
          worker.slopes.row(i).setZero();
          continue;
        }
        auto p = worker.gradient.row(i);
        p /= -count;
        p[static_cast<Index>(block.y[i])] += 1;
        const double mean = p.dot(worker.slopes.row(i));
        worker.slopes.row(i) = count * p.array() * (worker.slopes.row(i).array() - mean);
      }
      gemm(1.0, psi, Op::transpose, worker.slopes, Op::none, 1.0, worker.sums);
    });
    return rows_.sums() + direction;
  }

  /// Conjugate gradients from 0 until the residual is a share of the first that shrinks with the decrement, so that
  /// steps near the mode are almost exact.
  Matrix newton_step(const Matrix& preconditioned, double decrement) {
    const double share = std::clamp(0.1 * std::sqrt(decrement), 1e-6, 0.1);
    Matrix step = Matrix::Zero(gradient_.rows(), gradient_.cols()), residual = gradient_, direction = preconditioned;
    double size = decrement;
    for (int inner = 0; inner < kMostInner; ++inner) {
      const Matrix curved = curve(direction);
      const double along = size / direction.cwiseProduct(curved).sum();
      step += along * direction;
      residual -= along * curved;
      const Matrix next = solve(residual);
      const double next_size = residual.cwiseProduct(next).sum();
      if (!(next_size > share * share * decrement)) break;
      direction = next + (next_size / size) * direction;
      size = next_size;
    }
    return step;
  }

  /// Psi_bar = -g w^T + (K - 1)/2 C Psi B^-1.
  void pull_back() {
    Matrix inverse = factor_;
    {
      const BlasThreads many(rows_.threads());
      invert_from_cholesky(inverse);
    }
    rows_.pass([&](LaplaceWorker& worker, const RowBlock& block, MatRef psi) {
      const Index rows = block.y.size();
      rows_.derivatives(worker, block, psi, weights_, false);
      MatRef bar = worker.other.topRows(rows);
      gemm(0.5 * shares(), psi, Op::none, inverse, Op::none, 0.0, bar);
      bar.array().colwise() *= worker.counts.head(rows).array();
      gemm(-1.0, worker.gradient.topRows(rows), Op::none, weights_, Op::transpose, 1.0, bar);
      rows_.backward(worker, block, psi, bar);
    });
  }

  LaplaceRows rows_;
  Matrix weights_, gradient_;  // (D', K) at the mode of the last evaluation
  Matrix factor_;
  double jitter_ = 0;
};

}  // namespace

std::unique_ptr<Objective> make_bound_laplace(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const ObjectiveOptions& options) {
  return std::make_unique<BoundLaplace>(std::move(map), std::move(rows), options);
}

}  // namespace alacarte
