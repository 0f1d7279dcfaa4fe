#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "core/large_matrix.hpp"
#include "data/row_pass.hpp"
#include "inference/evaluation.hpp"
#include "inference/gaussian_noise.hpp"
#include "inference/primal_targets.hpp"
#include "model/linear_gaussian.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

/// Work space and sums of one worker.
struct PrimalState {
  AlignedMatrix psi, psi_bar;
  Matrix targets, residuals;  // (rows, T)
  Vector roots, cotangents, squared_residuals;
  TargetSums sums;
  PrimalGaussian::SingleWork single;
};

// Two passes over chunks of rows, which recompute the features. Keeping them between the passes was slower wherever
// they are cheap to make (measured at 80 and 192 features), since they come back from memory, and no faster at 1536.
// Several targets share the features, and so both passes.
class GaussianPrimal final : public Inference {
 public:
  GaussianPrimal(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                 const InferenceOptions& options)
      : map_(std::move(map)),
        pass_(rows, map_->feature_count(), options.threads, options.chunk_rows),
        threads_(std::max(1, options.threads)),
        noise_(*rows, options),
        layout_(with_noise(map_->parameters(), noise_.slot(), options)),
        shift_(Vector::Zero(targets())),
        gaussians_(options.mean, targets()),
        wanted_(targets() == 1 ? options.precision : Precision::float64),
        precision_(wanted_) {
    for (Index t = 0; t < targets() && options.mean == MeanKind::constant; ++t) shift_[t] = noise_.mean(t);
    while (options.memory_bytes > 0 && memory_bytes() > options.memory_bytes && pass_.shrink()) continue;
  }

  const ParameterLayout& parameters() const override { return layout_; }
  double jitter() const override { return gaussians_.max_jitter(); }
  double noise_sd(ConstVec theta) const override { return std::sqrt(noise_.variance(0, theta[noise_at()])); }

  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override {
    require(gradient.size() == layout_.size(), "gradient does not fit the objective");
    factor(theta);
    if (const double bound = gaussians_.value_bound(); bound > ceiling) {
      gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
      return bound;
    }
    invert();
    const bool single = precision_ == Precision::mixed && gaussians_.has_single();
    if (single) gaussians_.make_single_inverse();
    second_pass(single);
    if (single && !single_is_enough()) {
      precision_ = Precision::float64;
      second_pass(false);
    }
    ++evaluations_;
    const Vector squares = pass_.sum(&PrimalState::squared_residuals);
    gradient.setZero();
    prepared_->finish(pass_.sum(&PrimalState::cotangents), gradient.head(noise_at()));
    for (Index t = 0; t < targets(); ++t)
      gradient[noise_at() + t] = gaussians_.of(t).noise_bar(squares[t]) * noise_.slope(theta[noise_at() + t]);
    const double value = gaussians_.value(squares);
    finish_gradient(layout_, value, gradient);
    return value;
  }

  double value(ConstVec theta) override {
    factor(theta);
    pass_.reset([&](PrimalState& state) { state.squared_residuals.setZero(targets()); });
    pass_.run([&](PrimalState& state, const RowBlock& block, Index first) {
      forward(state, block, first, state.squared_residuals);
    });
    pass_.share(&PrimalState::squared_residuals);
    return gaussians_.value(pass_.sum(&PrimalState::squared_residuals));
  }

  // Returns, for mixed precision, the number of evaluations, which schedules its checks, and 1 unless it was given up.
  Vector warm_start() const override {
    if (wanted_ != Precision::mixed) return {};
    return Vector{{as_double(evaluations_), precision_ == Precision::mixed ? 1.0 : 0.0}};
  }
  void set_warm_start(ConstVec state) override {
    evaluations_ = state.size() == 2 ? static_cast<Index>(state[0]) : 0;
    precision_ = state.size() == 2 && state[1] == 0 ? Precision::float64 : wanted_;
  }

  Solution solve(ConstVec theta, const LeftOutRows& left_out) override {
    if (factored_at_.size() != theta.size() || factored_at_ != theta) factor(theta);
    std::vector<Solution> all(static_cast<std::size_t>(targets()));
    for (Index t = 0; t < targets(); ++t) {
      const PrimalGaussian& gaussian = gaussians_.of(t);
      FeatureState state;
      state.scalars = {gaussian.offset() + shift_[t], gaussian.noise_variance(), gaussian.constant_variance()};
      state.weights = gaussian.weights();
      state.centre = gaussian.centre();
      state.factor = gaussian.factor_matrix();
      all[static_cast<std::size_t>(t)].posterior = make_posterior(map_, theta, std::move(state));
    }
    if (left_out.any) leave_out(left_out.rows, all);
    return with_further_targets(std::move(all));
  }

