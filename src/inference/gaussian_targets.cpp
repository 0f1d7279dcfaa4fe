#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "core/aligned_matrix.hpp"
#include "data/row_pass.hpp"
#include "inference/gaussian_noise.hpp"
#include "linalg/columns.hpp"
#include "linalg/dense.hpp"
#include "model/linear_gaussian.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

/// Sums over rows: those of the first target, and for the others what differs.
struct SharedSums {
  PrimalSums first;
  Matrix target;                     // (D, T - 1) Psi^T Y
  Vector target_sum, target_square;  // (T - 1)

  void reset(Index features, Index more) {
    first.reset(features);
    target.setZero(features, more);
    target_sum.setZero(more);
    target_square.setZero(more);
  }
  SharedSums& operator+=(const SharedSums& other) {
    first += other.first;
    target += other.target;
    target_sum += other.target_sum;
    target_square += other.target_square;
    return *this;
  }
  PrimalSums of(Index t) const {
    PrimalSums sums = first;
    if (t == 0) return sums;
    sums.target = target.col(t - 1);
    sums.target_sum = target_sum[t - 1];
    sums.target_square = target_square[t - 1];
    return sums;
  }
};

struct TargetsState {
  AlignedMatrix psi, psi_bar;
  Matrix targets, residuals;  // (rows, T)
  Vector roots, cotangents, squared_residuals;
  SharedSums sums;
};

// Several targets over the same features. The passes over the rows, which cost the most where rows are many, are those
// of one target: the Gram matrix Psi^T Psi is that of all, and the cotangents of the features add up to
//
//   psi_bar = Psi sum_t B_t^-1 / s_t^2 - sum_t r_t w_t^T / s_t^2,
//
// one product with D x D numbers and one with T columns. Each target has a factor of its own, of B_t by its noise: an
// eigendecomposition would serve all, but takes the time of some ten factors and inverses.
class GaussianTargets final : public Inference {
 public:
  GaussianTargets(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                  const InferenceOptions& options)
      : map_(std::move(map)),
        pass_(rows, map_->feature_count(), options.threads, options.chunk_rows),
        threads_(std::max(1, options.threads)),
        noise_(*rows, options),
        layout_(with_noise(map_->parameters(), noise_.slot(), options)),
        shift_(Vector::Zero(noise_.count())),
        gaussians_(static_cast<std::size_t>(noise_.count()), PrimalGaussian(options.mean)) {
    for (Index t = 0; t < targets() && options.mean == MeanKind::constant; ++t) shift_[t] = noise_.mean(t);
    while (options.memory_bytes > 0 && memory_bytes() > options.memory_bytes && pass_.shrink()) continue;
  }

  const ParameterLayout& parameters() const override { return layout_; }
  double noise_sd(ConstVec theta) const override { return std::sqrt(noise_.variance(0, theta[noise_at()])); }
  double jitter() const override {
    double most = 0;
    for (const PrimalGaussian& gaussian : gaussians_) most = std::max(most, gaussian.jitter());
    return most;
  }

  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override {
    require(gradient.size() == layout_.size(), "gradient does not fit the objective");
    factor(theta);
    double bound = 0;
    for (const PrimalGaussian& gaussian : gaussians_) bound += gaussian.value_bound();
    if (bound > ceiling) {
      gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
      return bound;
    }
    invert();
    second_pass();
    const Vector squares = pass_.sum(&TargetsState::squared_residuals);
    gradient.setZero();
    prepared_->finish(pass_.sum(&TargetsState::cotangents), gradient.head(noise_at()));
    double value = 0;
    for (Index t = 0; t < targets(); ++t) {
      gradient[noise_at() + t] = of(t).noise_bar(squares[t]) * noise_.slope(t, theta[noise_at() + t]);
      value += of(t).value(squares[t]);
    }
    finish_gradient(layout_, value, gradient);
    return value;
  }

  Solution solve(ConstVec theta, const LeftOutRows& left_out) override {
    if (factored_at_.size() != theta.size() || factored_at_ != theta) factor(theta);
    std::vector<Solution> all(gaussians_.size());
    if (left_out.any) leave_out(left_out.rows, all);
    for (Index t = 0; t < targets(); ++t) {
      FeatureState state;
      state.scalars = {of(t).offset() + shift_[t], of(t).noise_variance(), of(t).constant_variance()};
      state.weights = of(t).weights();
      state.centre = of(t).centre();
      state.factor = of(t).factor_matrix();
      all[static_cast<std::size_t>(t)].posterior = make_posterior(map_, theta, std::move(state));
    }
    Solution solution = std::move(all.front());
    for (std::size_t t = 1; t < all.size(); ++t) solution.more.push_back(std::move(all[t]));
    return solution;
  }

