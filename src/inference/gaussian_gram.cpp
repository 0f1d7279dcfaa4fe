#include "inference/gaussian_gram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/core/large_matrix.hpp"
#include "alacarte/core/threads.hpp"

namespace alacarte {

GaussianGram::GaussianGram(const ParameterLayout& parameters, std::shared_ptr<const RowSource> rows,
                           const InferenceOptions& options)
    : rows_(std::move(rows)),
      threads_(std::max(1, options.threads)),
      noise_(options.noise, target_moments(*rows_)),
      layout_(with_noise(parameters, noise_, options)),
      gaussian_(options.mean) {}

double GaussianGram::noise_sd(ConstVec theta) const { return std::sqrt(noise_.variance(theta[noise_at()])); }

void GaussianGram::factor(ConstVec theta) {
  check_theta(layout_, theta);
  factored_at_.resize(0);
  has_adjoint_ = false;
  if (!all_) all_.emplace(rows_->read(0, rows_->rows(), scratch_));
  if (gram_.size() == 0) gram_ = large_matrix(rows_->rows(), rows_->rows());
  form(theta.head(noise_at()), gram_);
  const BlasThreads many(threads_);
  gaussian_.factor(gram_, all_->y, noise_.variance(theta[noise_at()]), all_->weights.cwiseSqrt());
  factored_at_ = theta;
}

void GaussianGram::adjoint() {
  if (has_adjoint_) return;
  const BlasThreads many(threads_);
  gaussian_.adjoint(needs_whole_adjoint());
  has_adjoint_ = true;
}

double GaussianGram::evaluate_below(double ceiling, ConstVec theta, VecRef gradient) {
  require(gradient.size() == layout_.size(), "gradient does not fit the objective");
  factor(theta);
  if (gaussian_.value() > ceiling) {
    gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
    return gaussian_.value();
  }
  adjoint();
  gradient.setZero();
  pull_back(theta.head(noise_at()), gram_, gaussian_.gram_bar(), gradient.head(noise_at()));
  gradient[noise_at()] = gaussian_.noise_bar() * noise_.slope(theta[noise_at()]);
  const double value = gaussian_.value();
  finish_gradient(layout_, value, gradient);
  return value;
}

Solution GaussianGram::solve(ConstVec theta, const LeftOutRows& left_out) {
  if (factored_at_.size() != theta.size() || factored_at_ != theta) factor(theta);
  Solution solution{make_posterior_at(theta), {}};
  if (!left_out.any) return solution;
  adjoint();
  const auto& rows = left_out.rows;
  solution.leave_one_out =
      rows.empty() ? leave_one_out_from(all_->y, gaussian_.alpha(), gaussian_.precision_diagonal())
                   : leave_one_out_from(all_->y(rows), gaussian_.alpha()(rows), gaussian_.precision_diagonal()(rows));
  return solution;
}

}  // namespace alacarte
