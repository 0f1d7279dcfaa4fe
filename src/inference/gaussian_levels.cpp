// The primal form with the effects of one column of levels eliminated. With N the weight of a level's rows and psi_g,
// y_g their means, the other features see each row as r (psi - (1 - rho) psi_g), r the root of its weight and rho^2 =
// s2 / (s2 + tau^2 N): as independent rows of noise s2, of which PrimalGaussian knows all that it needs from sums.
// lambda = 1 - rho^2 is the share of a level's mean residual that its effect takes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "core/large_matrix.hpp"
#include "data/row_pass.hpp"
#include "features/levels.hpp"
#include "inference/evaluation.hpp"
#include "inference/gaussian_noise.hpp"
#include "inference/level_sums.hpp"
#include "linalg/dense.hpp"
#include "model/linear_gaussian.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

// Sums by level are kept for each worker, which are fewer rather than above these bytes together.
constexpr double kMaxLevelBytes = 2e9;

/// Work space and sums of one worker.
struct LevelsState {
  AlignedMatrix psi, psi_bar;
  Vector targets, residual, roots, cotangents;
  double squares = 0;
  PrimalSums sums;
  LevelSums levels;
};

class GaussianLevels final : public Inference {
 public:
  GaussianLevels(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                 const InferenceOptions& options)
      : map_(std::move(map)),
        split_(map_->level_split()),
        levels_(*rows, split_.column, split_.levels),
        pass_(rows, features(), workers_for(options.threads), options.chunk_rows),
        threads_(std::max(1, options.threads)),
        noise_(*rows, options),
        layout_(with_noise(map_->parameters(), noise_.slot(), options)),
        mean_(options.mean),
        max_means_(options.max_level_means),
        shift_(options.mean == MeanKind::constant ? noise_.mean(0) : 0),
        gaussian_(options.mean) {
    while (options.memory_bytes > 0 && memory_bytes() > options.memory_bytes && pass_.shrink()) continue;
  }

  const ParameterLayout& parameters() const override { return layout_; }
  double jitter() const override { return gaussian_.jitter(); }
  double noise_sd(ConstVec theta) const override { return std::sqrt(noise_.variance(0, theta[noise_at()])); }

  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override {
    require(gradient.size() == layout_.size(), "gradient does not fit the objective");
    factor(theta);
    if (const double bound = gaussian_.value_bound(); bound > ceiling) {
      gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
      return bound;
    }
    invert();
    const double squares = second_pass(true);
    Vector of_rest = Vector::Zero(noise_at() - 1);
    prepared_->finish(pass_.sum(&LevelsState::cotangents), of_rest);
    gradient.head(split_.parameter) = of_rest.head(split_.parameter);
    gradient.segment(split_.parameter + 1, of_rest.size() - split_.parameter) =
        of_rest.tail(of_rest.size() - split_.parameter);
    const double slope = variance_slope(), s2 = gaussian_.noise_variance();
    gradient[split_.parameter] = tau2_ * slope;
    gradient[noise_at()] = (gaussian_.noise_bar(squares) - 0.5 * tau2_ / s2 * slope) * noise_.slope(theta[noise_at()]);
    const double value = gaussian_.value(squares);
    finish_gradient(layout_, value, gradient);
    return value;
  }

  double value(ConstVec theta) override {
    factor(theta);
    return gaussian_.value(second_pass(false));
  }

  Solution solve(ConstVec theta, const LeftOutRows& left_out) override {
    if (factored_at_.size() != theta.size() || factored_at_ != theta) factor(theta);
    Solution solution;
    solution.posterior = make_posterior(make_features_net_of_levels(map_, means_of_levels()), theta, state());
    if (left_out.any) solution.leave_one_out = leave_out(left_out.rows);
    return solution;
  }

  EvaluationPlan plan() const override {
    const double n = as_double(pass_.rows().rows()), count = as_double(features()), levels = as_double(levels_.count());
    EvaluationPlan plan = plan_of(pass_.rows(), features(), layout_.trainable_count(), EvaluationForm::primal);
    plan.flops = (n + levels) * 3 * count * count + n * split_.rest->flops_per_row() + count * count * count;
    plan.memory_bytes = memory_bytes();
    plan.model_bytes = 8 * (count * (count + 1) / 2 + 2 * count +
                            as_double(split_.levels) * (3 + (keeps_means() ? count : 0)) + as_double(layout_.size()));
    return plan;
  }

