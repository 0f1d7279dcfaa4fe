#include "scales.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "core/special_functions.hpp"

namespace alacarte {
namespace {

constexpr double kMinScale = 1e-8;
constexpr double kRounding = 1e-17;  // smallest relevant term of a sum

// Returns the scale at a level of the law truncated at the largest scale: for matern the gamma variable then has a
// lower bound. Levels near 0 and small shapes underflow; the bound handles the result.
double scale_at(GammaScale::Kind kind, double shape, double level) {
  if (kind == GammaScale::Kind::rational_quadratic)
    return std::max(kMinScale, std::sqrt(gamma_p_inverse(shape, level) / shape));
  const double minimum = shape / (kMaxScale * kMaxScale), below = gamma_p(shape, minimum);
  const double quantile = gamma_p_inverse(shape, below + (1 - below) * level);
  return std::sqrt(shape / std::max(quantile, minimum));
}

// Returns true where the sum over Q avoids cancellation.
bool in_upper_tail(double shape, double x) { return x > shape + std::sqrt(shape) + 1; }

// Uses P(shape, x) = x p(x) / shape sum_n t_n, t_n = x^n / ((shape + 1) .. (shape + n)), whose logarithms have the
// slopes log x - psi(shape + n + 1).
double slope_by_series(double shape, double x) {
  const double log_x = std::log(x);
  double psi = digamma(shape + 1), term = 1, sum = psi - log_x;
  for (double n = 1; term > kRounding; ++n) {
    term *= x / (shape + n);
    psi += 1 / (shape + n);
    sum += term * (psi - log_x);
  }
  return sum / shape;
}

// Uses Q(shape, x) = x p(x) F with the continued fraction F = 1 / (b_0 + a_1 / (b_1 + a_2 / (b_2 + ..))), b_n = x + 2 n
// + 1 - shape, a_n = n (shape - n), summed by Steed's rule; each slope follows its value.
double slope_by_fraction(double shape, double x) {
  double d = 1 / (x + 1 - shape), d_slope = d * d;
  double step = d, step_slope = d_slope, f = step, f_slope = step_slope;
  for (double n = 1; std::abs(step) > kRounding * f || std::abs(step_slope) > kRounding * std::abs(f_slope); ++n) {
    const double b = x + 2 * n + 1 - shape, a = n * (shape - n);
    d_slope = -1 + n * d + a * d_slope;
    d = 1 / (b + a * d);
    d_slope *= -d * d;
    step_slope = (b * d_slope - d) * step + (b * d - 1) * step_slope;
    step *= b * d - 1;
    f += step;
    f_slope += step_slope;
  }
  return f * (std::log(x) - digamma(shape)) + f_slope;
}

// Returns d log q / d log shape of the quantile q = x of Gamma(shape, 1) at a fixed level: -shape (dP/dshape) / (x
// p(x)) at (shape, x), both of which are sums with a factor x p(x).
double log_quantile_slope(double shape, double x) {
  return shape * (in_upper_tail(shape, x) ? slope_by_fraction(shape, x) : slope_by_series(shape, x));
}

// Adds, for matern, the change of the level within Gamma(shape, 1): (1 - level) times the slope of the mass below it.
double log_scale_slope(GammaScale::Kind kind, double shape, double level, double scale) {
  if (!(scale > kMinScale)) return 0;
  if (kind == GammaScale::Kind::rational_quadratic) return 0.5 * (log_quantile_slope(shape, shape * scale * scale) - 1);
  const double minimum = shape / (kMaxScale * kMaxScale), quantile = shape / (scale * scale);
  const double ratio_of_densities = std::exp(shape * std::log(minimum / quantile) + quantile - minimum);  // in log g
  const double below = (1 - level) * ratio_of_densities * (1 - log_quantile_slope(shape, minimum));
  return 0.5 * (1 - log_quantile_slope(shape, quantile) - below);
}

}  // namespace

GammaScale::GammaScale(Kind kind, ConstVec levels) : kind_(kind), levels_(levels) {
  require(levels.size() > 0 && levels.minCoeff() > 0 && levels.maxCoeff() < 1, "levels of a law lie inside (0, 1)");
}

Vector GammaScale::scales(double shape) const {
  return levels_.unaryExpr([&](double level) { return scale_at(kind_, shape, level); });
}

Vector GammaScale::slopes(double shape, ConstVec scales) const {
  require(scales.size() == levels_.size(), "one scale for each level");
  return levels_.binaryExpr(scales,
                            [&](double level, double scale) { return log_scale_slope(kind_, shape, level, scale); });
}

double truncated_cauchy_quantile(double level) { return std::tan((2 * level - 1) * std::atan(kMaxScale)); }

Vector ball_sum_lengths(Index count, Index balls, Index dimension, RandomStream& stream) {
  require(count > 0 && balls > 0 && dimension > 0, "sums of points of a ball");
  Vector lengths(count), sum(dimension);
  for (Index i = 0; i < count; ++i) {
    sum.setZero();
    for (Index t = 0; t < balls; ++t) {
      const Vector point = stream.normals(dimension);
      sum += point * (std::pow(1 - stream.uniform(), 1 / static_cast<double>(dimension)) / point.norm());
    }
    lengths[i] = sum.norm();
  }
  return lengths;
}

Vector interpolated_quantiles(const std::vector<double>& quantiles, ConstVec levels) {
  require(quantiles.size() >= 2, "a law needs two quantiles");
  const auto pieces = static_cast<double>(quantiles.size() - 1);
  Vector values(levels.size());
  for (Index i = 0; i < values.size(); ++i) {
    const double place = std::clamp(levels[i], 0.0, 1.0) * pieces;
    const auto piece = static_cast<std::size_t>(std::min(std::floor(place), pieces - 1));
    values[i] = quantiles[piece] + (place - static_cast<double>(piece)) * (quantiles[piece + 1] - quantiles[piece]);
  }
  return values;
}

// Integrates the square of a line from a to b: (a^2 + ab + b^2) / 3.
double mean_square_of_quantiles(const std::vector<double>& quantiles) {
  require(quantiles.size() >= 2, "a law needs two quantiles");
  double sum = 0;
  for (std::size_t k = 1; k < quantiles.size(); ++k) {
    const double a = quantiles[k - 1], b = quantiles[k];
    sum += (a * a + a * b + b * b) / 3;
  }
  return sum / static_cast<double>(quantiles.size() - 1);
}

}  // namespace alacarte
