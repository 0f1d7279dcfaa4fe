// p(1 | f) = 1 / (1 + exp(-f)).
#include <algorithm>
#include <numbers>

#include "model/likelihoods/entries.hpp"
#include "model/likelihoods/scalar.hpp"

namespace alacarte {
namespace {

double logistic(double f) { return f >= 0 ? 1 / (1 + std::exp(-f)) : std::exp(f) / (1 + std::exp(f)); }

double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }

// E logistic(m + sqrt(v) z) by the trapezoid rule, which converges like exp(-2 pi a / h) where the integrand is
// analytic to distance a off the line. Narrow laws: in z, where the poles of the logistic function are pi / sqrt(v)
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

class Logit final : public BinaryLikelihood<Logit> {
 public:
  static ScalarTerms terms(double f, double y) {
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

}  // namespace

const Likelihood& logit_likelihood() {
  static const Logit likelihood;
  return likelihood;
}

}  // namespace alacarte
