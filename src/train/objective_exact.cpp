#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/model/linear_gaussian.hpp"
#include "model/posteriors.hpp"
#include "train/objective_parts.hpp"

namespace alacarte {
namespace {

class ExactObjective final : public Objective {
 public:
  ExactObjective(std::shared_ptr<const Kernel> kernel, const Matrix& x, const Vector& y,
                 const ObjectiveOptions& options)
      : kernel_(std::move(kernel)),
        x_(x),
        y_(y),
        threads_(std::max(1, options.threads)),
        noise_(options.noise, y),
        layout_(with_noise(kernel_->parameters(), noise_)),
        gaussian_(options.mean) {}

  const ParameterLayout& parameters() const override { return layout_; }
  double jitter() const override { return gaussian_.jitter(); }
  double noise_sd(ConstVec theta) const override { return std::sqrt(noise_.variance(theta[noise_at()])); }

  double evaluate(ConstVec theta, VecRef gradient) override {
    require(gradient.size() == layout_.size(), "gradient does not fit the objective");
    factor(theta);
    {
      const BlasThreads many(threads_);
      gaussian_.adjoint();
    }
    gradient.setZero();
    kernel_->backward(theta.head(noise_at()), x_, gram_, gaussian_.gram_bar(), gradient.head(noise_at()), threads_);
    gradient[noise_at()] = gaussian_.noise_bar() * noise_.slope(theta[noise_at()]);
    const double value = gaussian_.value();
    finish_gradient(layout_, value, gradient);
    return value;
  }

  std::unique_ptr<Posterior> posterior(ConstVec theta) override {
    factor(theta);
    ExactState state;
    // alpha sums to zero with a constant mean, so k(x, X) alpha needs its row means taken off only once, here.
    state.scalars = {gaussian_.target_mean() - gaussian_.row_means().dot(gaussian_.alpha()), gaussian_.noise_variance(),
                     gaussian_.constant_variance()};
    state.inputs = x_;
    state.alpha = gaussian_.alpha();
    state.row_means = gaussian_.row_means();
    state.factor = gaussian_.factor_matrix();
    return make_posterior(kernel_, theta, std::move(state));
  }

  LeaveOneOut leave_one_out(ConstVec theta) override {
    factor(theta);
    const BlasThreads many(threads_);
    gaussian_.adjoint();
    return leave_one_out_from(y_, gaussian_.alpha(), gaussian_.precision_diagonal());
  }

  EvaluationPlan plan() const override {
    const double n = as_double(x_.rows()), d = as_double(x_.cols());
    constexpr double kProfileFlops = 40;  // exponential and polynomial of each pair, forward and back
    EvaluationPlan plan;
    plan.rows = x_.rows();
    plan.inputs = x_.cols();
    plan.features = 0;
    plan.parameters = layout_.trainable_count();
    plan.form = "exact";
    plan.flops = n * n * n + 0.5 * n * n * (11 * d + kProfileFlops);
    plan.memory_bytes = 8 * 3 * n * n;
    plan.model_bytes = 8 * (n * (n + 1) / 2 + n * d + 2 * n + as_double(layout_.size()));
    return plan;
  }

 private:
  Index noise_at() const { return layout_.size() - 1; }

  void factor(ConstVec theta) {
    check_theta(layout_, theta);
    gram_.resize(x_.rows(), x_.rows());
    kernel_->gram(theta.head(noise_at()), x_, x_, gram_, threads_);
    const BlasThreads many(threads_);
    gaussian_.factor(gram_, y_, noise_.variance(theta[noise_at()]));
  }

  std::shared_ptr<const Kernel> kernel_;
  const Matrix& x_;
  const Vector& y_;
  int threads_;
  NoiseTerm noise_;
  ParameterLayout layout_;
  DualGaussian gaussian_;
  Matrix gram_;
};

}  // namespace

std::unique_ptr<Objective> make_objective(std::shared_ptr<const Kernel> kernel, const Matrix& x, const Vector& y,
                                          const ObjectiveOptions& options) {
  require(kernel != nullptr && x.rows() > 0 && x.rows() == y.size() && x.cols() == kernel->input_count(),
          "objective: rows, inputs and targets do not fit");
  return std::make_unique<ExactObjective>(std::move(kernel), x, y, options);
}

}  // namespace alacarte
