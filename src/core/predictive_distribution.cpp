#include "alacarte/core/predictive_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "core/component_weights.hpp"
#include "core/special_functions.hpp"

namespace alacarte {
namespace {

// Returns P(Y > y) of one component; a variance of 0 is a point mass.
double upper_tail(double y, double mean, double variance) {
  if (variance <= 0) return y >= mean ? 0.0 : 1.0;
  return 0.5 * std::erfc((y - mean) / std::sqrt(2.0 * variance));
}

double lower_tail(double y, double mean, double variance) {
  if (variance <= 0) return y >= mean ? 1.0 : 0.0;
  return 0.5 * std::erfc((mean - y) / std::sqrt(2.0 * variance));
}

double log_normal_density(double y, double mean, double variance) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (variance <= 0) return y == mean ? kInfinity : -kInfinity;
  return -0.5 * (std::log(2.0 * std::numbers::pi * variance) + (y - mean) * (y - mean) / variance);
}

// Returns E|Z| for Z ~ N(mean, variance): A(mu, v) of math.md section 9.
double absolute_moment(double mean, double variance) {
  if (variance <= 0) return std::abs(mean);
  const double sd = std::sqrt(variance);
  if (mean == 0) return 2.0 * sd * (1.0 / std::sqrt(2.0 * std::numbers::pi));
  const double z = mean / sd;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
  return 2.0 * sd * density + mean * std::erf(z / std::numbers::sqrt2);
}

/// Returns the weighted mean of tail(y, mean, variance) over the components of each row.
template <class Tail>
Vector mixture_tail(const Matrix& means, const Matrix& variances, const Vector& weights, ConstVec y, const Tail& tail) {
  require(y.size() == means.rows(), "one target for each row");
  Vector result = Vector::Zero(means.rows());
  for (Index j = 0; j < means.cols(); ++j)
    for (Index i = 0; i < means.rows(); ++i) result[i] += weights[j] * tail(y[i], means(i, j), variances(i, j));
  // Rounding may make the sum of many weights larger than their number.
  return (result / static_cast<double>(std::max<Index>(1, means.cols()))).cwiseMin(1.0);
}

// Searches between the smallest and the largest quantile of the components. Compares the smaller tail, which keeps
// digits near 1.
double mixture_quantile(const Matrix& means, const Matrix& variances, const Vector& weights, Index row,
                        double probability, double z) {
  const auto component = (means.row(row).array() + z * variances.row(row).array().sqrt()).eval();
  const double low = component.minCoeff(), high = component.maxCoeff();
  if (!std::isfinite(low) || !std::isfinite(high)) return std::numeric_limits<double>::quiet_NaN();
  if (!(low < high)) return low;
  const bool upper = probability > 0.5;
  const double goal = (upper ? 1.0 - probability : probability) * static_cast<double>(means.cols());
  const auto excess = [&](double y) {
    double tail = 0;
    for (Index j = 0; j < means.cols(); ++j)
      tail += weights[j] * (upper ? upper_tail(y, means(row, j), variances(row, j))
                                  : lower_tail(y, means(row, j), variances(row, j)));
    return upper ? goal - tail : tail - goal;
  };
  const double at_low = excess(low), at_high = excess(high);
  if (at_low >= 0) return low;
  if (at_high <= 0) return high;
  return find_root(excess, low, high, at_low, at_high);
}

}  // namespace

PredictiveDistribution::PredictiveDistribution(Matrix means, Matrix variances, bool with_noise, Vector weights,
                                               TargetTransform transform)
    : means_(std::move(means)),
      variances_(std::move(variances)),
      weights_(component_weights(std::move(weights), means_.cols())),
      with_noise_(with_noise),
      transform_(transform) {
  require(means_.cols() >= 1, "a predictive distribution has at least one component");
  require(means_.rows() == variances_.rows() && means_.cols() == variances_.cols(), "one variance for each mean");
  require(!(variances_.array() < 0).any(), "variances are not negative");
}

void PredictiveDistribution::add_far(Matrix means, Matrix variances, Vector log_weights) {
  require(means.rows() == rows() && variances.rows() == rows() && means.cols() == variances.cols() &&
              means.cols() == log_weights.size(),
          "a mean, variance and weight of each far component");
  far_means_ = std::move(means);
  far_variances_ = std::move(variances);
  far_log_weights_ = std::move(log_weights);
}

PredictiveDistribution PredictiveDistribution::of_transformed() const {
  PredictiveDistribution own = *this;
  own.transform_ = {};
  return own;
}

