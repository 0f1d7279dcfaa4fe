#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "core/aligned_matrix.hpp"
#include "data/row_pass.hpp"
#include "inference/gaussian_noise.hpp"
#include "model/linear_gaussian.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

/// Sums that ranks add in one message: D (D + 1) / 2 + 2 D + 5 numbers.
struct RankedSums : PrimalSums {
  double shared_rows = 0;

  void clear() { reset(features.size()); }
  void add_to(ranks::Sums& sums) {
    shared_rows = as_double(rows);
    sums.add_triangle(gram);
    sums.add(features);
    sums.add(target);
    for (double* value : {&target_sum, &target_square, &shared_rows, &weight, &log_weight}) sums.add(*value);
  }
};

/// Work space and sums of one worker.
struct PrimalState {
  AlignedMatrix psi, psi_bar;
  Vector target, residual, roots, cotangents;
  RankedSums sums;
  double squared_residual = 0;
  PrimalGaussian::SingleWork single;
};

// Two passes over chunks of rows, which recompute the features: to keep them between the passes was slower wherever
// they are cheap to make (measured at 80 and 192 features), as they come back from memory, and no faster at 1536.
class GaussianPrimal final : public Inference {
 public:
  GaussianPrimal(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                 const InferenceOptions& options)
      : map_(std::move(map)),
        pass_(rows, map_->feature_count(), options.threads, options.chunk_rows),
        threads_(std::max(1, options.threads)),
        target_(moments_of_targets(*rows).front()),
        noise_(options.noise, target_),
        layout_(with_noise(map_->parameters(), noise_.slot(), options)),
        shift_(options.mean == MeanKind::constant ? target_.mean : 0.0),
        gaussian_(options.mean),
        wanted_(options.precision),
        precision_(wanted_) {
    while (options.memory_bytes > 0 && memory_bytes() > options.memory_bytes && pass_.shrink()) continue;
  }

  const ParameterLayout& parameters() const override { return layout_; }
  double jitter() const override { return gaussian_.jitter(); }
  double noise_sd(ConstVec theta) const override { return std::sqrt(noise_.variance(theta[noise_at()])); }

  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override {
    require(gradient.size() == layout_.size(), "gradient does not fit the objective");
    factor(theta);
    if (gaussian_.value_bound() > ceiling) {
      gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
      return gaussian_.value_bound();
    }
    invert();
    const bool single = precision_ == Precision::mixed && gaussian_.explicit_inverse();
    if (single) gaussian_.make_single_inverse();
    second_pass(single);
    if (single && !single_is_enough()) {
      precision_ = Precision::float64;
      second_pass(false);
    }
    ++evaluations_;
    const double squared_residual = pass_.sum(&PrimalState::squared_residual);
    gradient.setZero();
    prepared_->finish(pass_.sum(&PrimalState::cotangents), gradient.head(noise_at()));
    gradient[noise_at()] = gaussian_.noise_bar(squared_residual) * noise_.slope(theta[noise_at()]);
    const double value = gaussian_.value(squared_residual);
    finish_gradient(layout_, value, gradient);
    return value;
  }

  double value(ConstVec theta) override {
    factor(theta);
    pass_.reset([](PrimalState& state) { state.squared_residual = 0; });
    pass_.run(
        [&](PrimalState& state, const RowBlock& block, Index) { state.squared_residual += forward(state, block); });
    pass_.share(&PrimalState::squared_residual);
    return gaussian_.value(pass_.sum(&PrimalState::squared_residual));
  }

