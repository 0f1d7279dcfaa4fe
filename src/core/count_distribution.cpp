#include "alacarte/core/predictive_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "core/component_weights.hpp"
#include "core/count_laws.hpp"
#include "core/special_functions.hpp"

namespace alacarte {
namespace {

constexpr double kNoDispersion = 1e-30;  // negligible for all such counts

double poisson_tail(double count, double rate, bool upper) {
  if (count < 0) return upper;
  if (rate <= 0) return !upper;
  const double shape = std::floor(count) + 1, bounded = std::min(rate, kMaxCount);
  return upper ? gamma_p(shape, bounded) : gamma_q(shape, bounded);
}

/// Returns the tail of counts with variance u + a u^2 at the rate u, a = `dispersion`.
double conditional_tail(double count, double rate, double dispersion, bool upper) {
  if (dispersion <= 0 || count < 0 || rate <= 0) return poisson_tail(count, rate, upper);
  const double shape = 1 / dispersion, share = dispersion * std::min(rate, kMaxCount);
  const double whole = std::floor(count) + 1;
  // The argument up to one half keeps its digits: the other may round to 1.
  if (share <= 1) return upper ? beta_p(whole, shape, share / (1 + share)) : beta_q(whole, shape, share / (1 + share));
  return upper ? beta_q(shape, whole, 1 / (1 + share)) : beta_p(shape, whole, 1 / (1 + share));
}

/// Law of the log rate below which a count exceeds `count`: that of log G with a gamma variable G of shape count + 1
/// or, with dispersion a = 1/r, of log(r B) with a beta prime variable B of count + 1 and r. P(Y > count | u) is the
/// probability that this rate is below u.
struct LimitLaw {
  double shape, other;  // other: r; infinite without dispersion
  double mode() const { return std::log(shape); }
  /// Approximates its standard deviation.
  double width() const { return std::sqrt(1 / shape + 0.5 / (shape * shape) + (1 + 0.5 / other) / other); }
  /// Returns its log density at `apart` from the mode, less that at the mode, without cancellation.
  double log_density(double apart) const {
    if (std::isinf(other)) return -shape * exponential_excess(apart);
    const double share = shape / (shape + other), rest = other / (shape + other);
    if (share > rest) return -other * apart - (shape + other) * std::log1p(rest * std::expm1(-apart));
    const double log_sum = apart < 30 ? std::log1p(share * std::expm1(apart))
                                      : apart + std::log(share) + std::log1p((1 / share - 1) * std::exp(-apart));
    return shape * apart - (shape + other) * log_sum;
  }
};

// Returns P(Y > count), or <=: the probability that m + s z is above the limit, a variable of similar width. The
// trapezoid rule integrates over the narrower of the two, against the smooth distribution function of the other: some
// dozens of terms reach rounding error.
double component_tail(double count, double mean, double variance, double dispersion, bool upper) {
  if (dispersion < kNoDispersion) dispersion = 0;
  if (!std::isfinite(mean) || !std::isfinite(variance)) return std::numeric_limits<double>::quiet_NaN();
  const double sd = std::sqrt(variance), rate = std::exp(std::min(mean, 34.0));
  if (sd == 0 || count < 0) return conditional_tail(count, rate, dispersion, upper);
  if (count > kMaxCount) return upper ? 0 : 1;
  constexpr double kStep = 0.25, kReach = 9, kMaxLogDrop = 40;
  const LimitLaw limit{std::floor(count) + 1,
                       dispersion > 0 ? 1 / dispersion : std::numeric_limits<double>::infinity()};
  const double width = limit.width(), smooth = kStep * std::min(1.2, width);  // flanks are at most about 1 wide
  double sum = 0, weights = 0;
  if (sd <= width) {
    const double step = std::min(kStep, smooth / sd);
    for (double z = -kReach; z <= kReach; z += step) {
      const double weight = std::exp(-0.5 * z * z);
      sum += weight * conditional_tail(count, std::exp(mean + sd * z), dispersion, upper);
      weights += weight;
    }
    return sum / weights;
  }
  const auto add = [&](double apart) {
    const double log_density = limit.log_density(apart), above = (mean - limit.mode() - apart) / sd;
    const double weight = std::exp(log_density);
    sum += weight * normal_cdf(upper ? above : -above);
    weights += weight;
    return log_density > -kMaxLogDrop;
  };
  add(0);
  for (const double direction : {-smooth, smooth})
    for (double k = 1; add(k * direction);) ++k;
  return sum / weights;
}

/// First derivative by z of a log integrand, and minus the second.
struct Slope {
  double slope, curvature;
};

/// Finds the mode of a concave log integrand of a count y at the log rate m + s z with a standard normal z; its slope
/// in the log rate lies between y - rate and 0 if the rate is above y. Newton's method, with bisection when it is slow:
/// the mode may be hundreds of standard deviations away.
template <class SlopeAt>
double mode_of(double y, double m, double s, const SlopeAt& slope_at) {
  const double at_count = (std::log(y + 0.5) - m) / s;
  double low = std::min({at_count, 0.0, -0.5 * s}), high = std::max(at_count, 0.0);
  double z = at_count, last = high - low;
  for (int i = 0; i < 200; ++i) {
    const Slope at = slope_at(z);
    (at.slope > 0 ? low : high) = z;
    double move = at.slope / at.curvature;
    if (!(z + move > low && z + move < high) || std::abs(move) > 0.5 * last) move = std::midpoint(low, high) - z;
    last = std::abs(move);
    z += move;
    if (last <= 1e-12 * std::max(1.0, std::abs(z))) break;
  }
  return z;
}

/// Returns the log of the integral of exp(log_integrand) over the standard normal's measure without its constant,
/// summed outwards from the mode, whose curvature is given, until terms are negligible.
template <class LogIntegrand>
double log_sum_from(double mode, double curvature, const LogIntegrand& log_integrand) {
  constexpr double kMaxLogDrop = 40;
  const double step = 0.25 / std::sqrt(curvature), maximum = log_integrand(mode);
  double sum = 1;
  for (const double direction : {-step, step})
    for (double k = 1;; ++k) {
      const double below = maximum - log_integrand(mode + k * direction);
      if (!(below < kMaxLogDrop)) break;
      sum += std::exp(-below);
    }
  return maximum + std::log(sum * step / std::sqrt(2 * std::numbers::pi));
}

// Returns the log of E u^y e^-u / y!, u = e^f, f = m + s z: its curvature in z is 1 + s^2 u.
double component_log_probability(double y, double m, double variance) {
  const double s = std::sqrt(variance);
  if (s == 0) return poisson_log(y, m);
  const auto slope_at = [&](double z) {
    const double rate = std::exp(m + s * z);
    return Slope{s * (y - rate) - z, 1 + s * s * rate};
  };
  const double mode = mode_of(y, m, s, slope_at);
  return log_sum_from(mode, slope_at(mode).curvature,
                      [&](double z) { return poisson_log(y, m + s * z) - 0.5 * z * z; });
}

// Returns the same for the negative binomial law, whose curvature in f at y is (y + r) p (1 - p).
double component_log_negative_binomial(double y, double m, double variance, double dispersion) {
  const double s = std::sqrt(variance), shape = 1 / dispersion;
  const NegativeBinomialLaw law(shape);
  if (s == 0) return law.log_probability(y, m);
  const auto slope_at = [&](double z) {
    const double odds = std::exp(-(m + s * z + std::log(dispersion))), p = 1 / (1 + odds), q = 1 / (1 + 1 / odds);
    const double slope = y * q - shape * p;  // y - (y + r) p
    return Slope{s * slope - z, 1 + s * s * (y + shape) * p * q};
  };
  const double mode = mode_of(y, m, s, slope_at);
  return log_sum_from(mode, slope_at(mode).curvature,
                      [&](double z) { return law.log_probability(y, m + s * z) - 0.5 * z * z; });
}

}  // namespace

CountDistribution::CountDistribution(Matrix means, Matrix variances, Vector weights, Vector dispersions)
    : means_(std::move(means)),
      variances_(std::move(variances)),
      weights_(component_weights(std::move(weights), means_.cols())),
      dispersions_(dispersions.size() > 0 ? std::move(dispersions) : Vector::Zero(means_.cols())) {
  require(dispersions_.size() == means_.cols() && (dispersions_.array() >= 0).all(),
          "a count distribution has one dispersion, not negative, for each component");
  require(means_.cols() >= 1 && means_.rows() == variances_.rows() && means_.cols() == variances_.cols(),
          "a count distribution has one mean and variance for each row and component");
}

Vector CountDistribution::mean() const {
  return weighted_mean((means_ + 0.5 * variances_).array().exp().matrix(), weights_);
}

Vector CountDistribution::variance() const {
  const Matrix each = (means_ + 0.5 * variances_).array().exp();
  const Vector middle = weighted_mean(each, weights_);
  Matrix own =
      each.array() + each.array().square() * variances_.array().unaryExpr([](double v) { return std::expm1(v); });
  for (Index j = 0; j < own.cols(); ++j)
    if (dispersions_[j] > 0)
      own.col(j).array() += dispersions_[j] * each.col(j).array().square() * variances_.col(j).array().exp();
  Vector result = weighted_mean((own.array() + (each.colwise() - middle).array().square()).matrix(), weights_);
  for (Index i = 0; i < result.size(); ++i)
    if (std::isinf(middle[i])) result[i] = middle[i];
  return result;
}

Vector CountDistribution::cdf(ConstVec y) const { return tail(y, false); }

Vector CountDistribution::survival(ConstVec y) const { return tail(y, true); }

Vector CountDistribution::tail(ConstVec y, bool upper) const {
  require(y.size() == rows(), "one count for each row");
  Vector result = Vector::Zero(rows());
  for (Index i = 0; i < rows(); ++i)
    for (Index j = 0; j < means_.cols(); ++j)
      result[i] += weights_[j] * component_tail(y[i], means_(i, j), variances_(i, j), dispersions_[j], upper) /
                   static_cast<double>(means_.cols());
  return result.cwiseMin(1.0);
}

Vector CountDistribution::quantile(double probability) const {
  require(probability > 0 && probability < 1, "a quantile needs a probability between 0 and 1");
  Vector result(rows());
  const Vector middle = mean(), spread = variance().cwiseSqrt();
  for (Index i = 0; i < rows(); ++i) {
    const CountDistribution row(means_.row(i), variances_.row(i), weights_, dispersions_);
    const auto reached = [&](double count) { return row.cdf(Vector::Constant(1, count))[0] >= probability; };
    // Moments beyond the range of a double are no bound.
    const double above = std::ceil(middle[i] + spread[i]);
    double low = -1, high = above < kMaxCount ? above : kMaxCount;
    while (!reached(high) && high < kMaxCount) {
      low = high;
      high = 2 * high + 1;
    }
    while (high - low > 1) {
      const double between = std::floor(0.5 * (low + high));
      (reached(between) ? high : low) = between;
    }
    result[i] = high;
  }
  return result;
}

Vector CountDistribution::log_probability(ConstVec y) const {
  require(y.size() == rows(), "one count for each row");
  Vector result(rows());
  for (Index i = 0; i < rows(); ++i) {
    Vector logs(means_.cols());
    for (Index j = 0; j < logs.size(); ++j)
      logs[j] = dispersions_[j] > 0
                    ? component_log_negative_binomial(y[i], means_(i, j), variances_(i, j), dispersions_[j])
                    : component_log_probability(y[i], means_(i, j), variances_(i, j));
    result[i] = log_mean_exp(logs, weights_);
  }
  return result;
}

}  // namespace alacarte
