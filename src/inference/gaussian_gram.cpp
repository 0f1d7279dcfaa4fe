#include "inference/gaussian_gram.hpp"

#include <cmath>

#include "alacarte/core/threads.hpp"
#include "core/large_matrix.hpp"

namespace alacarte {

GaussianGram::GaussianGram(const ParameterLayout& parameters, std::shared_ptr<const RowSource> rows,
                           const InferenceOptions& options)
    : rows_(std::move(rows)),
      threads_(std::max(1, options.threads)),
      noise_(*rows_, options),
      layout_(with_noise(parameters, noise_.slot(), options)),
      gaussians_(static_cast<std::size_t>(noise_.count()), DualGaussian(options.mean)) {}

double GaussianGram::noise_sd(ConstVec theta) const { return std::sqrt(noise_.variance(0, theta[noise_at()])); }

double GaussianGram::jitter() const {
  double jitter = 0;
  for (const DualGaussian& gaussian : gaussians_) jitter = std::max(jitter, gaussian.jitter());
  return jitter;
}

EvaluationPlan GaussianGram::with_targets(EvaluationPlan plan) const {
  const double n = as_double(rows_->rows()), more = as_double(targets() - 1);
  plan.flops += more * n * n * n;
  plan.memory_bytes += (more > 0 ? 8 * (2 * more + 1) : 0) * n * n;
  plan.model_bytes *= 1 + more;
  return plan;
}

void GaussianGram::factor(ConstVec theta) {
  check_theta(layout_, theta);
  factored_at_.resize(0);
  has_adjoint_ = false;
  if (!all_) all_.emplace(rows_->read(0, rows_->rows(), scratch_));
  if (gram_.size() == 0) gram_ = large_matrix(rows_->rows(), rows_->rows());
  form(theta.head(noise_at()), gram_);
  const BlasThreads many(threads_);
  const Vector roots = all_->weights.cwiseSqrt();
  for (Index t = 0; t < targets(); ++t) {
    const double noise = noise_.variance(t, theta[noise_at() + t]);
    DualGaussian& gaussian = gaussians_[static_cast<std::size_t>(t)];
    if (t == 0)
      gaussian.factor(gram_, all_->y, noise, roots);
    else
      gaussian.factor(gram_, rows_->more_targets().col(t - 1), noise, roots);
  }
  factored_at_ = theta;
}

void GaussianGram::adjoint() {
  if (has_adjoint_) return;
  const BlasThreads many(threads_);
  for (DualGaussian& gaussian : gaussians_) gaussian.adjoint(needs_whole_adjoint());
  has_adjoint_ = true;
}

const Matrix& GaussianGram::gram_bar() {
  if (gaussians_.size() == 1) return gaussians_.front().gram_bar();
  gram_bar_ = gaussians_.front().gram_bar();
  for (std::size_t t = 1; t < gaussians_.size(); ++t) gram_bar_ += gaussians_[t].gram_bar();
  return gram_bar_;
}

double GaussianGram::value(ConstVec theta) {
  factor(theta);
  double value = 0;
  for (const DualGaussian& gaussian : gaussians_) value += gaussian.value();
  return value;
}

double GaussianGram::evaluate_below(double ceiling, ConstVec theta, VecRef gradient) {
  require(gradient.size() == layout_.size(), "gradient does not fit the objective");
  const double value = this->value(theta);
  if (value > ceiling) {
    gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
    return value;
  }
  adjoint();
  gradient.setZero();
  pull_back(theta.head(noise_at()), gram_, gram_bar(), gradient.head(noise_at()));
  for (Index t = 0; t < targets(); ++t)
    gradient[noise_at() + t] =
        gaussians_[static_cast<std::size_t>(t)].noise_bar() * noise_.slope(theta[noise_at() + t]);
  finish_gradient(layout_, value, gradient);
  return value;
}

Vector GaussianGram::targets_of(std::size_t target) const {
  return target == 0 ? Vector(all_->y) : Vector(rows_->more_targets().col(static_cast<Index>(target) - 1));
}

PrecisionBlock GaussianGram::precision_block(ConstVec theta, const std::vector<Index>& rows, Index target) {
  require(factored_at_.size() == theta.size() && factored_at_ == theta, "precision_block: after solve() at this theta");
  const auto t = static_cast<std::size_t>(target);
  const BlasThreads many(threads_);
  return {gaussians_[t].precision_block(rows), gaussians_[t].alpha()(rows), targets_of(t)(rows)};
}

LeaveOneOut GaussianGram::leave_out(std::size_t target, const std::vector<Index>& rows) const {
  const DualGaussian& gaussian = gaussians_[target];
  const Vector y = targets_of(target);
  if (rows.empty()) return leave_one_out_from(y, gaussian.alpha(), gaussian.precision_diagonal());
  const BlasThreads many(threads_);
  return leave_one_out_from(
      y(rows), gaussian.alpha()(rows),
      has_adjoint_ ? Vector(gaussian.precision_diagonal()(rows)) : gaussian.precision_diagonal(rows));
}

Solution GaussianGram::solve(ConstVec theta, const LeftOutRows& left_out) {
  if (factored_at_.size() != theta.size() || factored_at_ != theta) factor(theta);
  if (left_out.any && left_out.rows.empty()) adjoint();
  std::vector<Solution> all(gaussians_.size());
  for (std::size_t t = 0; t < all.size(); ++t) {
    all[t].posterior = make_posterior_at(theta, gaussians_[t]);
    if (left_out.any) all[t].leave_one_out = leave_out(t, left_out.rows);
  }
  return with_further_targets(std::move(all));
}

}  // namespace alacarte
