#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/model/linear_gaussian.hpp"
#include "core/workers.hpp"
#include "model/posteriors.hpp"
#include "train/objective_parts.hpp"

namespace alacarte {
namespace {

// Two passes over chunks of rows. A worker takes every T-th chunk and sums into its own accumulators, which are merged
// in order: the same bits on every run with the same number of threads. Work space lives as long as the objective.
class PrimalObjective final : public Objective {
 public:
  PrimalObjective(std::shared_ptr<const FeatureMap> map, const Matrix& x, const Vector& y,
                  const ObjectiveOptions& options)
      : map_(std::move(map)),
        x_(x),
        y_(y),
        threads_(std::max(1, options.threads)),
        noise_(options.noise, y),
        layout_(with_noise(map_->parameters(), noise_)),
        shift_(options.mean == MeanKind::constant ? y.mean() : 0.0),
        gaussian_(options.mean) {
    chunk_rows_ = choose_chunk(options.chunk_rows);
    chunks_ = (x_.rows() + chunk_rows_ - 1) / chunk_rows_;
    workers_.resize(static_cast<std::size_t>(std::min<Index>(threads_, chunks_)));
  }

  const ParameterLayout& parameters() const override { return layout_; }
  double jitter() const override { return gaussian_.jitter(); }
  double noise_sd(ConstVec theta) const override { return std::sqrt(noise_.variance(theta[noise_at()])); }

  double evaluate(ConstVec theta, VecRef gradient) override {
    require(gradient.size() == layout_.size(), "gradient does not fit the objective");
    const auto prepared = first_pass(theta, true);
    second_pass(*prepared);
    double squared_residual = 0;
    for (const Worker& worker : workers_) squared_residual += worker.squared_residual;
    Vector& sums = workers_.front().cotangents;
    for (std::size_t w = 1; w < workers_.size(); ++w) sums += workers_[w].cotangents;
    gradient.setZero();
    prepared->finish(sums, gradient.head(noise_at()));
    gradient[noise_at()] = gaussian_.noise_bar(squared_residual) * noise_.slope(theta[noise_at()]);
    const double value = gaussian_.value(squared_residual);
    finish_gradient(layout_, value, gradient);
    return value;
  }

  std::unique_ptr<Posterior> posterior(ConstVec theta) override {
    first_pass(theta, false);
    FeatureState state;
    state.scalars = {gaussian_.offset() + shift_, gaussian_.noise_variance(), gaussian_.constant_variance()};
    state.weights = gaussian_.weights();
    state.centre = gaussian_.centre();
    state.factor = gaussian_.factor_matrix();
    return make_posterior(map_, theta, std::move(state));
  }

  LeaveOneOut leave_one_out(ConstVec theta) override {
    const auto prepared = first_pass(theta, true);
    Vector projected(x_.rows()), precision(x_.rows());
    for_chunks([&](Worker& worker, Index first, Index rows) {
      MatRef psi = worker.psi.topRows(rows), work = worker.psi_bar.topRows(rows);
      prepared->forward(x_.middleRows(first, rows), psi);
      gaussian_.residual(psi, target(worker, first, rows), projected.segment(first, rows));
      gaussian_.precision_diagonal(psi, work, precision.segment(first, rows));
    });
    return leave_one_out_from(y_, projected / gaussian_.noise_variance(), precision);
  }

  EvaluationPlan plan() const override {
    const double n = as_double(x_.rows()), count = as_double(map_->feature_count());
    const double team = static_cast<double>(workers_.size());
    EvaluationPlan plan;
    plan.rows = x_.rows();
    plan.inputs = x_.cols();
    plan.features = map_->feature_count();
    plan.parameters = layout_.trainable_count();
    plan.form = "primal";
    plan.flops = n * (3 * count * count + map_->flops_per_row()) + count * count * count;
    plan.memory_bytes = 8 * ((team + 2) * count * count + 2 * team * as_double(chunk_rows_) * count);
    plan.model_bytes = 8 * (count * (count + 1) / 2 + 2 * count + as_double(layout_.size()));
    return plan;
  }

