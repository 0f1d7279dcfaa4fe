// Laplace's approximation with the whole curvature: one output, or softmax of few classes.
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/dense.hpp"
#include "model/posteriors.hpp"
#include "train/laplace_rows.hpp"

namespace alacarte {
namespace {

constexpr double kNoCeiling = std::numeric_limits<double>::infinity();

// Newton's decrement squared, g^T B^-1 g, at which the mode is found: its square is what the evidence still errs by in
// the part that is stationary, its root what log|B| and the gradient do.
double decrement_goal(Index rows) { return 1e-24 * (1 + as_double(rows)); }
constexpr double kAlmost = 1e-8;  // below, no further progress means rounding
constexpr int kMostSteps = 100, kMostHalvings = 60;

class JointLaplace final : public Objective {
 public:
  JointLaplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
               const ObjectiveOptions& options)
      : rows_(std::move(map), std::move(rows), options, CurvatureShape::joint) {}

  const ParameterLayout& parameters() const override { return rows_.parameters(); }
  double jitter() const override { return jitter_; }
  double noise_sd(ConstVec) const override { return 0; }

  double evaluate(ConstVec theta, VecRef gradient) override { return evaluate_below(kNoCeiling, theta, gradient); }

  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override {
    require(gradient.size() == parameters().size(), "gradient does not fit the objective");
    rows_.prepare(theta);
    const double value = find_mode(theta);
    if (value > ceiling) {
      gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
      return value;
    }
    invert();
    const Matrix implicit = first_pullback();
    second_pullback(implicit);
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
    constexpr double kNewtonPasses = 5;  // from a mode nearby
    EvaluationPlan plan = rows_.plan("laplace");
    const double n = as_double(rows_.source().rows()), pairs = as_double(pair_count(rows_.outputs()));
    const double width = as_double(rows_.width()), joint = width * as_double(rows_.outputs());
    plan.flops = n * ((kNewtonPasses + 4) * pairs * width * width + (kNewtonPasses + 2) * rows_.map().flops_per_row()) +
                 (kNewtonPasses / 3 + 1) * joint * joint * joint;
    return plan;
  }

 private:
  Index width() const { return rows_.width(); }
  Index outputs() const { return rows_.outputs(); }

  // With the constant first in B = L L^T, L = [l 0; k L2]: f = s w_0 + psi^T w has the variance
  // (s/l)^2 + |L2^-1 (psi - k s/l)|^2, which is how a feature posterior keeps a constant.
  FeatureState single_state(double constant, const Matrix& weights, const Matrix& factor) const {
    FeatureState state;
    state.scalars = {0, 0, 0};
    const Index first = constant > 0 ? 1 : 0, features = width() - first;
    state.weights = weights.col(0).tail(features);
    state.centre = Vector::Zero(features);
    state.factor = factor.bottomRightCorner(features, features);
    if (constant == 0) return state;
    const double ratio = constant / factor(0, 0);
    state.scalars = {constant * weights(0, 0), 0, ratio * ratio};
    state.centre = ratio * factor.col(0).tail(features);
    return state;
  }

  std::unique_ptr<Posterior> posterior_of(ConstVec theta, const Matrix& weights, const Matrix& factor) const {
    const double constant = rows_.constant_sd(theta);
    if (outputs() == 1) return make_posterior(rows_.shared_map(), theta, single_state(constant, weights, factor));
    return make_posterior(rows_.shared_map(), theta, OutputsState{weights, constant, factor});
  }

  // ---- the mode

  /// Leaves weights_ there, and the factor of B there. Returns the negative log evidence.
  double find_mode(ConstVec theta) {
    const Matrix fresh = rows_.start(rows_.constant_sd(theta));
    bool from_fresh = weights_.size() == 0;
    Matrix at = from_fresh ? fresh : weights_, step;
    double best = kNoCeiling, last_decrement = kNoCeiling;
    for (int steps = 0, halvings = 0; steps < kMostSteps && halvings < kMostHalvings;) {
      const double value = curvature_pass(at);
      if (!(value <= best + 1e-11 * (1 + std::abs(best)))) {
        ++halvings;
        if (std::isfinite(best)) {
          step *= 0.5;
          at = weights_ + step;
        } else if (!from_fresh) {
          at = fresh;
          from_fresh = true;
        } else {
          break;
        }
        continue;
      }
      best = value;
      weights_ = at;
      const double decrement = newton_step(step);
      const bool stalled = decrement < kAlmost && decrement > 0.25 * last_decrement;
      if (decrement <= decrement_goal(rows_.source().rows()) || stalled) return best + 0.5 * log_determinant(factor_);
      last_decrement = decrement;
      at = weights_ + step;
      ++steps;
    }
    weights_.resize(0, 0);
    throw NumericalError("Laplace's approximation", "the mode was not found", last_decrement);
  }

