#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/linalg/dense.hpp"
#include "alacarte/model/linear_gaussian.hpp"
#include "core/workers.hpp"
#include "model/posteriors.hpp"
#include "train/objective_parts.hpp"

namespace alacarte {
namespace {

constexpr Index kChunkRows = 256;

// Features with n < D: all of Psi fits, and the Gram matrix is the small one.
class DualObjective final : public Objective {
 public:
  DualObjective(std::shared_ptr<const FeatureMap> map, const Matrix& x, const Vector& y,
                const ObjectiveOptions& options)
      : map_(std::move(map)),
        x_(x),
        y_(y),
        threads_(std::max(1, options.threads)),
        chunk_rows_(std::min(x.rows(), options.chunk_rows > 0 ? options.chunk_rows : kChunkRows)),
        noise_(options.noise, y),
        layout_(with_noise(map_->parameters(), noise_)),
        gaussian_(options.mean) {}

  const ParameterLayout& parameters() const override { return layout_; }
  double jitter() const override { return gaussian_.jitter(); }
  double noise_sd(ConstVec theta) const override { return std::sqrt(noise_.variance(theta[noise_at()])); }

  double evaluate(ConstVec theta, VecRef gradient) override {
    require(gradient.size() == layout_.size(), "gradient does not fit the objective");
    const auto prepared = factor(theta);
    {
      const BlasThreads many(threads_);
      gaussian_.adjoint();
      psi_bar_.resize(psi_.rows(), psi_.cols());
      gemm(2.0, gaussian_.gram_bar(), Op::none, psi_, Op::none, 0.0, psi_bar_);
    }
    gradient.setZero();
    pull_back(*prepared, gradient.head(noise_at()));
    gradient[noise_at()] = gaussian_.noise_bar() * noise_.slope(theta[noise_at()]);
    const double value = gaussian_.value();
    finish_gradient(layout_, value, gradient);
    return value;
  }

  std::unique_ptr<Posterior> posterior(ConstVec theta) override {
    factor(theta);
    DualState state;
    // alpha sums to zero with a constant mean, so Psi^T alpha is the same for centred features.
    state.weights.noalias() = psi_.transpose() * gaussian_.alpha();
    state.centre = Vector::Zero(psi_.cols());
    if (gaussian_.constant_variance() > 0) state.centre = psi_.colwise().mean().transpose();
    state.scalars = {gaussian_.target_mean() - state.centre.dot(state.weights), gaussian_.noise_variance(),
                     gaussian_.constant_variance()};
    state.inputs = x_;
    state.factor = gaussian_.factor_matrix();
    return make_posterior(map_, theta, std::move(state));
  }

  LeaveOneOut leave_one_out(ConstVec theta) override {
    factor(theta);
    const BlasThreads many(threads_);
    gaussian_.adjoint();
    return leave_one_out_from(y_, gaussian_.alpha(), gaussian_.precision_diagonal());
  }

  EvaluationPlan plan() const override {
    const double n = as_double(x_.rows()), count = as_double(map_->feature_count());
    EvaluationPlan plan;
    plan.rows = x_.rows();
    plan.inputs = x_.cols();
    plan.features = map_->feature_count();
    plan.parameters = layout_.trainable_count();
    plan.form = "dual";
    plan.flops = 3 * n * n * count + n * n * n + n * map_->flops_per_row();
    plan.memory_bytes = 8 * (3 * n * n + 2 * n * count);
    plan.model_bytes = 8 * (n * (n + 1) / 2 + n * as_double(x_.cols()) + 2 * count + as_double(layout_.size()));
    return plan;
  }

 private:
  Index noise_at() const { return layout_.size() - 1; }

  template <class Body>
  void for_chunks(const Body& body) {
    const BlasThreads single(1);
    const Index chunks = (x_.rows() + chunk_rows_ - 1) / chunk_rows_;
    const Index step = std::min<Index>(threads_, chunks);
    run_workers(static_cast<int>(step), [&](int worker) {
      for (Index chunk = worker; chunk < chunks; chunk += step) {
        const Index first = chunk * chunk_rows_;
        body(worker, first, std::min(chunk_rows_, x_.rows() - first));
      }
    });
  }

  std::unique_ptr<PreparedMap> factor(ConstVec theta) {
    check_theta(layout_, theta);
    auto prepared = map_->prepare(theta.head(noise_at()));
    psi_.resize(x_.rows(), map_->feature_count());
    gram_.resize(x_.rows(), x_.rows());
    for_chunks([&](int, Index first, Index rows) {
      prepared->forward(x_.middleRows(first, rows), psi_.middleRows(first, rows));
    });
    const BlasThreads many(threads_);
    syrk_lower(1.0, psi_, Op::none, 0.0, gram_);
    mirror_lower(gram_);
    gaussian_.factor(gram_, y_, noise_.variance(theta[noise_at()]));
    return prepared;
  }

  void pull_back(const PreparedMap& prepared, VecRef theta_bar) {
    cotangents_.setZero(prepared.accumulator_size(), threads_);
    for_chunks([&](int worker, Index first, Index rows) {
      prepared.backward(x_.middleRows(first, rows), psi_.middleRows(first, rows), psi_bar_.middleRows(first, rows),
                        cotangents_.col(worker));
    });
    const Vector sums = cotangents_.rowwise().sum();
    prepared.finish(sums, theta_bar);
  }

  std::shared_ptr<const FeatureMap> map_;
  const Matrix& x_;
  const Vector& y_;
  int threads_;
  Index chunk_rows_;
  NoiseTerm noise_;
  ParameterLayout layout_;
  DualGaussian gaussian_;
  Matrix psi_, psi_bar_, gram_, cotangents_;
};

}  // namespace

std::unique_ptr<Objective> make_dual_objective(std::shared_ptr<const FeatureMap> map, const Matrix& x, const Vector& y,
                                               const ObjectiveOptions& options) {
  return std::make_unique<DualObjective>(std::move(map), x, y, options);
}

}  // namespace alacarte
