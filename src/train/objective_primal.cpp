#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/linalg/hadamard.hpp"
#include "alacarte/model/linear_gaussian.hpp"
#include "core/lines.hpp"
#include "core/workers.hpp"
#include "model/posteriors.hpp"
#include "train/objective_parts.hpp"

namespace alacarte {
namespace {

// Two passes over chunks of rows, which recompute the features: to keep them between the passes was slower wherever
// they are cheap to make (measured at 80 and 192 features), as they come back from memory, and no faster at 1536. A
// worker takes every T-th chunk and sums into its own accumulators, which are merged in order: the same bits on every
// run with the same number of threads. Work space lives as long as the objective.
class PrimalObjective final : public Objective {
 public:
  PrimalObjective(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                  const ObjectiveOptions& options)
      : map_(std::move(map)),
        rows_(std::move(rows)),
        threads_(std::max(1, options.threads)),
        noise_(options.noise, rows_->target_sd()),
        layout_(with_noise(map_->parameters(), noise_)),
        shift_(options.mean == MeanKind::constant ? rows_->target_mean() : 0.0),
        gaussian_(options.mean),
        precision_(options.precision) {
    chunk_rows_ = choose_chunk(options.chunk_rows);
    workers_.resize(static_cast<std::size_t>(std::min<Index>(threads_, chunks())));
    while (options.memory_bytes > 0 && memory_bytes() > options.memory_bytes && shrink()) continue;
  }

  const ParameterLayout& parameters() const override { return layout_; }
  double jitter() const override { return gaussian_.jitter(); }
  double noise_sd(ConstVec theta) const override { return std::sqrt(noise_.variance(theta[noise_at()])); }