PredictiveDistribution PredictiveDistribution::with_target_moments() const {
  Matrix means(rows(), component_count()), variances(rows(), component_count());
  for (Index j = 0; j < component_count(); ++j)
    for (Index i = 0; i < rows(); ++i) {
      const TargetTransform::Moments own = transform_.moments(means_(i, j), variances_(i, j));
      means(i, j) = own.mean;
      variances(i, j) = own.variance;
    }
  return {std::move(means), std::move(variances), true, weights_};
}

Vector PredictiveDistribution::mean() const {
  return transform_.is_identity() ? weighted_mean(means_, weights_) : with_target_moments().mean();
}

Vector PredictiveDistribution::variance() const {
  if (!transform_.is_identity()) return with_target_moments().variance();
  const Vector middle = mean();
  Vector within = Vector::Zero(rows()), between = within;
  for (Index j = 0; j < component_count(); ++j) {
    within += weights_[j] * variances_.col(j);
    between += weights_[j] * (means_.col(j) - middle).cwiseAbs2();
  }
  const auto count = static_cast<double>(component_count());
  return within / count + between / count;
}

Vector PredictiveDistribution::quantile(double probability) const {
  require(probability > 0 && probability < 1, "a probability lies between 0 and 1");
  if (!transform_.is_identity()) return transform_.inverse(of_transformed().quantile(probability));
  const double z = normal_quantile(probability);
  if (component_count() == 1) return means_.col(0).array() + z * variances_.col(0).array().sqrt();
  Vector result(rows());
  for (Index i = 0; i < rows(); ++i) result[i] = mixture_quantile(means_, variances_, weights_, i, probability, z);
  return result;
}

Vector PredictiveDistribution::cdf(ConstVec y) const {
  if (!transform_.is_identity()) return of_transformed().cdf(transform_.forward(y));
  return mixture_tail(means_, variances_, weights_, y, lower_tail);
}

Vector PredictiveDistribution::survival(ConstVec y) const {
  if (!transform_.is_identity()) return of_transformed().survival(transform_.forward(y));
  return mixture_tail(means_, variances_, weights_, y, upper_tail);
}

Vector PredictiveDistribution::log_density(ConstVec y) const {
  require(y.size() == rows(), "one target for each row");
  if (!transform_.is_identity()) {
    const Vector u = transform_.forward(y);
    Vector result = of_transformed().log_density(u.cwiseMax(std::numeric_limits<double>::lowest()));
    // A target that does not occur has no density.
    for (Index i = 0; i < rows(); ++i) result[i] = std::isinf(u[i]) ? u[i] : result[i] + transform_.log_slope(y[i]);
    return result;
  }
  Vector result(rows()), logs(component_count());
  for (Index i = 0; i < rows(); ++i) {
    for (Index j = 0; j < logs.size(); ++j) logs[j] = log_normal_density(y[i], means_(i, j), variances_(i, j));
    result[i] = log_mean_exp(logs, weights_);
    if (far_log_weights_.size() == 0) continue;
    Vector far(1 + far_log_weights_.size());
    far[0] = result[i];
    for (Index j = 0; j < far_log_weights_.size(); ++j)
      far[j + 1] = far_log_weights_[j] - std::log(static_cast<double>(component_count())) +
                   log_normal_density(y[i], far_means_(i, j), far_variances_(i, j));
    const double top = far.maxCoeff();
    if (std::isfinite(top)) result[i] = top + std::log((far.array() - top).exp().sum());
  }
  return result;
}

Vector PredictiveDistribution::crps(ConstVec y) const {
  require(y.size() == rows(), "one target for each row");
  if (!transform_.is_identity()) {
    Vector result(rows());
    for (Index i = 0; i < rows(); ++i)
      result[i] = transform_.crps(means_.row(i).transpose(), variances_.row(i).transpose(), weights_, y[i]);
    return result;
  }
  const Index count = component_count();
  const double share = 1.0 / static_cast<double>(std::max<Index>(1, count));
  Vector result(rows());
  for (Index i = 0; i < rows(); ++i) {
    double to_target = 0, spread = 0;
    for (Index j = 0; j < count; ++j) {
      to_target += weights_[j] * absolute_moment(y[i] - means_(i, j), variances_(i, j));
      spread += weights_[j] * weights_[j] * absolute_moment(0, 2.0 * variances_(i, j));
      for (Index k = 0; k < j; ++k)
        spread += 2.0 * weights_[j] * weights_[k] *
                  absolute_moment(means_(i, k) - means_(i, j), variances_(i, k) + variances_(i, j));
    }
    result[i] = share * (to_target - 0.5 * share * spread);
  }
  return result;
}

}  // namespace alacarte