 private:
  struct Worker {
    Matrix psi, psi_bar;
    Vector target, residual, cotangents;
    PrimalSums sums;
    double squared_residual = 0;
  };

  // Large enough for the BLAS to run at speed, small enough that a chunk of few features stays in the second-level
  // cache between its forward and its products; and every thread gets one.
  Index choose_chunk(Index wanted) const {
    if (wanted > 0) return std::min(wanted, x_.rows());
    constexpr Index kCacheDoubles = 24576;
    const Index rows = std::clamp<Index>(kCacheDoubles / std::max<Index>(1, map_->feature_count()), 256, 2048);
    return std::clamp<Index>((x_.rows() + threads_ - 1) / threads_, 1, rows);
  }

  Index noise_at() const { return layout_.size() - 1; }

  // body(worker, first row, rows) for every chunk; single-threaded BLAS inside.
  template <class Body>
  void for_chunks(const Body& body) {
    const BlasThreads single(1);
    const Index step = static_cast<Index>(workers_.size());
    run_workers(static_cast<int>(step), [&](int w) {
      Worker& worker = workers_[static_cast<std::size_t>(w)];
      for (Index chunk = w; chunk < chunks_; chunk += step) {
        const Index first = chunk * chunk_rows_;
        body(worker, first, std::min(chunk_rows_, x_.rows() - first));
      }
    });
  }

  // Centred first: sums of y psi would lose digits to a large mean, were it taken off afterwards.
  VecRef target(Worker& worker, Index first, Index rows) const {
    worker.target.head(rows) = y_.segment(first, rows).array() - shift_;
    return worker.target.head(rows);
  }

  std::unique_ptr<PreparedMap> first_pass(ConstVec theta, bool with_inverse) {
    check_theta(layout_, theta);
    auto prepared = map_->prepare(theta.head(noise_at()));
    for (Worker& worker : workers_) {
      worker.psi.resize(chunk_rows_, map_->feature_count());
      worker.psi_bar.resize(chunk_rows_, map_->feature_count());
      worker.target.resize(chunk_rows_);
      worker.residual.resize(chunk_rows_);
      worker.sums.reset(map_->feature_count());
    }
    for_chunks([&](Worker& worker, Index first, Index rows) {
      MatRef psi = worker.psi.topRows(rows);
      prepared->forward(x_.middleRows(first, rows), psi);
      worker.sums.add(psi, target(worker, first, rows));
    });
    PrimalSums& sums = workers_.front().sums;
    for (std::size_t w = 1; w < workers_.size(); ++w) sums.merge(workers_[w].sums);
    const BlasThreads many(threads_);
    gaussian_.factor(sums, noise_.variance(theta[noise_at()]), with_inverse);
    return prepared;
  }

  void second_pass(const PreparedMap& prepared) {
    for (Worker& worker : workers_) {
      worker.cotangents.setZero(prepared.accumulator_size());
      worker.squared_residual = 0;
    }
    for_chunks([&](Worker& worker, Index first, Index rows) {
      MatRef psi = worker.psi.topRows(rows), psi_bar = worker.psi_bar.topRows(rows);
      VecRef residual = worker.residual.head(rows);
      const auto inputs = x_.middleRows(first, rows);
      prepared.forward(inputs, psi);
      worker.squared_residual += gaussian_.residual(psi, target(worker, first, rows), residual);
      gaussian_.cotangent(psi, residual, psi_bar);
      prepared.backward(inputs, psi, psi_bar, worker.cotangents);
    });
  }

  std::shared_ptr<const FeatureMap> map_;
  const Matrix& x_;
  const Vector& y_;
  int threads_;
  NoiseTerm noise_;
  ParameterLayout layout_;
  double shift_;
  PrimalGaussian gaussian_;
  Index chunk_rows_ = 1, chunks_ = 1;
  std::vector<Worker> workers_;
};

}  // namespace

std::unique_ptr<Objective> make_primal_objective(std::shared_ptr<const FeatureMap> map, const Matrix& x,
                                                 const Vector& y, const ObjectiveOptions& options) {
  return std::make_unique<PrimalObjective>(std::move(map), x, y, options);
}

}  // namespace alacarte