  /// Sums of gradient and curvature at `weights`; returns -sum log p + |w|^2 / 2.
  double curvature_pass(const Matrix& weights) {
    rows_.gram_pass([&](LaplaceWorker& worker, const RowBlock& block, MatRef psi) {
      const Index rows = block.y.size();
      worker.value += rows_.derivatives(worker, block, psi, weights, true);
      gemm(1.0, psi, Op::transpose, worker.gradient.topRows(rows), Op::none, 1.0, worker.sums);
      add_gram(worker, psi, rows);
    });
    gradient_ = rows_.sums() - weights;
    return -rows_.value() + 0.5 * weights.squaredNorm();
  }

  void add_gram(LaplaceWorker& worker, MatRef psi, Index rows) const {
    MatRef scaled = worker.other.topRows(rows);
    for (Index b = 0; b < outputs(); ++b)
      for (Index a = b; a < outputs(); ++a) {
        const auto own = worker.curvature.col(pair_place(a, b, outputs())).head(rows);
        MatRef block = worker.gram.block(a * width(), b * width(), width(), width());
        if (a == b) {
          scaled = own.cwiseMax(0.0).cwiseSqrt().asDiagonal() * psi;
          syrk_lower(1.0, scaled, Op::transpose, 1.0, block);
        } else {
          scaled = own.asDiagonal() * psi;
          gemm(1.0, psi, Op::transpose, scaled, Op::none, 1.0, block);
        }
      }
  }

  /// Factors B and takes step = B^-1 g; returns g^T B^-1 g.
  double newton_step(Matrix& step) {
    const BlasThreads many(rows_.threads());
    factor_.swap(rows_.gram());
    factor_.diagonal().array() += 1.0;
    if (!factor_.diagonal().allFinite()) throw NumericalError("Laplace's approximation", "the curvature is not finite");
    jitter_ = safe_cholesky(factor_, "Cholesky factor of the curvature");
    step = gradient_;
    Eigen::Map<Matrix> all(step.data(), step.size(), 1);
    solve_lower(factor_, Op::none, all);
    const double decrement = all.squaredNorm();
    solve_lower(factor_, Op::transpose, all);
    return decrement;
  }

  // ---- the posterior

  LaplacePosteriors posteriors(ConstVec theta) {
    rows_.prepare(theta);
    find_mode(theta);
    auto laplace = posterior_of(theta, weights_, factor_);
    if (!rows_.steps_on()) return {std::move(laplace), nullptr};
    rows_.gram_pass([&](LaplaceWorker& worker, const RowBlock& block, MatRef psi) {
      rows_.expect(worker, block, psi, *laplace, weights_);
      gemm(1.0, psi, Op::transpose, worker.gradient.topRows(block.y.size()), Op::none, 1.0, worker.sums);
      add_gram(worker, psi, block.y.size());
    });
    gradient_ = rows_.sums() - weights_;
    Matrix step;
    newton_step(step);
    return {std::move(laplace), posterior_of(theta, weights_ + 0.5 * step, factor_)};
  }

  // ---- the gradient

  /// Off the diagonal, blocks of B^-1 plus their transposes: what both leverages and cotangents meet.
  void invert() {
    const BlasThreads many(rows_.threads());
    inverse_ = factor_;
    invert_from_cholesky(inverse_);
    for (Index b = 0; b < outputs(); ++b)
      for (Index a = b + 1; a < outputs(); ++a) {
        auto block = inverse_.block(a * width(), b * width(), width(), width());
        block += block.transpose().eval();
      }
  }

