#include "core/count_laws.hpp"

#include <algorithm>
#include <cmath>

#include "core/special_functions.hpp"

namespace alacarte {
namespace {

/// Returns log Gamma(x + 1) less Stirling's x log x - x + log(2 pi x) / 2, for x > 0.
double stirling_error(double x) {
  constexpr double kSeries = 16;
  if (x < kSeries) return std::lgamma(x + 1) - (x + 0.5) * std::log(x) + x - 0.5 * kLogTwoPi;
  const double u = 1 / (x * x);
  return (1.0 / 12 - u * (1.0 / 360 - u * (1.0 / 1260 - u / 1680))) / x;
}

}  // namespace

double exponential_excess(double z) {
  constexpr double kSmall = 0.5;
  constexpr int kTerms = 15;
  if (std::abs(z) > kSmall) return std::expm1(z) - z;
  double sum = 1;
  for (int k = kTerms; k > 2; --k) sum = 1 + sum * z / k;
  return 0.5 * z * z * sum;
}

double poisson_log(double count, double log_rate) {
  if (count == 0) return -std::exp(log_rate);
  const double log_count = std::log(count);
  return -count * exponential_excess(log_rate - log_count) - 0.5 * (kLogTwoPi + log_count) - stirling_error(count);
}

NegativeBinomialLaw::NegativeBinomialLaw(double shape)
    : shape_(shape), log_shape_(std::log(shape)), error_of_shape_(stirling_error(shape)) {}

double NegativeBinomialLaw::log_probability(double count, double log_mean) const {
  constexpr double kPoissonShape = 1e20;  // beyond, the two differ by less than rounding
  if (shape_ > kPoissonShape) return poisson_log(count, log_mean);
  // log(r + u) with r the shape and u the mean.
  const double apart = log_mean - log_shape_, tail = std::log1p(std::exp(-std::abs(apart)));
  if (count == 0) return -shape_ * (std::max(apart, 0.0) + tail);
  const double log_both = log_shape_ + std::max(apart, 0.0) + tail;
  const double all = count + shape_, log_all = std::log(all), log_count = std::log(count);
  return stirling_error(all) - error_of_shape_ - stirling_error(count) -
         shape_ * exponential_excess(log_all - log_both) -
         count * exponential_excess(log_all - log_both + log_mean - log_count) +
         0.5 * (log_shape_ - log_all - log_count - kLogTwoPi);
}

}  // namespace alacarte
