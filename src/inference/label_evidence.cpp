#include "inference/label_evidence.hpp"

#include <cmath>

#include "alacarte/core/threads.hpp"
#include "core/large_matrix.hpp"
#include "data/row_pass.hpp"
#include "inference/evaluation.hpp"
#include "linalg/dense.hpp"

namespace alacarte {
namespace {

/// Indicators of the classes of rows: (own class - share of the class) / unit.
class Indicators {
 public:
  Indicators(const RowSource& rows, Index classes) : shares_(Vector::Zero(classes)) {
    require(classes >= 2, "label evidence: at least two classes");
    for_each_block(rows, [&](const RowBlock& block) {
      for (const double place : block.y) {
        require(place >= 0 && place < as_double(classes), "label evidence: a class out of range");
        ++shares_[static_cast<Index>(place)];
      }
    });
    shares_ /= as_double(rows.rows());
    const double variance = (shares_.array() * (1 - shares_.array())).mean();
    unit_ = variance > 0 ? std::sqrt(variance) : 1;  // all rows have one class: nothing is learned
  }

  Index count() const { return shares_.size(); }
  double contrasts() const { return as_double(count() - 1) / as_double(count()); }  ///< (K-1)/K
  /// Fills indicators (rows, K) of rows with classes y (rows).
  void fill(ConstVec y, MatRef indicators) const {
    indicators.rowwise() = -shares_.transpose() / unit_;
    for (Index i = 0; i < y.size(); ++i) indicators(i, static_cast<Index>(y[i])) += 1 / unit_;
  }

 private:
  Vector shares_;
  double unit_ = 1;
};

// A wide prior that stops flexible spectra from learning the indicators by heart.
constexpr double kNoiseCenter = 0.3, kNoiseSpread = 0.5;

ParameterLayout with_label_noise(const ParameterLayout& layout) {
  ParameterLayout all = layout;
  all.add(
      {.name = "noise.log_sd",
       .prior = {ParameterPrior::Kind::log_inverse_gamma, Vector::Constant(1, std::log(kNoiseCenter)), kNoiseSpread},
       .lower = -6,
       .upper = 2});
  return all;
}

/// Base of both forms: parameters, noise variance and the shape of the value.
class LabelEvidence : public Objective {
 public:
  LabelEvidence(const ParameterLayout& layout, std::shared_ptr<const RowSource> rows, Index classes, int threads)
      : rows_(std::move(rows)),
        indicators_(*rows_, classes),
        layout_(with_label_noise(layout)),
        threads_(std::max(1, threads)) {}

  const ParameterLayout& parameters() const override { return layout_; }
  double jitter() const override { return jitter_; }
  double noise_sd(ConstVec theta) const override { return std::exp(theta[noise_at()]); }

 protected:
  Index noise_at() const { return layout_.size() - 1; }
  double noise_variance(ConstVec theta) const { return std::exp(2 * theta[noise_at()]); }
  /// Returns the value from log_determinant = log|A| and fit = sum_k y_k^T A^-1 y_k.
  double minus_log_density(double log_determinant, double fit) const {
    const double n = as_double(rows_->rows()), classes = as_double(indicators_.count());
    return 0.5 * indicators_.contrasts() *
           (classes * log_determinant + fit + n * classes * std::log(2 * std::numbers::pi));
  }
  /// Returns the gradient by the log noise from trace = tr A^-1 and squares = sum_k |A^-1 y_k|^2.
  double noise_gradient(double variance, double trace, double squares) const {
    return indicators_.contrasts() * variance * (as_double(indicators_.count()) * trace - squares);
  }

  std::shared_ptr<const RowSource> rows_;
  Indicators indicators_;
  ParameterLayout layout_;
  int threads_;
  double jitter_ = 0;
};

/// Work space and sums of one worker.
struct LabelState {
  AlignedMatrix psi, psi_bar;
  Matrix indicators, gram, projections;  ///< (chunk, K), (D, D) lower, (D, K)
  Vector cotangents;
  double fit = 0, squares = 0;
};

// B = Psi^T Psi + s^2 I; W = B^-1 Psi^T Y; R = Y - Psi W: A^-1 Y = R / s^2, A^-1 Psi = Psi B^-1, Psi^T A^-1 Y = W.
class FeatureLabelEvidence final : public LabelEvidence {
 public:
  FeatureLabelEvidence(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows, Index classes,
                       int threads)
      : LabelEvidence(map->parameters(), rows, classes, threads),
        map_(std::move(map)),
        pass_(std::move(rows), map_->feature_count(), threads_) {
    require(map_->input_count() == rows_->inputs(), "label evidence: rows and inputs do not fit");
  }

