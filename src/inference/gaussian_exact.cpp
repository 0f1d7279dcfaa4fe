#include "alacarte/kernel/kernel.hpp"
#include "inference/evaluation.hpp"
#include "inference/gaussian_gram.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

class GaussianExact final : public GaussianGram {
 public:
  GaussianExact(std::shared_ptr<const Kernel> kernel, std::shared_ptr<const RowSource> rows,
                const InferenceOptions& options)
      : GaussianGram(kernel->parameters(), std::move(rows), options), kernel_(std::move(kernel)) {}

  EvaluationPlan plan() const override {
    const double n = as_double(source().rows()), d = as_double(source().inputs());
    EvaluationPlan plan = with_exact_flops(plan_of(source(), 0, parameters().trainable_count(), EvaluationForm::exact),
                                           kernel_->kernels_per_pair());
    plan.memory_bytes = 8 * 3 * n * n;
    plan.model_bytes = 8 * (n * (n + 1) / 2 + n * d + 2 * n + as_double(parameters().size()));
    return with_targets(plan);
  }

 private:
  std::unique_ptr<Posterior> make_posterior_at(ConstVec theta, const DualGaussian& gaussian) override {
    ExactState state;
    state.scalars = {gaussian.offset(), gaussian.noise_variance(), gaussian.constant_variance()};
    state.inputs = x().dense();
    state.alpha = gaussian.alpha();
    state.row_means = gaussian.row_means();
    state.roots = gaussian.roots();
    state.factor = gaussian.factor_matrix();
    return make_posterior(kernel_, theta, std::move(state));
  }

  void form(ConstVec theta, MatRef gram) override { kernel_->gram_lower(theta, x().dense(), gram, threads()); }
  void pull_back(ConstVec theta, ConstMat gram, ConstMat gram_bar, VecRef theta_bar) override {
    kernel_->backward(theta, x().dense(), gram, gram_bar, theta_bar, threads());
  }

  std::shared_ptr<const Kernel> kernel_;
};

}  // namespace

std::unique_ptr<Inference> make_gaussian_exact(std::shared_ptr<const Kernel> kernel,
                                               std::shared_ptr<const RowSource> rows, const InferenceOptions& options) {
  return std::make_unique<GaussianExact>(std::move(kernel), std::move(rows), options);
}

}  // namespace alacarte