  PrecisionBlock precision_block(ConstVec theta, const std::vector<Index>& rows, Index target) override {
    require(factored_at_.size() == theta.size() && factored_at_ == theta,
            "precision_block: after solve() at this theta");
    invert();
    const BlasThreads many(threads_);
    const PrimalGaussian& gaussian = gaussians_.of(target);
    const auto own = gather_rows(pass_.rows(), rows);
    PrecisionBlock block;
    block.y = target == 0 ? own->y() : Vector(own->more_targets().col(target - 1));
    Matrix psi(own->rows(), map_->feature_count()), work(psi.rows(), psi.cols());
    prepared_->forward(own->x(), psi);
    block.projected.resize(own->rows());
    gaussian.residual(psi, block.y.array() - shift_[target], block.projected);
    block.projected /= gaussian.noise_variance();
    if (own->has_weights()) block.projected.array() *= own->weights().array();
    block.precision = gaussian.precision_block(psi, own->weights(), work);
    return block;
  }

  EvaluationPlan plan() const override {
    const double n = as_double(pass_.rows().rows()), count = as_double(map_->feature_count());
    const double all = as_double(targets());
    EvaluationPlan plan =
        plan_of(pass_.rows(), map_->feature_count(), layout_.trainable_count(), EvaluationForm::primal);
    const double vectors = all > 1 ? 6 * all * count : 0;  // negligible beside the matrices of one target
    plan.flops = n * (3 * count * count + vectors + map_->flops_per_row()) + all * count * count * count;
    plan.memory_bytes = memory_bytes();
    plan.model_bytes = 8 * (all * (count * (count + 1) / 2 + 2 * count) + as_double(layout_.size()));
    return plan;
  }

 private:
  Index targets() const { return noise_.count(); }
  Index noise_at() const { return layout_.size() - targets(); }

  double memory_bytes() const {
    const double count = as_double(map_->feature_count()), team = as_double(pass_.workers());
    const double chunk = as_double(pass_.chunk_rows());
    // A factor and an inverse for each target; for several, also the sum of their inverses and a copy of the sums.
    const double squares = 2 * as_double(targets()) + (targets() > 1 ? 2 : 0);
    double bytes = 8 * ((team + squares) * count * count + 2 * team * chunk * count) + pass_.scratch_bytes() +
                   map_->work_bytes(static_cast<int>(pass_.workers()));
    if (precision_ == Precision::mixed) bytes += 4 * count * (count + 2 * team * chunk);
    return bytes;
  }

  // Centres the targets of a chunk: sums of y psi would lose digits if a large mean were subtracted from them.
  MatRef centred_targets(PrimalState& state, const RowBlock& block, Index first) const {
    const Index rows = block.y.size();
    state.targets.col(0).head(rows) = block.y.array() - shift_[0];
    for (Index t = 1; t < targets(); ++t)
      state.targets.col(t).head(rows) = pass_.rows().more_targets().col(t - 1).segment(first, rows).array() - shift_[t];
    return state.targets.topRows(rows);
  }

  /// Pass one: the sums over rows, and the factor of each B.
  void factor(ConstVec theta) {
    check_theta(layout_, theta);
    factored_at_.resize(0);
    prepared_ = map_->prepare(theta.head(noise_at()));
    pass_.reset([&](PrimalState& state) {
      state.psi.resize(pass_.chunk_rows(), map_->feature_count());
      state.psi_bar.resize(pass_.chunk_rows(), map_->feature_count());
      state.targets.resize(pass_.chunk_rows(), targets());
      state.residuals.resize(pass_.chunk_rows(), targets());
      if (pass_.rows().has_weights()) state.roots.resize(pass_.chunk_rows());
      state.sums.reset(map_->feature_count(), targets());
    });
    pass_.run([&](PrimalState& state, const RowBlock& block, Index first) {
      MatRef psi = state.psi.topRows(block.y.size());
      prepared_->forward(block.x, psi);
      if (block.weights.size() == 0) return state.sums.add(psi, centred_targets(state, block, first));
      VecRef roots = state.roots.head(block.y.size());
      roots = block.weights.cwiseSqrt();
      state.sums.add(psi, centred_targets(state, block, first), roots);
    });
    pass_.share(&PrimalState::sums);
    const BlasThreads many(threads_);
    TargetSums& sums = pass_.accumulate(&PrimalState::sums);
    if (pass_.rows().is_distributed()) sums.first.rows = static_cast<Index>(sums.shared_rows);
    Vector noise(targets());
    for (Index t = 0; t < targets(); ++t) noise[t] = noise_.variance(t, theta[noise_at() + t]);
    gaussians_.factor(sums, noise);
    factored_at_ = theta;
  }

  void invert() {
    const BlasThreads many(threads_);
    gaussians_.invert();
  }

  /// Computes features and residuals of a chunk, and adds its squared residuals to `squares` (T).
  void forward(PrimalState& state, const RowBlock& block, Index first, VecRef squares) {
    MatRef psi = state.psi.topRows(block.y.size());
    prepared_->forward(block.x, psi);
    gaussians_.residuals(psi, centred_targets(state, block, first), block.weights,
                         state.residuals.topRows(block.y.size()), squares);
  }