  EvaluationPlan plan() const override {
    const double n = as_double(pass_.rows().rows()), count = as_double(map_->feature_count());
    const double all = as_double(targets());
    EvaluationPlan plan = plan_of(pass_.rows(), map_->feature_count(), layout_.trainable_count(), "primal");
    plan.flops = n * (3 * count * count + 6 * all * count + map_->flops_per_row()) + all * count * count * count;
    plan.memory_bytes = memory_bytes();
    plan.model_bytes = 8 * (all * (count * (count + 1) / 2 + 2 * count) + as_double(layout_.size()));
    return plan;
  }

 private:
  Index targets() const { return noise_.count(); }
  Index noise_at() const { return layout_.size() - targets(); }
  PrimalGaussian& of(Index t) { return gaussians_[static_cast<std::size_t>(t)]; }

  double memory_bytes() const {
    const double count = as_double(map_->feature_count()), team = as_double(pass_.workers());
    const double chunk = as_double(pass_.chunk_rows());
    return 8 * ((team + 2 * as_double(targets()) + 2) * count * count + 2 * team * chunk * count) +
           pass_.scratch_bytes() + map_->work_bytes(static_cast<int>(pass_.workers()));
  }

  /// Targets of a block, less their shifts: (rows, T).
  MatRef targets_of(TargetsState& state, const RowBlock& block, Index first) const {
    MatRef y = state.targets.topRows(block.y.size());
    y.col(0) = block.y;
    y.rightCols(targets() - 1) = pass_.rows().more_targets().middleRows(first, block.y.size());
    y.rowwise() -= shift_.transpose();
    return y;
  }

  /// Pass one: the sums over rows, and the factor of each B.
  void factor(ConstVec theta) {
    check_theta(layout_, theta);
    factored_at_.resize(0);
    inverted_ = false;
    prepared_ = map_->prepare(theta.head(noise_at()));
    pass_.reset([&](TargetsState& state) {
      state.psi.resize(pass_.chunk_rows(), map_->feature_count());
      state.psi_bar.resize(pass_.chunk_rows(), map_->feature_count());
      state.targets.resize(pass_.chunk_rows(), targets());
      state.residuals.resize(pass_.chunk_rows(), targets());
      state.sums.reset(map_->feature_count(), targets() - 1);
    });
    pass_.run([&](TargetsState& state, const RowBlock& block, Index first) {
      MatRef psi = state.psi.topRows(block.y.size());
      prepared_->forward(block.x, psi);
      add(state, block, psi, targets_of(state, block, first));
    });
    const BlasThreads many(threads_);
    const SharedSums& sums = pass_.accumulate(&TargetsState::sums);
    for (Index t = 0; t < targets(); ++t) {
      PrimalSums own = sums.of(t);
      of(t).factor(own, noise_.variance(t, theta[noise_at() + t]), false);
    }
    factored_at_ = theta;
  }

  /// Adds a block, of which rows with weights are multiplied by their roots.
  void add(TargetsState& state, const RowBlock& block, MatRef psi, MatRef y) const {
    SharedSums& sums = state.sums;
    const bool weighted = block.weights.size() > 0;
    if (weighted) {
      state.roots = block.weights.cwiseSqrt();
      sums.first.add(psi, y.col(0), state.roots);
      y.rightCols(y.cols() - 1).array().colwise() *= state.roots.array();
    } else {
      sums.first.add(psi, y.col(0));
    }
    const auto more = y.rightCols(y.cols() - 1);
    gemm(1.0, psi, Op::transpose, more, Op::none, 1.0, sums.target);
    sums.target_sum += weighted ? Vector(more.transpose() * state.roots) : Vector(more.colwise().sum().transpose());
    sums.target_square += more.colwise().squaredNorm().transpose();
  }

  void invert() {
    if (inverted_) return;
    const BlasThreads many(threads_);
    const Index count = map_->feature_count();
    explicit_ = true;
    slopes_.resize(count, targets());
    for (Index t = 0; t < targets(); ++t) {
      of(t).invert();
      explicit_ = explicit_ && of(t).explicit_inverse();
      slopes_.col(t) = of(t).weights() / of(t).noise_variance();
    }
    inverse_.setZero(count, count);
    centre_.setZero(count);
    for (Index t = 0; t < targets() && explicit_; ++t) {
      inverse_ += of(t).scaled_inverse();
      centre_ += of(t).scaled_centre();
    }
    inverted_ = true;
  }

