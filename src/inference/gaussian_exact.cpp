#include "alacarte/core/error.hpp"
#include "features/kernel_features.hpp"
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
    constexpr double kProfileFlops = 40;  // exponential and polynomial of each pair, forward and back
    EvaluationPlan plan = common_plan("exact");
    plan.flops = n * n * n + 0.5 * n * n * (11 * d + kProfileFlops);
    plan.memory_bytes = 8 * (3 + as_double(kernel_->scratch_grams())) * n * n;
    plan.model_bytes = 8 * (n * (n + 1) / 2 + n * d + 2 * n + as_double(parameters().size()));
    return plan;
  }

 private:
  std::unique_ptr<Posterior> make_posterior_at(ConstVec theta) override {
    ExactState state;
    // alpha sums to zero with a constant mean, so the row means of k(x, X) alpha are subtracted only once, here.
    state.scalars = {gaussian().target_mean() - gaussian().row_means().dot(gaussian().alpha()),
                     gaussian().noise_variance(), gaussian().constant_variance()};
    state.inputs = x().dense();
    state.alpha = gaussian().alpha();
    state.row_means = gaussian().row_means();
    state.factor = gaussian().factor_matrix();
    return make_posterior(kernel_, theta, std::move(state));
  }

  void form(ConstVec theta, MatRef gram) override { kernel_->gram(theta, x().dense(), x().dense(), gram, threads()); }
  void pull_back(ConstVec theta, ConstMat gram, ConstMat gram_bar, VecRef theta_bar) override {
    kernel_->backward(theta, x().dense(), gram, gram_bar, theta_bar, threads());
  }

  std::shared_ptr<const Kernel> kernel_;
};

}  // namespace

std::unique_ptr<Inference> make_inference(std::shared_ptr<const Kernel> kernel, std::shared_ptr<const RowSource> rows,
                                          const InferenceOptions& options) {
  require(kernel != nullptr && rows != nullptr && rows->inputs() == kernel->input_count(),
          "inference: rows and inputs do not fit");
  if (options.likelihood != nullptr) {
    auto features = make_kernel_features(std::move(kernel), rows);
    return make_laplace(std::move(features), std::move(rows), options);
  }
  return std::make_unique<GaussianExact>(std::move(kernel), std::move(rows), options);
}

}  // namespace alacarte