  /// Pulls back what log|B| and -log p say of psi at a mode that stays; returns B^-1 Psi^T s, (D', K).
  Matrix first_pullback() {
    rows_.pass([&](LaplaceWorker& worker, const RowBlock& block, MatRef psi) {
      const Index rows = block.y.size();
      rows_.derivatives(worker, block, psi, weights_, true);
      worker.leverages.resize(rows, pair_count(outputs()));
      worker.slopes.resize(rows, outputs());
      worker.bar.setZero(rows, width());
      MatRef product = worker.other.topRows(rows);
      for (Index b = 0; b < outputs(); ++b)
        for (Index a = b; a < outputs(); ++a) {
          const Index pair = pair_place(a, b, outputs());
          gemm(1.0, psi, Op::none, inverse_.block(a * width(), b * width(), width(), width()), Op::none, 0.0, product);
          worker.leverages.col(pair) = (a == b ? 1.0 : 0.5) * product.cwiseProduct(psi).rowwise().sum();
          worker.bar += worker.curvature.col(pair).head(rows).asDiagonal() * product;
        }
      rows_.likelihood().curvature_slopes(worker.f.topRows(rows), block.y, worker.counts.head(rows), worker.leverages,
                                          worker.slopes);
      gemm(1.0, psi, Op::transpose, worker.slopes, Op::none, 1.0, worker.sums);
      gemm(1.0, worker.slopes - worker.gradient.topRows(rows), Op::none, weights_, Op::transpose, 1.0, worker.bar);
      rows_.backward(worker, block, psi, worker.bar);
    });
    Matrix implicit = rows_.sums();
    Eigen::Map<Matrix> all(implicit.data(), implicit.size(), 1);
    solve_lower(factor_, Op::none, all);
    solve_lower(factor_, Op::transpose, all);
    return implicit;
  }

  /// Pulls back what moves the mode: g q^T - (W Psi q) w^T, row by row.
  void second_pullback(const Matrix& implicit) {
    rows_.pass([&](LaplaceWorker& worker, const RowBlock& block, MatRef psi) {
      const Index rows = block.y.size();
      rows_.derivatives(worker, block, psi, weights_, true);
      Matrix moved(rows, outputs()), curved = Matrix::Zero(rows, outputs());
      gemm(1.0, psi, Op::none, implicit, Op::none, 0.0, moved);
      for (Index b = 0; b < outputs(); ++b)
        for (Index a = b; a < outputs(); ++a) {
          const auto own = worker.curvature.col(pair_place(a, b, outputs())).head(rows);
          curved.col(a) += own.cwiseProduct(moved.col(b));
          if (a != b) curved.col(b) += own.cwiseProduct(moved.col(a));
        }
      worker.bar.resize(rows, width());
      gemm(1.0, worker.gradient.topRows(rows), Op::none, implicit, Op::transpose, 0.0, worker.bar);
      gemm(-1.0, curved, Op::none, weights_, Op::transpose, 1.0, worker.bar);
      rows_.backward(worker, block, psi, worker.bar);
    });
  }

  LaplaceRows rows_;
  Matrix weights_, gradient_;  // (D', K) at the mode of the last evaluation
  Matrix factor_, inverse_;
  double jitter_ = 0;
};

}  // namespace

std::unique_ptr<Objective> make_laplace_objective(std::shared_ptr<const FeatureMap> map,
                                                  std::shared_ptr<const RowSource> rows,
                                                  const ObjectiveOptions& options) {
  const Index outputs = options.likelihood->outputs(options.classes);
  const Index joint = outputs * (map->feature_count() + (options.mean == MeanKind::constant ? 1 : 0));
  const bool may_bound = outputs > 1 && options.form != EvidenceForm::primal;
  if (may_bound && joint > options.most_joint_features)
    return make_bound_laplace(std::move(map), std::move(rows), options);
  auto whole = std::make_unique<JointLaplace>(map, rows, options);
  if (may_bound && options.memory_bytes > 0 && whole->plan().memory_bytes > options.memory_bytes)
    return make_bound_laplace(std::move(map), std::move(rows), options);
  return whole;
}

}  // namespace alacarte