  double evaluate(ConstVec theta, VecRef gradient) override {
    return evaluate_below(std::numeric_limits<double>::infinity(), theta, gradient);
  }

  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override {
    require(gradient.size() == layout_.size(), "gradient does not fit the objective");
    const auto prepared = first_pass(theta, false);
    if (gaussian_.value_bound() > ceiling) {
      gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
      return gaussian_.value_bound();
    }
    {
      const BlasThreads many(threads_);
      gaussian_.invert();
    }
    const bool single = precision_ == Precision::mixed && gaussian_.explicit_inverse();
    if (single) gaussian_.narrow();
    second_pass(*prepared, single);
    if (single && !single_is_enough(*prepared)) {
      precision_ = Precision::float64;
      second_pass(*prepared, false);
    }
    ++evaluations_;
    double squared_residual = 0;
    for (const Worker& worker : workers_) squared_residual += worker.squared_residual;
    gradient.setZero();
    prepared->finish(merged_cotangents(), gradient.head(noise_at()));
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

  using Objective::leave_one_out;
  LeaveOneOut leave_one_out(ConstVec theta, const std::vector<Index>& which) override {
    const auto prepared = first_pass(theta, true);
    const Index count = which.empty() ? rows_->rows() : static_cast<Index>(which.size());
    Vector y(count), projected(count), precision(count);
    for_chunks([&](Worker& worker, const RowBlock& block, Index first) {
      const std::vector<Index> places = places_in_block(which, first, block.y.size());
      const Index rows = static_cast<Index>(places.size());
      if (rows == 0) return;
      const Index at = which.empty() ? first : std::lower_bound(which.begin(), which.end(), first) - which.begin();
      MatRef psi = worker.psi.topRows(rows), work = worker.psi_bar.topRows(rows);
      prepared->forward(Matrix(block.x(places, Eigen::all)), psi);
      y.segment(at, rows) = block.y(places);
      worker.target.head(rows) = y.segment(at, rows).array() - shift_;
      gaussian_.residual(psi, worker.target.head(rows), projected.segment(at, rows));
      gaussian_.precision_diagonal(psi, work, precision.segment(at, rows));
    });
    return leave_one_out_from(y, projected / gaussian_.noise_variance(), precision);
  }

  EvaluationPlan plan() const override {
    const double n = as_double(rows_->rows()), count = as_double(map_->feature_count());
    EvaluationPlan plan;
    plan.rows = rows_->rows();
    plan.inputs = rows_->inputs();
    plan.features = map_->feature_count();
    plan.parameters = layout_.trainable_count();
    plan.form = "primal";
    plan.flops = n * (3 * count * count + map_->flops_per_row()) + count * count * count;
    plan.memory_bytes = memory_bytes();
    plan.model_bytes = 8 * (count * (count + 1) / 2 + 2 * count + as_double(layout_.size()));
    return plan;
  }

 private:
  static constexpr Index kLeastChunk = 64;

  struct Worker {
    LineMatrix psi, psi_bar;
    Vector target, residual, cotangents;
    RowScratch scratch;
    PrimalSums sums;
    double squared_residual = 0;
    PrimalGaussian::SingleWork single;
  };

  // Large enough for the BLAS to run at speed, small enough that a chunk of few features stays in the second-level
  // cache between its forward and its products; and every thread gets one. An odd number of tiles: the last is whole,
  // and columns a power of two apart would share the sets of the cache (a tenth of syrk's time at 80 features).
  Index choose_chunk(Index wanted) const {
    if (wanted > 0) return std::min(wanted, rows_->rows());
    constexpr Index kCacheDoubles = 24576;
    const Index tiles = kCacheDoubles / kTileWidth / std::max<Index>(1, map_->feature_count());
    const Index rows = (2 * std::clamp<Index>(tiles / 2, 8, 63) + 1) * kTileWidth;
    return std::clamp<Index>((rows_->rows() + threads_ - 1) / threads_, 1, rows);
  }

  Index chunks() const { return (rows_->rows() + chunk_rows_ - 1) / chunk_rows_; }

  double memory_bytes() const {
    const double count = as_double(map_->feature_count()), team = static_cast<double>(workers_.size());
    double bytes = 8 * ((team + 2) * count * count + 2 * team * as_double(chunk_rows_) * count) +
                   team * rows_->scratch_bytes(chunk_rows_) + map_->work_bytes(static_cast<int>(workers_.size()));
    if (precision_ == Precision::mixed) bytes += 4 * count * (count + 2 * team * as_double(chunk_rows_));
    return bytes;
  }

  // Smaller chunks cost speed, fewer workers cost more of it.
  bool shrink() {
    if (chunk_rows_ > kLeastChunk) {
      chunk_rows_ = std::max(kLeastChunk, chunk_rows_ / 2);
    } else if (workers_.size() > 1) {
      workers_.pop_back();
    } else {
      return false;
    }
    return true;
  }

  Index noise_at() const { return layout_.size() - 1; }

  // Where the rows of `which` (empty = all) lie in the block that begins at row `first`.
  static std::vector<Index> places_in_block(const std::vector<Index>& which, Index first, Index rows) {
    std::vector<Index> places;
    if (which.empty()) {
      places.resize(static_cast<std::size_t>(rows));
      std::iota(places.begin(), places.end(), Index{0});
      return places;
    }
    for (auto row = std::lower_bound(which.begin(), which.end(), first); row != which.end() && *row < first + rows;
         ++row)
      places.push_back(*row - first);
    return places;
  }

  // body(worker, block, its first row) for every chunk; single-threaded BLAS inside.
  template <class Body>
  void for_chunks(const Body& body) {
    const BlasThreads single(1);
    const Index step = static_cast<Index>(workers_.size());
    run_workers(static_cast<int>(step), [&](int w) {
      Worker& worker = workers_[static_cast<std::size_t>(w)];
      for (Index chunk = w; chunk < chunks(); chunk += step) {
        const Index first = chunk * chunk_rows_;
        body(worker, rows_->read(first, std::min(chunk_rows_, rows_->rows() - first), worker.scratch), first);
      }
    });
  }

  // Centred first: sums of y psi would lose digits to a large mean, were it taken off afterwards.
  VecRef target(Worker& worker, const RowBlock& block) const {
    worker.target.head(block.y.size()) = block.y.array() - shift_;
    return worker.target.head(block.y.size());
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
    for_chunks([&](Worker& worker, const RowBlock& block, Index) {
      MatRef psi = worker.psi.topRows(block.y.size());
      prepared->forward(block.x, psi);
      worker.sums.add(psi, target(worker, block));
    });
    PrimalSums& sums = workers_.front().sums;
    for (std::size_t w = 1; w < workers_.size(); ++w) sums.merge(workers_[w].sums);
    const BlasThreads many(threads_);
    gaussian_.factor(sums, noise_.variance(theta[noise_at()]), with_inverse);
    return prepared;
  }

  void second_pass(const PreparedMap& prepared, bool single) {
    for (Worker& worker : workers_) {
      worker.cotangents.setZero(prepared.accumulator_size());
      worker.squared_residual = 0;
    }
    for_chunks([&](Worker& worker, const RowBlock& block, Index) {
      const Index rows = block.y.size();
      MatRef psi = worker.psi.topRows(rows), psi_bar = worker.psi_bar.topRows(rows);
      VecRef residual = worker.residual.head(rows);
      prepared.forward(block.x, psi);
      worker.squared_residual += gaussian_.residual(psi, target(worker, block), residual);
      if (single)
        gaussian_.cotangent_single(psi, residual, worker.single, psi_bar);
      else
        gaussian_.cotangent(psi, residual, psi_bar);
      prepared.backward(block.x, psi, psi_bar, worker.cotangents);
    });
  }

  Vector merged_cotangents() const {
    Vector sums = workers_.front().cotangents;
    for (std::size_t w = 1; w < workers_.size(); ++w) sums += workers_[w].cotangents;
    return sums;
  }

  // The share of one chunk in theta's cotangent, in floats less in doubles, times the root of the number of chunks, is
  // what rounding did to the whole; it must stay far below the whole itself. Looked at now and then.
  bool single_is_enough(const PreparedMap& prepared) {
    constexpr Index kEvery = 8;
    constexpr double kTolerance = 1e-4;
    if (evaluations_ % kEvery != 0) return true;
    const BlasThreads one(1);
    Worker& worker = workers_.front();
    const RowBlock block = rows_->read(0, std::min(chunk_rows_, rows_->rows()), worker.scratch);
    const Index rows = block.y.size();
    MatRef psi = worker.psi.topRows(rows), psi_bar = worker.psi_bar.topRows(rows);
    VecRef residual = worker.residual.head(rows);
    prepared.forward(block.x, psi);
    gaussian_.residual(psi, target(worker, block), residual);
    const auto pulled = [&](bool single, double sign, VecRef theta_bar) {
      Vector sums = Vector::Zero(prepared.accumulator_size());
      if (single)
        gaussian_.cotangent_single(psi, residual, worker.single, psi_bar);
      else
        gaussian_.cotangent(psi, residual, psi_bar);
      psi_bar *= sign;
      prepared.backward(block.x, psi, psi_bar, sums);
      prepared.finish(sums, theta_bar);
    };
    Vector difference = Vector::Zero(noise_at()), whole = difference;
    pulled(true, 1.0, difference);
    pulled(false, -1.0, difference);
    prepared.finish(merged_cotangents(), whole);
    return difference.norm() * std::sqrt(as_double(chunks())) <= kTolerance * whole.norm();
  }

  std::shared_ptr<const FeatureMap> map_;
  std::shared_ptr<const RowSource> rows_;
  int threads_;
  NoiseTerm noise_;
  ParameterLayout layout_;
  double shift_;
  PrimalGaussian gaussian_;
  Precision precision_;
  Index chunk_rows_ = 1, evaluations_ = 0;
  std::vector<Worker> workers_;
};

}  // namespace

std::unique_ptr<Objective> make_primal_objective(std::shared_ptr<const FeatureMap> map,
                                                 std::shared_ptr<const RowSource> rows,
                                                 const ObjectiveOptions& options) {
  return std::make_unique<PrimalObjective>(std::move(map), std::move(rows), options);
}

}  // namespace alacarte