 private:
  Index features() const { return split_.rest->feature_count(); }
  Index noise_at() const { return layout_.size() - 1; }
  bool has_constant() const { return mean_ == MeanKind::constant; }

  double level_bytes() const { return 8 * as_double(levels_.count()) * as_double(features() + 1); }
  int workers_for(int threads) const {
    return static_cast<int>(std::clamp(kMaxLevelBytes / level_bytes(), 1.0, std::max(1.0, as_double(threads))));
  }
  double memory_bytes() const {
    const double count = as_double(features()), team = as_double(pass_.workers()),
                 chunk = as_double(pass_.chunk_rows());
    return 8 * ((team + 2) * count * count + 2 * team * chunk * count) + (team + 2) * level_bytes() +
           4 * as_double(pass_.rows().rows()) + pass_.scratch_bytes() + split_.rest->work_bytes(static_cast<int>(team));
  }

  /// Pass one: sums over all rows and over those of each level, and the factor.
  void factor(ConstVec theta) {
    check_theta(layout_, theta);
    factored_at_.resize(0);
    prepared_ = split_.rest->prepare(split_.rest_of(theta.head(noise_at())));
    pass_.reset([&](LevelsState& state) {
      state.psi.resize(pass_.chunk_rows(), features());
      state.psi_bar.resize(pass_.chunk_rows(), features());
      for (Vector* each : {&state.targets, &state.residual, &state.roots}) each->resize(pass_.chunk_rows());
      state.sums.reset(features());
      state.levels.reset(levels_.count(), features());
    });
    pass_.run([&](LevelsState& state, const RowBlock& block, Index first) {
      const Index rows = block.y.size();
      MatRef psi = state.psi.topRows(rows);
      VecRef y = state.targets.head(rows);
      prepared_->forward(block.x, psi);
      y = block.y.array() - shift_;
      state.levels.add(levels_, first, psi, y, block.weights);
      if (block.weights.size() == 0) return state.sums.add(psi, y);
      VecRef roots = state.roots.head(rows);
      roots = block.weights.cwiseSqrt();
      state.sums.add(psi, y, roots);
    });
    const BlasThreads many(threads_);
    const double s2 = noise_.variance(0, theta[noise_at()]);
    tau2_ = std::exp(2 * theta[split_.parameter]);
    PrimalSums& sums = pass_.accumulate(&LevelsState::sums);
    take_means(pass_.accumulate(&LevelsState::levels), s2);
    net_of_levels(sums);
    gaussian_.factor(sums, s2, false);
    level_residuals_.resize(levels_.count());
    gaussian_.residual(level_features_, level_targets_, level_residuals_);
    factored_at_ = theta;
  }

  void take_means(LevelSums& sums, double s2) {
    const Vector inverse = levels_.weights().cwiseInverse();
    level_features_.swap(sums.features);
    level_features_.array().colwise() *= inverse.array();
    level_targets_ = sums.target.cwiseProduct(inverse);
    rho2_ = s2 / (s2 + tau2_ * levels_.weights().array());
    share_ = tau2_ * levels_.weights().array() / (s2 + tau2_ * levels_.weights().array());
  }

  /// Turns the sums over rows into those over rows net of their levels.
  void net_of_levels(PrimalSums& sums) {
    const Vector taken = share_.cwiseProduct(levels_.weights()), left = rho2_.cwiseProduct(levels_.weights());
    level_cotangents_ = taken.cwiseSqrt().asDiagonal() * level_features_;
    syrk_lower(-1.0, level_cotangents_, Op::transpose, 1.0, sums.gram);
    sums.features.noalias() = level_features_.transpose() * left;
    sums.target.noalias() -= level_features_.transpose() * taken.cwiseProduct(level_targets_);
    sums.target_sum = left.dot(level_targets_);
    sums.target_square -= taken.dot(level_targets_.cwiseAbs2());
    sums.weight = left.sum();
    sums.log_weight += rho2_.array().log().sum();
  }

