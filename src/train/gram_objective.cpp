#include "train/gram_objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/core/large_matrix.hpp"
#include "alacarte/core/threads.hpp"

namespace alacarte {

GramObjective::GramObjective(const ParameterLayout& parameters, std::shared_ptr<const RowSource> rows,
                             const ObjectiveOptions& options)
    : rows_(std::move(rows)),
      threads_(std::max(1, options.threads)),
      noise_(options.noise, rows_->target_sd()),
      layout_(with_noise(parameters, noise_)),
      gaussian_(options.mean) {}

double GramObjective::noise_sd(ConstVec theta) const { return std::sqrt(noise_.variance(theta[noise_at()])); }

void GramObjective::factor(ConstVec theta) {
  check_theta(layout_, theta);
  if (!all_) all_.emplace(rows_->read(0, rows_->rows(), scratch_));
  if (gram_.size() == 0) gram_ = large_matrix(rows_->rows(), rows_->rows());
  form(theta.head(noise_at()), gram_);
  const BlasThreads many(threads_);
  gaussian_.factor(gram_, all_->y, noise_.variance(theta[noise_at()]));
}

double GramObjective::evaluate(ConstVec theta, VecRef gradient) {
  return evaluate_below(std::numeric_limits<double>::infinity(), theta, gradient);
}

double GramObjective::evaluate_below(double ceiling, ConstVec theta, VecRef gradient) {
  require(gradient.size() == layout_.size(), "gradient does not fit the objective");
  factor(theta);
  if (gaussian_.value() > ceiling) {
    gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
    return gaussian_.value();
  }
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

LeaveOneOut GramObjective::leave_one_out(ConstVec theta, const std::vector<Index>& which) {
  factor(theta);
  const BlasThreads many(threads_);
  gaussian_.adjoint();
  if (which.empty()) return leave_one_out_from(all_->y, gaussian_.alpha(), gaussian_.precision_diagonal());
  return leave_one_out_from(all_->y(which), gaussian_.alpha()(which), gaussian_.precision_diagonal()(which));
}

EvaluationPlan GramObjective::common_plan(const std::string& form) const {
  EvaluationPlan plan;
  plan.rows = rows_->rows();
  plan.inputs = rows_->inputs();
  plan.parameters = layout_.trainable_count();
  plan.form = form;
  return plan;
}

}  // namespace alacarte
