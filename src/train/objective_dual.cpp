#include <algorithm>

#include "alacarte/core/threads.hpp"
#include "alacarte/linalg/dense.hpp"
#include "core/workers.hpp"
#include "model/posteriors.hpp"
#include "train/gram_objective.hpp"

namespace alacarte {
namespace {

constexpr Index kChunkRows = 256;

// Features with n < D: all of Psi fits, and the Gram matrix is the small one.
class DualObjective final : public GramObjective {
 public:
  DualObjective(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                const ObjectiveOptions& options)
      : GramObjective(map->parameters(), std::move(rows), options),
        map_(std::move(map)),
        chunk_rows_(std::min(source().rows(), options.chunk_rows > 0 ? options.chunk_rows : kChunkRows)) {}

  std::unique_ptr<Posterior> posterior(ConstVec theta) override {
    factor(theta);
    FeatureState state;
    // alpha sums to zero with a constant mean, so Psi^T alpha is the same for centred features.
    state.weights.noalias() = psi_.transpose() * gaussian().alpha();
    state.centre = Vector::Zero(psi_.cols());
    if (gaussian().constant_variance() > 0) state.centre = psi_.colwise().mean().transpose();
    state.scalars = {gaussian().target_mean() - state.centre.dot(state.weights), gaussian().noise_variance(),
                     gaussian().constant_variance()};
    state.inputs = x();
    state.factor = gaussian().factor_matrix();
    return make_posterior(map_, theta, std::move(state));
  }

  EvaluationPlan plan() const override {
    const double n = as_double(source().rows()), count = as_double(map_->feature_count());
    EvaluationPlan plan = common_plan("dual");
    plan.features = map_->feature_count();
    plan.flops = 3 * n * n * count + n * n * n + n * map_->flops_per_row();
    plan.memory_bytes = 8 * (3 * n * n + 2 * n * count);
    plan.model_bytes =
        8 * (n * (n + 1) / 2 + n * as_double(source().inputs()) + 2 * count + as_double(parameters().size()));
    return plan;
  }

 private:
  template <class Body>
  void for_chunks(const Body& body) {
    const BlasThreads single(1);
    const Index chunks = (x().rows() + chunk_rows_ - 1) / chunk_rows_;
    const Index step = std::min<Index>(threads(), chunks);
    run_workers(static_cast<int>(step), [&](int worker) {
      for (Index chunk = worker; chunk < chunks; chunk += step) {
        const Index first = chunk * chunk_rows_;
        body(worker, first, std::min(chunk_rows_, x().rows() - first));
      }
    });
  }

  void form(ConstVec theta, MatRef gram) override {
    prepared_ = map_->prepare(theta);
    psi_.resize(x().rows(), map_->feature_count());
    for_chunks([&](int, Index first, Index rows) {
      prepared_->forward(x().middleRows(first, rows), psi_.middleRows(first, rows));
    });
    const BlasThreads many(threads());
    syrk_lower(1.0, psi_, Op::none, 0.0, gram);
    mirror_lower(gram);
  }

  void pull_back(ConstVec, ConstMat, ConstMat gram_bar, VecRef theta_bar) override {
    {
      const BlasThreads many(threads());
      psi_bar_.resize(psi_.rows(), psi_.cols());
      gemm(2.0, gram_bar, Op::none, psi_, Op::none, 0.0, psi_bar_);
    }
    cotangents_.setZero(prepared_->accumulator_size(), threads());
    for_chunks([&](int worker, Index first, Index rows) {
      prepared_->backward(x().middleRows(first, rows), psi_.middleRows(first, rows), psi_bar_.middleRows(first, rows),
                          cotangents_.col(worker));
    });
    const Vector sums = cotangents_.rowwise().sum();
    prepared_->finish(sums, theta_bar);
  }

  std::shared_ptr<const FeatureMap> map_;
  std::unique_ptr<PreparedMap> prepared_;  // of the last form()
  Index chunk_rows_;
  Matrix psi_, psi_bar_, cotangents_;
};

}  // namespace

std::unique_ptr<Objective> make_dual_objective(std::shared_ptr<const FeatureMap> map,
                                               std::shared_ptr<const RowSource> rows, const ObjectiveOptions& options) {
  return std::make_unique<DualObjective>(std::move(map), std::move(rows), options);
}

}  // namespace alacarte