  double evaluate(ConstVec theta, VecRef gradient) override {
    check_theta(layout_, theta);
    require(gradient.size() == layout_.size(), "gradient does not fit the objective");
    const double n = as_double(rows_->rows()), width = as_double(map_->feature_count());
    const double variance = noise_variance(theta);
    prepared_ = map_->prepare(theta.head(noise_at()));
    Matrix factor = gram_pass();
    Matrix weights = pass_.sum(&LabelState::projections);
    {
      const BlasThreads many(threads_);
      factor.diagonal().array() += variance;
      jitter_ = safe_cholesky(factor, "Cholesky factor of the label evidence");
      solve_lower(factor, Op::none, weights);
      solve_lower(factor, Op::transpose, weights);
    }
    const double log_det = log_determinant(factor) + (n - width) * std::log(variance);
    {
      const BlasThreads many(threads_);
      invert_from_cholesky(factor);
    }
    cotangent_pass(weights, factor, variance);
    gradient.setZero();
    prepared_->finish(pass_.sum(&LabelState::cotangents), gradient.head(noise_at()));
    const double squares = pass_.sum(&LabelState::squares) / (variance * variance);
    gradient[noise_at()] = noise_gradient(variance, (n - width) / variance + factor.trace(), squares);
    const double result = minus_log_density(log_det, pass_.sum(&LabelState::fit) / variance);
    finish_gradient(layout_, result, gradient);
    return result;
  }

  EvaluationPlan plan() const override {
    const double n = as_double(rows_->rows()), width = as_double(map_->feature_count());
    const double team = as_double(pass_.workers()), chunk = as_double(pass_.chunk_rows());
    EvaluationPlan plan = plan_of(*rows_, map_->feature_count(), layout_.trainable_count(), EvaluationForm::labels);
    plan.flops = n * (3 * width * width + map_->flops_per_row()) + width * width * width;
    plan.memory_bytes = 8 * ((team + 2) * width * width + 2 * team * chunk * width) + map_->work_bytes(threads_);
    return plan;
  }

 private:
  MatRef features(LabelState& state, const RowBlock& block) const {
    MatRef psi = state.psi.topRows(block.y.size());
    prepared_->forward(block.x, psi);
    indicators_.fill(block.y, state.indicators.topRows(block.y.size()));
    return psi;
  }

  /// Returns the lower triangle of Psi^T Psi; leaves Psi^T Y in the projections.
  Matrix gram_pass() {
    const Index width = map_->feature_count(), classes = indicators_.count();
    pass_.reset([&](LabelState& state) {
      state.psi.resize(pass_.chunk_rows(), width);
      state.psi_bar.resize(pass_.chunk_rows(), width);
      state.indicators.resize(pass_.chunk_rows(), classes);
      state.gram.setZero(width, width);
      state.projections.setZero(width, classes);
    });
    pass_.run([&](LabelState& state, const RowBlock& block, Index) {
      MatRef psi = features(state, block);
      syrk_lower(1.0, psi, Op::transpose, 1.0, state.gram);
      gemm(1.0, psi, Op::transpose, state.indicators.topRows(block.y.size()), Op::none, 1.0, state.projections);
    });
    return pass_.accumulate(&LabelState::gram);
  }