  void invert() {
    const BlasThreads many(threads_);
    gaussian_.invert();
    gaussian_.cotangent(level_features_, level_residuals_, level_cotangents_);
  }

  /// Pass two: returns the squared residuals of the rows net of their levels; with `gradient` also fills the
  /// cotangents.
  double second_pass(bool gradient) {
    const Vector kept = share_.array() / (1 + rho2_.array().sqrt());  // 1 - rho
    pass_.reset([&](LevelsState& state) {
      state.cotangents.setZero(gradient ? prepared_->accumulator_size() : 0);
      state.squares = 0;
    });
    pass_.run([&](LevelsState& state, const RowBlock& block, Index first) {
      const Index rows = block.y.size();
      MatRef psi = state.psi.topRows(rows);
      VecRef y = state.targets.head(rows), residual = state.residual.head(rows);
      prepared_->forward(block.x, psi);
      y = block.y.array() - shift_;
      gaussian_.residual(psi, y, residual);
      for (Index i = 0; i < rows; ++i) {
        const Index level = levels_.of(first + i);
        const double net = residual[i] - kept[level] * level_residuals_[level];
        state.squares += (block.weights.size() > 0 ? block.weights[i] : 1.0) * net * net;
      }
      if (!gradient) return;
      MatRef psi_bar = state.psi_bar.topRows(rows);
      gaussian_.cotangent(psi, residual, psi_bar);
      for (Index j = 0; j < psi_bar.cols(); ++j)
        for (Index i = 0; i < rows; ++i) {
          const Index level = levels_.of(first + i);
          psi_bar(i, j) -= share_[level] * level_cotangents_(level, j);
        }
      if (block.weights.size() > 0) psi_bar.array().colwise() *= block.weights.array();
      prepared_->backward(block.x, psi, psi_bar, state.cotangents);
    });
    return pass_.sum(&LevelsState::squares);
  }

  /// Returns twice the derivative of the negative log evidence by tau^2 at fixed noise: over levels the sum of 1^T P 1
  /// less (1^T P y)^2, with P over the level's rows.
  double variance_slope() {
    const double s2 = gaussian_.noise_variance(), of_constant = gaussian_.constant_variance() / s2;
    // B^-1 (psi_g - centre) / s2 is the cotangent without its residual.
    double slope = 0;
    const Vector& w = gaussian_.weights();
    for (Index g = 0; g < levels_.count(); ++g) {
      const double residual = level_residuals_[g], own = rho2_[g] * levels_.weights()[g] / s2;
      const auto net = level_features_.row(g).transpose() - gaussian_.centre();
      const double quadratic = level_cotangents_.row(g) * net + residual / s2 * w.dot(net);
      slope += own - own * own * s2 * (quadratic + of_constant + residual * residual / s2);
    }
    return slope;
  }

  bool keeps_means() const { return as_double(split_.levels) * as_double(features()) <= max_means_; }

  LevelMeans means_of_levels() const {
    LevelMeans means;
    means.shares = means.effects = Vector::Zero(split_.levels);
    means.variances = Vector::Constant(split_.levels, tau2_);
    if (has_constant()) means.centre = gaussian_.centre();
    if (keeps_means()) means.features = Matrix::Zero(split_.levels, features());
    const double constant = has_constant() ? constant_mean() : 0;
    for (Index g = 0; g < levels_.count(); ++g) {
      const Index code = levels_.code(g);
      if (code < 0) continue;
      means.shares[code] = share_[g];
      means.variances[code] = tau2_ * rho2_[g];
      means.effects[code] = share_[g] * (keeps_means() ? level_targets_[g] - constant : level_residuals_[g]);
      if (keeps_means()) means.features.row(code) = level_features_.row(g);
    }
    return means;
  }

  /// Returns the mean of the constant at the centre of the features.
  double constant_mean() const { return gaussian_.offset() + gaussian_.centre().dot(gaussian_.weights()); }