  // Of mixed precision: how often it was judged, and whether it was given up.
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
    FeatureState state;
    state.scalars = {gaussian_.offset() + shift_, gaussian_.noise_variance(), gaussian_.constant_variance()};
    state.weights = gaussian_.weights();
    state.centre = gaussian_.centre();
    state.factor = gaussian_.factor_matrix();
    Solution solution{make_posterior(map_, theta, std::move(state)), {}};
    if (left_out.any) solution.leave_one_out = leave_out(left_out.rows);
    return solution;
  }

  EvaluationPlan plan() const override {
    const double n = as_double(pass_.rows().rows()), count = as_double(map_->feature_count());
    EvaluationPlan plan = plan_of(pass_.rows(), map_->feature_count(), layout_.trainable_count(), "primal");
    plan.flops = n * (3 * count * count + map_->flops_per_row()) + count * count * count;
    plan.memory_bytes = memory_bytes();
    plan.model_bytes = 8 * (count * (count + 1) / 2 + 2 * count + as_double(layout_.size()));
    return plan;
  }

 private:
  double memory_bytes() const {
    const double count = as_double(map_->feature_count()), team = as_double(pass_.workers());
    const double chunk = as_double(pass_.chunk_rows());
    double bytes = 8 * ((team + 2) * count * count + 2 * team * chunk * count) + pass_.scratch_bytes() +
                   map_->work_bytes(static_cast<int>(pass_.workers()));
    if (precision_ == Precision::mixed) bytes += 4 * count * (count + 2 * team * chunk);
    return bytes;
  }

  Index noise_at() const { return layout_.size() - 1; }

  // Centred first: sums of y psi would lose digits to a large mean, were it taken off afterwards.
  VecRef target(PrimalState& state, const RowBlock& block) const {
    state.target.head(block.y.size()) = block.y.array() - shift_;
    return state.target.head(block.y.size());
  }

  /// Pass one: the sums over rows, and the factor of B.
  void factor(ConstVec theta) {
    check_theta(layout_, theta);
    factored_at_.resize(0);
    inverted_ = false;
    prepared_ = map_->prepare(theta.head(noise_at()));
    pass_.reset([&](PrimalState& state) {
      state.psi.resize(pass_.chunk_rows(), map_->feature_count());
      state.psi_bar.resize(pass_.chunk_rows(), map_->feature_count());
      state.target.resize(pass_.chunk_rows());
      state.residual.resize(pass_.chunk_rows());
      if (pass_.rows().has_weights()) state.roots.resize(pass_.chunk_rows());
      state.sums.reset(map_->feature_count());
    });
    pass_.run([&](PrimalState& state, const RowBlock& block, Index) {
      MatRef psi = state.psi.topRows(block.y.size());
      prepared_->forward(block.x, psi);
      if (block.weights.size() == 0) return state.sums.add(psi, target(state, block));
      VecRef roots = state.roots.head(block.y.size());
      roots = block.weights.cwiseSqrt();
      state.sums.add(psi, target(state, block), roots);
    });
    pass_.share(&PrimalState::sums);
    const BlasThreads many(threads_);
    RankedSums& sums = pass_.accumulate(&PrimalState::sums);
    if (pass_.rows().is_distributed()) sums.rows = static_cast<Index>(sums.shared_rows);
    gaussian_.factor(sums, noise_.variance(theta[noise_at()]), false);
    factored_at_ = theta;
  }

  void invert() {
    if (inverted_) return;
    const BlasThreads many(threads_);
    gaussian_.invert();
    inverted_ = true;
  }

  /// Cotangent of a chunk's features, pulled back to `sums`.
  void pull_back(PrimalState& state, const RowBlock& block, ConstMat psi, bool single, double sign, VecRef sums) {
    MatRef psi_bar = state.psi_bar.topRows(block.y.size());
    const VecRef residual = state.residual.head(block.y.size());
    if (single)
      gaussian_.cotangent_single(psi, residual, state.single, psi_bar);
    else
      gaussian_.cotangent(psi, residual, psi_bar);
    if (sign != 1) psi_bar *= sign;
    if (block.weights.size() > 0) psi_bar.array().colwise() *= block.weights.array();
    prepared_->backward(block.x, psi, psi_bar, sums);
  }

  /// Features and residuals of a chunk; returns its squared residual, by the weights.
  double forward(PrimalState& state, const RowBlock& block) {
    MatRef psi = state.psi.topRows(block.y.size());
    prepared_->forward(block.x, psi);
    VecRef residual = state.residual.head(block.y.size());
    const double squares = gaussian_.residual(psi, target(state, block), residual);
    return block.weights.size() == 0 ? squares : (block.weights.array() * residual.array().square()).sum();
  }

  void second_pass(bool single) {
    pass_.reset([&](PrimalState& state) {
      state.cotangents.setZero(prepared_->accumulator_size());
      state.squared_residual = 0;
    });
    pass_.run([&](PrimalState& state, const RowBlock& block, Index) {
      state.squared_residual += forward(state, block);
      pull_back(state, block, state.psi.topRows(block.y.size()), single, 1, state.cotangents);
    });
    pass_.share(&PrimalState::cotangents, &PrimalState::squared_residual);
  }

  // The share of one chunk in theta's cotangent, in floats less in doubles, times the root of the number of chunks, is
  // what rounding did to the whole; it must stay far below the whole itself. Looked at now and then.
  bool single_is_enough() {
    constexpr Index kEvery = 8;
    constexpr double kTolerance = 1e-4;
    if (evaluations_ % kEvery != 0) return true;
    Vector difference = Vector::Zero(noise_at()), whole = difference;
    if (pass_.rows().own_rows() > 0)
      pass_.first_chunk([&](PrimalState& state, const RowBlock& block) {
        forward(state, block);
        for (const bool single : {true, false}) {
          Vector sums = Vector::Zero(prepared_->accumulator_size());
          pull_back(state, block, state.psi.topRows(block.y.size()), single, single ? 1 : -1, sums);
          prepared_->finish(sums, difference);
        }
      });
    if (pass_.rows().is_distributed()) ranks::sum(difference.data(), static_cast<std::size_t>(difference.size()));
    prepared_->finish(pass_.sum(&PrimalState::cotangents), whole);
    return difference.norm() * std::sqrt(as_double(pass_.chunks())) <= kTolerance * whole.norm();
  }

  // ---- leave-one-out

  LeaveOneOut leave_out(const std::vector<Index>& which) {
    invert();
    const Index count = which.empty() ? pass_.rows().rows() : static_cast<Index>(which.size());
    Vector y = Vector::Zero(count), projected = y, precision = y;
    pass_.run([&](PrimalState& state, const RowBlock& block, Index first) {
      const std::vector<Index> places = places_in_block(which, first, block.y.size());
      const Index rows = static_cast<Index>(places.size());
      if (rows == 0) return;
      const Index at = which.empty() ? first : std::lower_bound(which.begin(), which.end(), first) - which.begin();
      MatRef psi = state.psi.topRows(rows), work = state.psi_bar.topRows(rows);
      forward_places(*prepared_, block, places, psi);
      y.segment(at, rows) = block.y(places);
      state.target.head(rows) = y.segment(at, rows).array() - shift_;
      gaussian_.residual(psi, state.target.head(rows), projected.segment(at, rows));
      const Vector weights = block.weights.size() > 0 ? Vector(block.weights(places)) : Vector();
      gaussian_.precision_diagonal(psi, weights, work, precision.segment(at, rows));
      if (weights.size() > 0) projected.segment(at, rows).array() *= weights.array();
    });
    if (pass_.rows().is_distributed()) {
      ranks::Sums sums;
      for (Vector* each : {&y, &projected, &precision}) sums.add(*each);
      sums.run();
    }
    return leave_one_out_from(y, projected / gaussian_.noise_variance(), precision);
  }

  std::shared_ptr<const FeatureMap> map_;
  RowPass<PrimalState> pass_;
  int threads_;
  TargetMoments target_;
  NoiseTerm noise_;
  ParameterLayout layout_;
  double shift_;
  PrimalGaussian gaussian_;
  Precision wanted_, precision_;
  Index evaluations_ = 0;
  std::unique_ptr<PreparedMap> prepared_;  // of the last factor
  Vector factored_at_;                     // theta of that factor; empty = none
  bool inverted_ = false;
};

}  // namespace

std::unique_ptr<Inference> make_gaussian_primal(std::shared_ptr<const FeatureMap> map,
                                                std::shared_ptr<const RowSource> rows,
                                                const InferenceOptions& options) {
  return std::make_unique<GaussianPrimal>(std::move(map), std::move(rows), options);
}

}  // namespace alacarte
