// p(1 | f) = Phi(f), the normal distribution function.
#include <algorithm>
#include <numbers>

#include "model/likelihoods/entries.hpp"
#include "model/likelihoods/scalar.hpp"

namespace alacarte {
namespace {

double log_density(double z) { return -0.5 * z * z - 0.5 * std::log(2 * std::numbers::pi); }

// Of z = f for class 1, -f for class 0. r = phi/Phi: d log Phi = r, W = r (z + r), dW/dz = r - W (z + 2 r). Far to the
// left these differences lose all digits, and the series in 1/z have them: r = -z (1 + z^-2 - 2 z^-4 + 10 z^-6 - ..).
ScalarTerms left_tail(double z) {
  const double u = 1 / (z * z);
  const double r = -z * (1 + u * (1 - u * (2 - 10 * u)));
  return {log_density(z) - std::log(r), r, 1 - u * (1 - u * (6 - 50 * u)), (2 * u - u * u * (24 - 300 * u)) / z};
}

ScalarTerms of_sign(double z) {
  constexpr double kTail = -25;
  if (z < kTail) return left_tail(z);
  const double cdf = normal_cdf(z), r = std::exp(log_density(z)) / cdf;
  const double curvature = r * (z + r);
  return {z > 0 ? std::log1p(-normal_cdf(-z)) : std::log(cdf), r, curvature, r - curvature * (z + 2 * r)};
}

class Probit final : public BinaryLikelihood<Probit> {
 public:
  static ScalarTerms terms(double f, double y) {
    const double sign = y > 0.5 ? 1 : -1;
    ScalarTerms terms = of_sign(sign * f);
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

const Likelihood& probit_likelihood() {
  static const Probit likelihood;
  return likelihood;
}

}  // namespace alacarte