  FeatureState state() const {
    FeatureState state;
    const Index count = features(), all = count + (has_constant() ? 1 : 0);
    state.scalars = {shift_, gaussian_.noise_variance(), 0};
    state.weights = Vector::Zero(all);
    state.weights.head(count) = gaussian_.weights();
    state.centre = Vector::Zero(all);
    state.factor = Matrix::Zero(all, all);
    state.factor.topLeftCorner(count, count) = gaussian_.factor_matrix().triangularView<Eigen::Lower>();
    if (has_constant()) {
      state.scalars.offset += constant_mean();
      state.factor(count, count) = 1 / std::sqrt(gaussian_.constant_variance());
    }
    return state;
  }

  LeaveOneOut leave_out(const std::vector<Index>& which) {
    {
      const BlasThreads many(threads_);
      gaussian_.invert();
    }
    const Index count = which.empty() ? pass_.rows().rows() : static_cast<Index>(which.size());
    Vector y(count), projected(count), precision(count);
    pass_.run([&](LevelsState& state, const RowBlock& block, Index first) {
      const std::vector<Index> places = places_in_block(which, first, block.y.size());
      const auto rows = static_cast<Index>(places.size());
      if (rows == 0) return;
      const Index at = which.empty() ? first : std::lower_bound(which.begin(), which.end(), first) - which.begin();
      MatRef psi = state.psi.topRows(rows), work = state.psi_bar.topRows(rows);
      VecRef centred = state.targets.head(rows), residual = state.residual.head(rows);
      forward_places(*prepared_, block, places, psi);
      y.segment(at, rows) = block.y(places);
      centred = y.segment(at, rows).array() - shift_;
      gaussian_.residual(psi, centred, residual);
      for (Index i = 0; i < rows; ++i) {
        const Index level = levels_.of(first + places[static_cast<std::size_t>(i)]);
        psi.row(i) -= share_[level] * level_features_.row(level) + rho2_[level] * gaussian_.centre().transpose();
      }
      gaussian_.apply_inverse(psi, work);
      for (Index i = 0; i < rows; ++i) {
        const Index place = places[static_cast<std::size_t>(i)], level = levels_.of(first + place);
        const double weight = block.weights.size() > 0 ? block.weights[place] : 1.0, s2 = gaussian_.noise_variance();
        const double leverage = share_[level] / levels_.weights()[level] +
                                std::pow(rho2_[level], 2) * gaussian_.constant_variance() / s2 +
                                work.row(i).dot(psi.row(i));
        precision[at + i] = weight / s2 * std::max(1 - weight * leverage, std::numeric_limits<double>::epsilon());
        projected[at + i] = weight / s2 * (residual[i] - share_[level] * level_residuals_[level]);
      }
    });
    return leave_one_out_from(y, projected, precision);
  }

  std::shared_ptr<const FeatureMap> map_;
  LevelSplit split_;
  RowLevels levels_;
  RowPass<LevelsState> pass_;
  int threads_;
  NoiseTerms noise_;
  ParameterLayout layout_;
  MeanKind mean_;
  double max_means_;
  double shift_;  // mean of the target, which is centred before it is summed
  PrimalGaussian gaussian_;
  double tau2_ = 1;
  Matrix level_features_, level_cotangents_;  // (levels, M) means of features; cotangents at them
  Vector level_targets_, level_residuals_;    // (levels) means
  Vector rho2_, share_;                       // (levels) rho^2, lambda
  std::unique_ptr<PreparedMap> prepared_;     // the rest at the theta of the last factor
  Vector factored_at_;                        // theta of that factor; empty = none
};

}  // namespace

bool eliminates_levels(const FeatureMap& map, const RowSource& rows) {
  return !rows.is_distributed() && rows.more_targets().size() == 0 && map.level_split().rest != nullptr;
}

std::unique_ptr<Inference> make_gaussian_levels(std::shared_ptr<const FeatureMap> map,
                                                std::shared_ptr<const RowSource> rows,
                                                const InferenceOptions& options) {
  return std::make_unique<GaussianLevels>(std::move(map), std::move(rows), options);
}

}  // namespace alacarte