  /// Pulls `sign` times the cotangent of a chunk's features back to `sums`; after forward().
  void pull_back(PrimalState& state, const RowBlock& block, bool single, double sign, VecRef sums) {
    const MatRef psi = state.psi.topRows(block.y.size());
    MatRef psi_bar = state.psi_bar.topRows(block.y.size());
    const MatRef residuals = state.residuals.topRows(block.y.size());
    if (single)
      gaussians_.cotangent_single(psi, residuals, state.single, psi_bar);
    else
      gaussians_.cotangent(psi, residuals, psi_bar);
    if (sign != 1) psi_bar *= sign;
    if (block.weights.size() > 0) psi_bar.array().colwise() *= block.weights.array();
    prepared_->backward(block.x, psi, psi_bar, sums);
  }

  void second_pass(bool single) {
    pass_.reset([&](PrimalState& state) {
      state.cotangents.setZero(prepared_->accumulator_size());
      state.squared_residuals.setZero(targets());
    });
    pass_.run([&](PrimalState& state, const RowBlock& block, Index first) {
      forward(state, block, first, state.squared_residuals);
      pull_back(state, block, single, 1, state.cotangents);
    });
    pass_.share(&PrimalState::cotangents, &PrimalState::squared_residuals);
  }

  // Returns true if single precision suffices. The share of one chunk in theta's cotangent, in floats less in doubles,
  // times the root of the number of chunks, estimates how far rounding moved the whole; it must stay far below the
  // whole itself. Checked every kEvery-th time.
  bool single_is_enough() {
    constexpr Index kEvery = 8;
    constexpr double kTolerance = 1e-4;
    if (evaluations_ % kEvery != 0) return true;
    Vector difference = Vector::Zero(noise_at()), whole = difference;
    if (pass_.rows().own_rows() > 0)
      pass_.first_chunk([&](PrimalState& state, const RowBlock& block) {
        Vector squares = Vector::Zero(targets());
        forward(state, block, pass_.rows().own_first(), squares);
        for (const bool single : {true, false}) {
          Vector sums = Vector::Zero(prepared_->accumulator_size());
          pull_back(state, block, single, single ? 1 : -1, sums);
          prepared_->finish(sums, difference);
        }
      });
    pass_.share(&difference);
    prepared_->finish(pass_.sum(&PrimalState::cotangents), whole);
    return difference.norm() * std::sqrt(as_double(pass_.chunks())) <= kTolerance * whole.norm();
  }

  void leave_out(const std::vector<Index>& which, std::vector<Solution>& all) {
    invert();
    const Index count = which.empty() ? pass_.rows().rows() : static_cast<Index>(which.size());
    Matrix y = Matrix::Zero(count, targets()), projected = y, precision = y;
    pass_.run([&](PrimalState& state, const RowBlock& block, Index first) {
      const std::vector<Index> places = places_in_block(which, first, block.y.size());
      const Index rows = static_cast<Index>(places.size());
      if (rows == 0) return;
      const Index at = which.empty() ? first : std::lower_bound(which.begin(), which.end(), first) - which.begin();
      MatRef psi = state.psi.topRows(rows), work = state.psi_bar.topRows(rows);
      forward_places(*prepared_, block, places, psi);
      const Vector weights = block.weights.size() > 0 ? Vector(block.weights(places)) : Vector();
      for (Index t = 0; t < targets(); ++t) {
        auto own = y.col(t).segment(at, rows);
        if (t == 0)
          own = block.y(places);
        else
          own = pass_.rows().more_targets().col(t - 1).segment(first, block.y.size())(places);
        VecRef centred = state.targets.col(t).head(rows), residual = projected.col(t).segment(at, rows);
        centred = own.array() - shift_[t];
        gaussians_.of(t).residual(psi, centred, residual);
        gaussians_.of(t).precision_diagonal(psi, weights, work, precision.col(t).segment(at, rows));
        if (weights.size() > 0) residual.array() *= weights.array();
      }
    });
    pass_.share(&y, &projected, &precision);
    for (Index t = 0; t < targets(); ++t)
      all[static_cast<std::size_t>(t)].leave_one_out =
          leave_one_out_from(y.col(t), projected.col(t) / gaussians_.of(t).noise_variance(), precision.col(t));
  }

  std::shared_ptr<const FeatureMap> map_;
  RowPass<PrimalState> pass_;
  int threads_;
  NoiseTerms noise_;
  ParameterLayout layout_;
  Vector shift_;  // (T) means of the targets, which are centred before they are summed
  PrimalTargets gaussians_;
  Precision wanted_, precision_;
  Index evaluations_ = 0;
  std::unique_ptr<PreparedMap> prepared_;  // at the theta of the last factor
  Vector factored_at_;                     // theta of that factor; empty = none
};

}  // namespace

std::unique_ptr<Inference> make_gaussian_primal(std::shared_ptr<const FeatureMap> map,
                                                std::shared_ptr<const RowSource> rows,
                                                const InferenceOptions& options) {
  return std::make_unique<GaussianPrimal>(std::move(map), std::move(rows), options);
}

}  // namespace alacarte