  /// Pulls psi_bar = (K-1)/K (K psi B^-1 - r W^T / s^2) back; adds the squares of R and its products with Y.
  void cotangent_pass(const Matrix& weights, const Matrix& inverse, double variance) {
    const double contrasts = indicators_.contrasts(), classes = as_double(indicators_.count());
    pass_.reset([&](LabelState& state) {
      state.cotangents.setZero(prepared_->accumulator_size());
      state.fit = state.squares = 0;
    });
    pass_.run([&](LabelState& state, const RowBlock& block, Index) {
      MatRef psi = features(state, block), psi_bar = state.psi_bar.topRows(block.y.size());
      const auto own = state.indicators.topRows(block.y.size());
      Matrix residual = own;
      gemm(-1.0, psi, Op::none, weights, Op::none, 1.0, residual);
      state.fit += residual.cwiseProduct(own).sum();
      state.squares += residual.squaredNorm();
      gemm(contrasts * classes, psi, Op::none, inverse, Op::none, 0.0, psi_bar);
      gemm(-contrasts / variance, residual, Op::none, weights, Op::transpose, 1.0, psi_bar);
      prepared_->backward(block.x, psi, psi_bar, state.cotangents);
    });
  }

  std::shared_ptr<const FeatureMap> map_;
  RowPass<LabelState> pass_;
  std::unique_ptr<PreparedMap> prepared_;
};

class KernelLabelEvidence final : public LabelEvidence {
 public:
  KernelLabelEvidence(std::shared_ptr<const Kernel> kernel, std::shared_ptr<const RowSource> rows, Index classes,
                      int threads)
      : LabelEvidence(kernel->parameters(), std::move(rows), classes, threads), kernel_(std::move(kernel)) {
    require(kernel_->input_count() == rows_->inputs(), "label evidence: rows and inputs do not fit");
    const RowBlock all = rows_->read(0, rows_->rows(), scratch_);
    x_ = all.x.dense();
    labels_.resize(rows_->rows(), classes);
    indicators_.fill(all.y, labels_);
  }

  double evaluate(ConstVec theta, VecRef gradient) override {
    check_theta(layout_, theta);
    require(gradient.size() == layout_.size(), "gradient does not fit the objective");
    const Index n = rows_->rows();
    const double variance = noise_variance(theta);
    gram_.resize(n, n);
    kernel_->gram(theta.head(noise_at()), x_, x_, gram_, threads_);
    inverse_ = gram_;
    const BlasThreads many(threads_);
    inverse_.diagonal().array() += variance;
    jitter_ = safe_cholesky(inverse_, "Cholesky factor of the label evidence");
    Matrix solution = labels_;
    solve_lower(inverse_, Op::none, solution);
    solve_lower(inverse_, Op::transpose, solution);
    const double result = minus_log_density(log_determinant(inverse_), solution.cwiseProduct(labels_).sum());
    invert_from_cholesky(inverse_);
    const double trace = inverse_.trace(), classes = as_double(indicators_.count());
    // K A^-1 - A^-1 Y Y^T A^-1
    const double contrasts = 0.5 * indicators_.contrasts();
    gemm(-contrasts, solution, Op::none, solution, Op::transpose, contrasts * classes, inverse_);
    gradient.setZero();
    kernel_->backward(theta.head(noise_at()), x_, gram_, inverse_, gradient.head(noise_at()), threads_);
    gradient[noise_at()] = noise_gradient(variance, trace, solution.squaredNorm());
    finish_gradient(layout_, result, gradient);
    return result;
  }

  EvaluationPlan plan() const override {
    const double n = as_double(rows_->rows());
    EvaluationPlan plan = plan_of(*rows_, 0, layout_.trainable_count(), EvaluationForm::labels);
    plan.flops = n * n * (n + 6 * as_double(rows_->inputs()));
    plan.memory_bytes = 8 * 2 * n * n;
    return plan;
  }

 private:
  std::shared_ptr<const Kernel> kernel_;
  RowScratch scratch_;
  Matrix x_, labels_, gram_, inverse_;
};

}  // namespace

std::unique_ptr<Objective> make_label_evidence(const Prior& prior, std::shared_ptr<const RowSource> rows, Index classes,
                                               int threads) {
  if (prior.map()) return std::make_unique<FeatureLabelEvidence>(prior.map(), std::move(rows), classes, threads);
  return std::make_unique<KernelLabelEvidence>(prior.kernel(), std::move(rows), classes, threads);
}

}  // namespace alacarte
