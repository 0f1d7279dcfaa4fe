// Likelihoods of one output: four numbers a row.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/count_laws.hpp"
#include "model/likelihoods/entries.hpp"
#include "model/likelihoods/parametric.hpp"

namespace alacarte {
namespace {

/// Standard normal distribution function.
double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// Density of the standard normal distribution, and its logarithm.
double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }
double log_density(double z) { return -0.5 * z * z - 0.5 * std::log(2 * std::numbers::pi); }

/// Two classes, 0 and 1; `Derived::probability(mean, variance)` is that of class 1.
template <class Derived>
class BinaryLikelihood : public ScalarLikelihood<Derived> {
 public:
  TargetKind target() const final { return TargetKind::classes; }
  Index max_classes() const final { return 2; }
  double start_sd(double) const final { return 2; }

  std::string validate_targets(ConstVec y) const final {
    return (y.array() == 0 || y.array() == 1).all() ? "" : "is of two classes";
  }

  Matrix probabilities(ConstMat means, ConstMat covariances) const final {
    require(means.cols() == 1 && (covariances.size() == 0 || covariances.rows() == means.rows()),
            "probabilities: one mean and variance for each row");
    Matrix values(means.rows(), 2);
    for (Index i = 0; i < means.rows(); ++i) {
      const double variance = covariances.size() == 0 ? 0 : covariances(i, 0);
      values(i, 1) = Derived::probability(means(i, 0), variance);
      values(i, 0) = Derived::probability(-means(i, 0), variance);  // keeps its digits where class 1 is almost certain
    }
    return values;
  }
};

// Numbers with noise: p(y | f) = N(y; f, s2), here with s as the unit of y and f.
class Gaussian final : public ScalarLikelihood<Gaussian> {
 public:
  static RowTerms terms(double f, double y) {
    const double residual = y - f;
    return {log_density(residual), residual, 1, 0};
  }
  TargetKind target() const override { return TargetKind::numbers; }
  bool is_conjugate() const override { return true; }
  double start(double target_mean) const override { return target_mean; }
  double start_sd(double target_sd) const override { return target_sd; }
  std::string validate_targets(ConstVec y) const override { return y.allFinite() ? "" : "is of finite numbers"; }
};

// Counts: p(y | f) = exp(y f - e^f) / y!.
class Poisson final : public ScalarLikelihood<Poisson> {
 public:
  static RowTerms terms(double f, double y) {
    const double rate = std::exp(f);
    return {poisson_log(y, f), y - rate, rate, rate};
  }
  TargetKind target() const override { return TargetKind::counts; }
  double start(double target_mean) const override { return std::log(std::max(target_mean, 0.0) + 0.1); }
  double start_sd(double) const override { return 1; }
  std::string validate_targets(ConstVec y) const override {
    for (const double value : y)
      if (!(value >= 0 && value <= kMaxCount && value == std::floor(value)))
        return fmt::format("is of counts from 0 to {:g}, and {:g} is none", kMaxCount, value);
    return {};
  }
};

double logistic(double f) { return f >= 0 ? 1 / (1 + std::exp(-f)) : std::exp(f) / (1 + std::exp(f)); }

// Computes E logistic(m + sqrt(v) z) by the trapezoid rule, which converges like exp(-2 pi a / h) where the integrand
// is analytic to distance a off the line. Narrow laws: in z, where the poles of the logistic function are pi / sqrt(v)
// away. Wide ones: in f, of what the logistic function has beyond the normal distribution function of sd c, whose mean
// is closed; that difference is gone at |f| = 32. Either way the error is below 1e-12.
double mean_logistic(double m, double v) {
  if (v <= 0) return logistic(m);
  if (v <= 1) {
    constexpr double kStep = 0.5, kReach = 8.5;
    double sum = 0, weights = 0;
    for (double z = -kReach; z <= kReach; z += kStep) {
      const double weight = std::exp(-0.5 * z * z);
      sum += weight * logistic(m + std::sqrt(v) * z);
      weights += weight;
    }
    return sum / weights;
  }
  constexpr double kStep = 0.5, kReach = 32, kSd = 1.7;
  const double sd = std::sqrt(v);
  double sum = 0;
  for (double f = -kReach; f <= kReach; f += kStep)
    sum += (logistic(f) - normal_cdf(f / kSd)) * normal_density((f - m) / sd);
  return std::clamp(normal_cdf(m / std::sqrt(kSd * kSd + v)) + sum * kStep / sd, 0.0, 1.0);
}

// p(1 | f) = 1 / (1 + exp(-f)).
class Logit final : public BinaryLikelihood<Logit> {
 public:
  static RowTerms terms(double f, double y) {
    const double sign = y > 0.5 ? 1 : -1, own = logistic(sign * f), other = logistic(-sign * f);
    const double value = sign * f > 0 ? -std::log1p(std::exp(-sign * f)) : sign * f - std::log1p(std::exp(sign * f));
    return {value, sign * other, own * other, own * other * sign * (other - own)};
  }
  static double probability(double mean, double variance) { return mean_logistic(mean, variance); }
  double start(double share) const override {
    const double p = std::clamp(share, 0.01, 0.99);
    return std::log(p / (1 - p));
  }
};

// Returns the terms at z = f for class 1, -f for class 0. r = phi/Phi: d log Phi = r, W = r (z + r), dW/dz = r - W (z +
// 2 r). Far to the left these differences lose all digits, and the series in 1/z have them: r = -z (1 + z^-2 - 2 z^-4 +
// 10 z^-6 - ..).
RowTerms left_tail(double z) {
  const double u = 1 / (z * z);
  const double r = -z * (1 + u * (1 - u * (2 - 10 * u)));
  return {log_density(z) - std::log(r), r, 1 - u * (1 - u * (6 - 50 * u)), (2 * u - u * u * (24 - 300 * u)) / z};
}

RowTerms of_sign(double z) {
  constexpr double kTail = -25;
  if (z < kTail) return left_tail(z);
  const double cdf = normal_cdf(z), r = std::exp(log_density(z)) / cdf;
  const double curvature = r * (z + r);
  return {z > 0 ? std::log1p(-normal_cdf(-z)) : std::log(cdf), r, curvature, r - curvature * (z + 2 * r)};
}

// p(1 | f) = Phi(f), the normal distribution function.
class Probit final : public BinaryLikelihood<Probit> {
 public:
  static RowTerms terms(double f, double y) {
    const double sign = y > 0.5 ? 1 : -1;
    RowTerms terms = of_sign(sign * f);
    terms.gradient *= sign;
    terms.slope *= sign;
    return terms;
  }
  // Closed: E Phi(f) = Phi(m / sqrt(1 + v)).
  static double probability(double mean, double variance) { return normal_cdf(mean / std::sqrt(1 + variance)); }
  // The logistic function is about Phi(f / 1.7).
  double start(double share) const override {
    const double p = std::clamp(share, 0.01, 0.99);
    return std::log(p / (1 - p)) / 1.7;
  }
};

}  // namespace

const Likelihood& gaussian_likelihood() {
  static const Gaussian likelihood;
  return likelihood;
}
const Likelihood& poisson_likelihood() {
  static const Poisson likelihood;
  return likelihood;
}
const Likelihood& logit_likelihood() {
  static const Logit likelihood;
  return likelihood;
}
const Likelihood& probit_likelihood() {
  static const Probit likelihood;
  return likelihood;
}

}  // namespace alacarte
