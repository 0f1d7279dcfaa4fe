// Laplace's approximation with the whole curvature: one output, or softmax of few classes.
#include <LBFGSpp/BFGSMat.h>
#include <cmath>
#include <limits>
#include <utility>

#include "inference/laplace.hpp"
#include "inference/wolfe_search.hpp"
#include "linalg/dense.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

// Limits of the search for the mode in whitened weights: pairs that L-BFGS keeps, line searches, and line searches in a
// row that may bring nothing near the goal, where rounding moves the gradient more than a step does.
constexpr int kPairs = 20, kMaxSearches = 300, kIdleSteps = 5;

constexpr double kJointPasses = 5;  // passes from a mode nearby

class JointLaplace final : public Laplace {
 public:
  JointLaplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
               const InferenceOptions& options)
      : Laplace(std::move(map), std::move(rows), options, CurvatureShape::joint, {1e-24, 1e-8}) {}

  EvaluationPlan plan() const override {
    EvaluationPlan plan = rows_.plan(EvaluationForm::laplace);
    plan.flops = joint_laplace_flops(as_double(rows_.source().rows()), as_double(rows_.width()),
                                     as_double(rows_.outputs()), rows_.map().flops_per_row());
    return plan;
  }

 private:
  // Because the constant is first in B = L L^T, L = [l 0; k L2], f = s w_0 + psi^T w has the variance
  // (s/l)^2 + |L2^-1 (psi - k s/l)|^2, which is how a feature posterior keeps a constant.
  FeatureState single_state(double constant, const Matrix& weights, const Matrix& factor) const {
    FeatureState state;
    const double noise = rows_.likelihood().noise_variance();
    state.scalars = {0, noise, 0};
    const Index first = constant > 0 ? 1 : 0, features = width() - first;
    state.weights = weights.col(0).tail(features);
    state.centre = Vector::Zero(features);
    state.factor = factor.bottomRightCorner(features, features);
    if (constant == 0) return state;
    const double ratio = constant / factor(0, 0);
    state.scalars = {constant * weights(0, 0), noise, ratio * ratio};
    state.centre = ratio * factor.col(0).tail(features);
    return state;
  }

  // ---- the mode

  void begin_search() override { keeps_factor_ = false; }

  /// Sums gradient and curvature, too.
  double value_at(const Matrix& weights) override {
    const auto add_rows = [&](LaplaceState& state, const RowBlock& block, MatRef psi) {
      const Index rows = block.y.size();
      state.value += rows_.derivatives(state, block, psi, weights, true);
      gemm(1.0, psi, Op::transpose, state.gradient.topRows(rows), Op::none, 1.0, state.sums);
      if (!keeps_factor_) add_gram(state, psi, rows);
    };
    if (keeps_factor_)
      rows_.pass(add_rows);
    else
      rows_.gram_pass(add_rows);
    gradient_ = rows_.sums() - weights;
    return -rows_.value() + 0.5 * weights.squaredNorm();
  }

  void add_gram(LaplaceState& state, MatRef psi, Index rows) const {
    MatRef scaled = state.scratch.topRows(rows);
    for (Index b = 0; b < outputs(); ++b)
      for (Index a = b; a < outputs(); ++a) {
        const auto own = state.curvature.col(packed_index(a, b, outputs())).head(rows);
        MatRef block = state.gram.block(a * width(), b * width(), width(), width());
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
  double decrement(Matrix& step) override {
    const BlasThreads many(rows_.threads());
    if (!keeps_factor_) {
      factor_.swap(rows_.gram());
      jitter_ = 0;
      factor_curvature(factor_);
      keeps_factor_ = rows_.likelihood().has_constant_curvature();
    }
    step = gradient_;
    Eigen::Map<Matrix> all(step.data(), step.size(), 1);
    solve_lower(factor_, Op::none, all);
    const double decrement = all.squaredNorm();
    solve_lower(factor_, Op::transpose, all);
    take_from_first(step);
    return of_first(decrement);
  }
  void newton_step(double, Matrix&) override {}

  /// Climbs by L-BFGS in u = L^T w where the likelihood's expected curvature is the same at every f (Student-t) and is
  /// factored once. The observed curvature differs from it by up to 2.5 times and may be negative, so steps by the
  /// expected one need not settle.
  double ascend(Matrix weights) override {
    if (!rows_.likelihood().has_constant_curvature()) return Laplace::ascend(std::move(weights));
    double value = value_at(weights);
    if (!std::isfinite(value)) return value;
    Matrix step;
    decrement(step);
    weights_ = std::move(weights);
    // Where the noise is small, each residual of other weights may be an outlier's, which the search does not leave.
    const Matrix squares = least_squares();
    if (of_first(value_only(squares)) < value) {
      weights_ = squares;
      value = value_at(weights_);
    }
    return descend_whitened(value) ? value : std::numeric_limits<double>::infinity();
  }

  /// Returns the weights that normal noise of the expected curvature would have.
  Matrix least_squares() {
    rows_.pass([&](LaplaceState& state, const RowBlock& block, MatRef psi) {
      const Index rows = block.y.size();
      rows_.derivatives(state, block, psi, weights_, true);
      const Vector pull = state.curvature.col(0).head(rows).cwiseProduct(block.y - state.f.col(0).head(rows));
      gemm(1.0, psi, Op::transpose, pull, Op::none, 1.0, state.sums);
    });
    Matrix step = rows_.sums() - weights_;
    solve_lower(factor_, Op::none, step);
    solve_lower(factor_, Op::transpose, step);
    take_from_first(step);
    return weights_ + step;
  }

  /// The negative log posterior as a function of u, for WolfeSearch.
  struct Whitened {
    JointLaplace& laplace;

    double operator()(const Vector& u, Vector& gradient) {
      Matrix weights = u;
      solve_lower(laplace.factor_, Op::transpose, weights);
      const double value = laplace.of_first(laplace.value_at(weights));
      gradient = laplace.whitened_gradient();
      return std::isfinite(value) && gradient.allFinite() ? value : std::numeric_limits<double>::infinity();
    }
    double first_step(const Vector&) const { return 1; }
    void set_ceiling(double) const {}
    void accepted(const Vector&, double, const Vector&) const {}
  };

  Vector whitened_gradient() const {
    Matrix gradient = -gradient_;
    solve_lower(factor_, Op::none, gradient);
    take_from_first(gradient);
    return gradient.col(0);
  }

  /// Goes from weights_ and the gradient there to the mode; returns false where it is not reached.
  bool descend_whitened(double& value) {
    const double goal = tolerance_.decrement_per_row * (1 + as_double(rows_.source().rows()));
    Whitened function{*this};
    Vector u = factor_.triangularView<Eigen::Lower>().transpose() * weights_.col(0), gradient = whitened_gradient();
    take_from_first(u);
    LBFGSpp::BFGSMat<double> memory;
    const auto forget = [&] { memory.reset(static_cast<int>(u.size()), kPairs); };
    forget();
    double least = std::numeric_limits<double>::infinity();
    for (int steps = 0, idle = 0, fresh = 0; steps < kMaxSearches && idle < kIdleSteps; ++steps) {
      const double now = gradient.squaredNorm();
      idle = now < tolerance_.stall && now > 0.25 * least ? idle + 1 : 0;
      least = std::min(least, now);
      if (now <= goal) break;
      Vector direction;
      memory.apply_Hv(gradient, -1.0, direction);
      const Vector previous = u, previous_gradient = gradient;
      const double previous_value = value;
      try {
        WolfeSearch::search(function, value, u, gradient, direction, previous);
      } catch (const SearchFailed&) {
        // Near the mode values differ by rounding only, so the gradient decides: whole steps, while it falls.
        if (now < tolerance_.stall) {
          u = previous + direction;
          value = function(u, gradient);
        }
        if (!(now < tolerance_.stall && gradient.squaredNorm() < now)) {
          u = previous;
          gradient = previous_gradient;
          value = previous_value;
          if (fresh == steps) break;  // the direction of the gradient fails, too
          forget();
          fresh = steps + 1;
          continue;
        }
      }
      const Vector move = u - previous, change = gradient - previous_gradient;
      if (move.dot(change) > 1e-10 * move.norm() * change.norm()) memory.add_correction(move, change);
    }
    weights_ = u;
    solve_lower(factor_, Op::transpose, weights_);
    take_from_first(weights_);
    return gradient.squaredNorm() < tolerance_.stall;
  }

  double add_log_determinant(double value, double) override { return value + 0.5 * log_determinant(factor_); }

  // ---- the posterior

  std::unique_ptr<Posterior> posterior_around(ConstVec theta, const Matrix& weights) const override {
    const double constant = rows_.constant_sd(theta);
    if (outputs() == 1) return make_posterior(rows_.shared_map(), theta, single_state(constant, weights, factor_));
    return make_posterior(rows_.shared_map(), theta, OutputsState{weights, constant, factor_});
  }

  Matrix variational_step(const Posterior& laplace) override {
    rows_.gram_pass([&](LaplaceState& state, const RowBlock& block, MatRef psi) {
      rows_.expect(state, block, psi, laplace, weights_);
      gemm(1.0, psi, Op::transpose, state.gradient.topRows(block.y.size()), Op::none, 1.0, state.sums);
      add_gram(state, psi, block.y.size());
    });
    gradient_ = rows_.sums() - weights_;
    Matrix step;
    decrement(step);
    return step;
  }

  // ---- the gradient

  /// Computes B^-1; blocks off the diagonal get their transposes added, as leverages and cotangents need the sums.
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

  Matrix pull_back_at_mode() override {
    invert();
    rows_.pass([&](LaplaceState& state, const RowBlock& block, MatRef psi) {
      const Index rows = block.y.size();
      rows_.derivatives(state, block, psi, weights_, true);
      state.leverages.resize(rows, pair_count(outputs()));
      state.slopes.resize(rows, outputs());
      state.bar.setZero(rows, width());
      MatRef product = state.scratch.topRows(rows);
      for (Index b = 0; b < outputs(); ++b)
        for (Index a = b; a < outputs(); ++a) {
          const Index pair = packed_index(a, b, outputs());
          gemm(1.0, psi, Op::none, inverse_.block(a * width(), b * width(), width(), width()), Op::none, 0.0, product);
          state.leverages.col(pair) = (a == b ? 1.0 : 0.5) * product.cwiseProduct(psi).rowwise().sum();
          state.bar += state.curvature.col(pair).head(rows).asDiagonal() * product;
        }
      rows_.likelihood().curvature_slopes(state.f.topRows(rows), block.y, state.row_weights.head(rows), state.leverages,
                                          state.slopes);
      rows_.backward_parameters(state, block, state.leverages, Matrix());
      gemm(1.0, psi, Op::transpose, state.slopes, Op::none, 1.0, state.sums);
      gemm(1.0, state.slopes - state.gradient.topRows(rows), Op::none, weights_, Op::transpose, 1.0, state.bar);
      rows_.backward(state, block, psi, state.bar);
    });
    Matrix implicit = rows_.sums();
    Eigen::Map<Matrix> all(implicit.data(), implicit.size(), 1);
    solve_lower(factor_, Op::none, all);
    solve_lower(factor_, Op::transpose, all);
    return implicit;
  }

  void pull_back_mode(const Matrix& implicit) override {
    rows_.pass([&](LaplaceState& state, const RowBlock& block, MatRef psi) {
      const Index rows = block.y.size();
      rows_.derivatives(state, block, psi, weights_, true);
      Matrix moved(rows, outputs()), curved = Matrix::Zero(rows, outputs());
      gemm(1.0, psi, Op::none, implicit, Op::none, 0.0, moved);
      for (Index b = 0; b < outputs(); ++b)
        for (Index a = b; a < outputs(); ++a) {
          const auto own = state.curvature.col(packed_index(a, b, outputs())).head(rows);
          curved.col(a) += own.cwiseProduct(moved.col(b));
          if (a != b) curved.col(b) += own.cwiseProduct(moved.col(a));
        }
      rows_.backward_parameters(state, block, Matrix(), moved);
      state.bar.resize(rows, width());
      gemm(1.0, state.gradient.topRows(rows), Op::none, implicit, Op::transpose, 0.0, state.bar);
      gemm(-1.0, curved, Op::none, weights_, Op::transpose, 1.0, state.bar);
      rows_.backward(state, block, psi, state.bar);
    });
  }

  Matrix factor_, inverse_;
  bool keeps_factor_ = false;  // the curvature is the same at every f
};

}  // namespace

double joint_laplace_flops(double rows, double width, double outputs, double map_flops_per_row) {
  const double joint = width * outputs, pairs = outputs * (outputs + 1) / 2;
  return rows * ((kJointPasses + 4) * pairs * width * width + (kJointPasses + 2) * map_flops_per_row) +
         (kJointPasses / 3 + 1) * joint * joint * joint;
}

std::unique_ptr<Inference> make_joint_laplace(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const InferenceOptions& options) {
  return std::make_unique<JointLaplace>(std::move(map), std::move(rows), options);
}

}  // namespace alacarte
