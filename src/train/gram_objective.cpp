#include "train/gram_objective.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"

namespace alacarte {

GramObjective::GramObjective(const ParameterLayout& parameters, const Matrix& x, const Vector& y,
                             const ObjectiveOptions& options)
    : x_(x),
      y_(y),
      threads_(std::max(1, options.threads)),
      noise_(options.noise, y),
      layout_(with_noise(parameters, noise_)),
      gaussian_(options.mean) {}

double GramObjective::noise_sd(ConstVec theta) const { return std::sqrt(noise_.variance(theta[noise_at()])); }

void GramObjective::factor(ConstVec theta) {
  check_theta(layout_, theta);
  gram_.resize(x_.rows(), x_.rows());
  form(theta.head(noise_at()), gram_);
  const BlasThreads many(threads_);
  gaussian_.factor(gram_, y_, noise_.variance(theta[noise_at()]));
}

double GramObjective::evaluate(ConstVec theta, VecRef gradient) {
  require(gradient.size() == layout_.size(), "gradient does not fit the objective");
  factor(theta);
  {
    const BlasThreads many(threads_);
    gaussian_.adjoint();
  }
  gradient.setZero();
  pull_back(theta.head(noise_at()), gram_, gaussian_.gram_bar(), gradient.head(noise_at()));
  gradient[noise_at()] = gaussian_.noise_bar() * noise_.slope(theta[noise_at()]);
  const double value = gaussian_.value();
  finish_gradient(layout_, value, gradient);
  return value;
}

LeaveOneOut GramObjective::leave_one_out(ConstVec theta) {
  factor(theta);
  const BlasThreads many(threads_);
  gaussian_.adjoint();
  return leave_one_out_from(y_, gaussian_.alpha(), gaussian_.precision_diagonal());
}

EvaluationPlan GramObjective::common_plan(const std::string& form) const {
  EvaluationPlan plan;
  plan.rows = x_.rows();
  plan.inputs = x_.cols();
  plan.parameters = layout_.trainable_count();
  plan.form = form;
  return plan;
}

}  // namespace alacarte
