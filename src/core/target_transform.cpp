#include "alacarte/core/predictive_distribution.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/tools/minima.hpp>
#include <numbers>
#include <vector>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMaxLambda = 2;
constexpr int kLambdaBits = 24;
constexpr std::uintmax_t kLambdaSteps = 60;
// Standard deviations that quadrature reaches; a factor that grows like exp(k u) moves the mass by k standard
// deviations times that of u.
constexpr double kReach = 9, kScoreReach = 7;
constexpr double kFirstPanel = 0.125, kWidestPanel = 2;  // in standard deviations, from the kink at u = 0
constexpr int kScoreDepth = 14;
constexpr double kScoreTolerance = 1e-9;

/// Returns ((1 + x)^power - 1) / power for x >= 0; log(1 + x) for power 0.
double power_of(double x, double power) {
  return power == 0 ? std::log1p(x) : std::expm1(power * std::log1p(x)) / power;
}

/// Returns the x >= 0 with power_of(x, power) = u >= 0.
double root_of(double u, double power) {
  return power == 0 ? std::expm1(u) : std::expm1(std::log1p(power * u) / power);
}

double median_size(ConstVec values) {
  std::vector<double> sizes(static_cast<std::size_t>(values.size()));
  std::transform(values.begin(), values.end(), sizes.begin(), [](double value) { return std::abs(value); });
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

/// Returns the weighted mean over normals of the tail beyond u: above if `upper`.
double mixture_tail(ConstVec means, ConstVec variances, ConstVec weights, double u, bool upper) {
  double sum = 0;
  for (Index j = 0; j < means.size(); ++j) {
    const double step = upper ? u - means[j] : means[j] - u;
    sum += weights[j] * (variances[j] > 0 ? 0.5 * std::erfc(step / std::sqrt(2 * variances[j])) : step < 0 ? 1.0 : 0.0);
  }
  return sum / static_cast<double>(means.size());
}

}  // namespace

TargetTransform TargetTransform::log() {
  TargetTransform result;
  result.kind_ = Kind::log;
  result.minimum_ = 0;
  return result;
}

TargetTransform TargetTransform::yeo_johnson(double lambda, double unit, double minimum) {
  require(lambda >= 0 && lambda <= kMaxLambda, "yeo-johnson: an exponent from 0 to 2");
  require(unit > 0 && std::isfinite(unit), "yeo-johnson: a finite unit above 0");
  require(minimum == 0 || minimum == -kInfinity, "yeo-johnson: a minimum of 0 or none");
  TargetTransform result;
  result.kind_ = Kind::yeo_johnson;
  result.lambda_ = lambda;
  result.unit_ = unit;
  result.minimum_ = minimum;
  return result;
}

TargetTransform TargetTransform::learn_yeo_johnson(ConstVec targets) {
  require(targets.size() > 0 && targets.allFinite(), "yeo-johnson: finite targets");
  const double middle = median_size(targets), unit = middle > 0 ? middle : 1;
  const double minimum = targets.minCoeff() >= 0 ? 0 : -kInfinity;
  const auto loss = [&](double lambda) {
    const TargetTransform own = yeo_johnson(lambda, unit, minimum);
    const Vector u = own.forward(targets);
    double slopes = 0;
    for (const double y : targets) slopes += own.log_slope(y);
    const double n = static_cast<double>(u.size()), spread = (u.array() - u.mean()).square().sum() / n;
    return spread > 0 ? 0.5 * n * std::log(spread) - slopes : -slopes;
  };
  std::uintmax_t steps = kLambdaSteps;
  auto [lambda, least] = boost::math::tools::brent_find_minima(loss, 0.0, kMaxLambda, kLambdaBits, steps);
  // The search does not reach the ends of its range.
  for (const double end : {0.0, kMaxLambda})
    if (const double own = loss(end); own < least) {
      lambda = end;
      least = own;
    }
  return yeo_johnson(lambda, unit, minimum);
}

double TargetTransform::forward(double y) const {
  if (kind_ == Kind::identity) return y;
  if (kind_ == Kind::log) return y > 0 ? std::log(y) : -kInfinity;
  if (y < minimum_) return -kInfinity;
  const double x = y / unit_;
  return x >= 0 ? power_of(x, lambda_) : -power_of(-x, kMaxLambda - lambda_);
}

double TargetTransform::raw_inverse(double u) const {
  if (kind_ == Kind::identity) return u;
  if (kind_ == Kind::log) return std::exp(u);
  return unit_ * (u >= 0 ? root_of(u, lambda_) : -root_of(-u, kMaxLambda - lambda_));
}

double TargetTransform::inverse(double u) const { return std::max(minimum_, raw_inverse(u)); }