  void second_pass() {
    pass_.reset([&](TargetsState& state) {
      state.cotangents.setZero(prepared_->accumulator_size());
      state.squared_residuals.setZero(targets());
    });
    pass_.run([&](TargetsState& state, const RowBlock& block, Index first) {
      const Index rows = block.y.size();
      MatRef psi = state.psi.topRows(rows), psi_bar = state.psi_bar.topRows(rows);
      MatRef residuals = state.residuals.topRows(rows);
      prepared_->forward(block.x, psi);
      const MatRef y = targets_of(state, block, first);
      for (Index t = 0; t < targets(); ++t) {
        const double squares = of(t).residual(psi, y.col(t), residuals.col(t));
        state.squared_residuals[t] +=
            block.weights.size() == 0 ? squares : (block.weights.array() * residuals.col(t).array().square()).sum();
      }
      cotangent(psi, residuals, psi_bar);
      if (block.weights.size() > 0) psi_bar.array().colwise() *= block.weights.array();
      prepared_->backward(block.x, psi, psi_bar, state.cotangents);
    });
  }

  void cotangent(ConstMat psi, ConstMat residuals, MatRef psi_bar) {
    if (explicit_) {
      gemm(1.0, psi, Op::none, inverse_, Op::none, 0.0, psi_bar);
      psi_bar.rowwise() -= centre_.transpose();
      gemm(-1.0, residuals, Op::none, slopes_, Op::transpose, 1.0, psi_bar);
      return;
    }
    Matrix own(psi.rows(), psi.cols());
    psi_bar.setZero();
    for (Index t = 0; t < targets(); ++t) {
      of(t).cotangent(psi, residuals.col(t), own);
      psi_bar += own;
    }
  }

  void leave_out(const std::vector<Index>& which, std::vector<Solution>& all) {
    invert();
    const Index count = which.empty() ? pass_.rows().rows() : static_cast<Index>(which.size());
    Matrix y(count, targets()), projected(count, targets()), precision(count, targets());
    pass_.run([&](TargetsState& state, const RowBlock& block, Index first) {
      const std::vector<Index> places = places_in_block(which, first, block.y.size());
      const Index rows = static_cast<Index>(places.size());
      if (rows == 0) return;
      const Index at = which.empty() ? first : std::lower_bound(which.begin(), which.end(), first) - which.begin();
      MatRef psi = state.psi.topRows(rows), work = state.psi_bar.topRows(rows);
      forward_places(*prepared_, block, places, psi);
      const Matrix shifted = targets_of(state, block, first)(places, Eigen::all);
      const Vector weights = block.weights.size() > 0 ? Vector(block.weights(places)) : Vector();
      y.middleRows(at, rows) = shifted.rowwise() + shift_.transpose();
      for (Index t = 0; t < targets(); ++t) {
        VecRef residual = projected.col(t).segment(at, rows);
        of(t).residual(psi, shifted.col(t), residual);
        of(t).precision_diagonal(psi, weights, work, precision.col(t).segment(at, rows));
        if (weights.size() > 0) residual.array() *= weights.array();
      }
    });
    for (Index t = 0; t < targets(); ++t)
      all[static_cast<std::size_t>(t)].leave_one_out =
          leave_one_out_from(y.col(t), projected.col(t) / of(t).noise_variance(), precision.col(t));
  }

  std::shared_ptr<const FeatureMap> map_;
  RowPass<TargetsState> pass_;
  int threads_;
  NoiseTerms noise_;
  ParameterLayout layout_;
  Vector shift_;                           // (T) taken off before sums, which would lose digits to it
  std::vector<PrimalGaussian> gaussians_;  // of each target
  std::unique_ptr<PreparedMap> prepared_;  // of the last factor
  Vector factored_at_;                     // theta of that factor; empty = none
  bool inverted_ = false, explicit_ = true;
  Matrix inverse_, slopes_;  // (D, D) the sum of B_t^-1 / s_t^2; (D, T) w_t / s_t^2
  Vector centre_;            // (D) that sum times the centre
};

}  // namespace

std::unique_ptr<Inference> make_gaussian_targets(std::shared_ptr<const FeatureMap> map,
                                                 std::shared_ptr<const RowSource> rows,
                                                 const InferenceOptions& options) {
  return std::make_unique<GaussianTargets>(std::move(map), std::move(rows), options);
}

}  // namespace alacarte