Vector TargetTransform::forward(ConstVec y) const {
  return y.unaryExpr([this](double value) { return forward(value); });
}

Vector TargetTransform::inverse(ConstVec u) const {
  return u.unaryExpr([this](double value) { return inverse(value); });
}

double TargetTransform::log_slope(double y) const {
  if (kind_ == Kind::identity) return 0;
  if (kind_ == Kind::log) return -std::log(y);
  const double x = y / unit_;
  return (x >= 0 ? lambda_ - 1 : 1 - lambda_) * std::log1p(std::abs(x)) - std::log(unit_);
}

double TargetTransform::log_inverse_slope(double u) const {
  if (kind_ == Kind::identity) return 0;
  if (kind_ == Kind::log) return u;
  if (u < 0 && minimum_ == 0) return -kInfinity;
  return -log_slope(raw_inverse(u));
}

TargetTransform::Moments TargetTransform::moments(double mean, double variance) const {
  if (kind_ == Kind::identity) return {mean, variance};
  if (!(variance > 0)) return {inverse(mean), 0};
  if (kind_ == Kind::log) {
    const double own = std::exp(mean + 0.5 * variance);
    // The factors alone may overflow.
    return {own, std::exp(2 * mean + variance + std::log(std::expm1(variance)))};
  }
  // Deviations from a value near the mean lose no digits.
  const double sd = std::sqrt(variance), reach = kReach + 2 * sd, kink = -mean / sd, centre = inverse(mean);
  double first = 0, second = 0;
  const auto add_panel = [&](double from, double to) {
    using Rule = boost::math::quadrature::gauss<double, 10>;
    const double middle = 0.5 * (from + to), half = 0.5 * std::abs(to - from);
    for (std::size_t k = 0; k < Rule::abscissa().size(); ++k)
      for (const double side : {-1.0, 1.0}) {
        const double t = middle + side * half * Rule::abscissa()[k];
        const double weight = half * Rule::weights()[k] * std::exp(-0.5 * t * t) / std::sqrt(2 * std::numbers::pi);
        const double step = inverse(mean + sd * t) - centre;
        first += weight * step;
        second += weight * step * step;
      }
  };
  // Panels widen from the kink at u = 0, where derivatives jump or are large.
  for (const double side : {-1.0, 1.0}) {
    double from = side > 0 ? std::max(kink, -reach) : std::min(kink, reach), width = kFirstPanel;
    for (const double limit = side * reach; side * (limit - from) > 0; width = std::min(kWidestPanel, 2 * width)) {
      const double to = side > 0 ? std::min(limit, from + width) : std::max(limit, from - width);
      add_panel(from, to);
      from = to;
    }
  }
  return {centre + first, std::max(0.0, second - first * first)};
}

double TargetTransform::crps(ConstVec means, ConstVec variances, ConstVec weights, double target) const {
  double low = kInfinity, high = -kInfinity;
  for (Index j = 0; j < means.size(); ++j) {
    const double sd = std::sqrt(variances[j]), reach = sd * (kScoreReach + sd);
    low = std::min(low, means[j] - reach);
    high = std::max(high, means[j] + reach);
  }
  if (kind_ == Kind::yeo_johnson && minimum_ == 0) {
    low = std::max(low, 0.0);
    high = std::max(high, 0.0);
  }
  const double at = std::clamp(forward(target), low, high);
  double sum = target < inverse(low) ? inverse(low) - target : target > inverse(high) ? target - inverse(high) : 0;
  std::vector<double> ends{low, at, high};
  const double middle = weights.dot(means) / weights.sum();
  for (const double split : {0.0, middle})
    if (split > low && split < high) ends.push_back(split);
  std::sort(ends.begin(), ends.end());
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    if (!(ends[k] < ends[k + 1])) continue;
    const bool upper = ends[k] >= at;
    const auto density = [&](double u) {
      const double tail = mixture_tail(means, variances, weights, u, upper);
      return tail > 0 ? std::exp(2 * std::log(tail) + log_inverse_slope(u)) : 0.0;
    };
    sum += boost::math::quadrature::gauss_kronrod<double, 15>::integrate(density, ends[k], ends[k + 1], kScoreDepth,
                                                                         kScoreTolerance);
  }
  return sum;
}

TargetTransform learn_transform(TargetScaling scaling, ConstVec targets) {
  if (scaling == TargetScaling::log) return TargetTransform::log();
  return scaling == TargetScaling::yeo_johnson ? TargetTransform::learn_yeo_johnson(targets) : TargetTransform();
}

std::string TargetTransform::text() const {
  if (kind_ == Kind::identity) return "none";
  if (kind_ == Kind::log) return "log";
  return fmt::format("yeo-johnson with exponent {:.3g} of the target in units of {:.4g}", lambda_, unit_);
}

}  // namespace alacarte
