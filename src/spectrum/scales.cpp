#include "alacarte/spectrum/scales.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

constexpr double kShortest = 1e-8;

// Levels near 0 and small shapes reach beyond the doubles; the least scale takes care of what comes back.
using Quiet =
    boost::math::policies::policy<boost::math::policies::promote_double<false>,
                                  boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
                                  boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
                                  boost::math::policies::underflow_error<boost::math::policies::ignore_error>>;

// Of the law given that no scale is above the longest: for matern the gamma number then has a least value.
double scale_at(GammaScale::Kind kind, double shape, double level) {
  if (kind == GammaScale::Kind::rational_quadratic)
    return std::max(kShortest, std::sqrt(boost::math::gamma_p_inv(shape, level, Quiet()) / shape));
  const double least = shape / (kLongestScale * kLongestScale), below = boost::math::gamma_p(shape, least, Quiet());
  const double quantile = boost::math::gamma_p_inv(shape, below + (1 - below) * level, Quiet());
  return std::sqrt(shape / std::max(quantile, least));
}

// Fourth-order central difference of the logarithm of the scale in the logarithm of the shape: smooth in both, so that
// a step of 2e-3 leaves an error of 1e-11 of truncation and as much of rounding.
double log_scale_slope(GammaScale::Kind kind, double shape, double level) {
  constexpr double kStep = 2e-3;
  const auto at = [&](double steps) { return std::log(scale_at(kind, shape * std::exp(steps * kStep), level)); };
  return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * kStep);
}

}  // namespace

GammaScale::GammaScale(Kind kind, ConstVec levels) : kind_(kind), levels_(levels) {
  require(levels.size() > 0 && levels.minCoeff() > 0 && levels.maxCoeff() < 1, "levels of a law lie inside (0, 1)");
}

Vector GammaScale::scales(double shape) const {
  return levels_.unaryExpr([&](double level) { return scale_at(kind_, shape, level); });
}

Vector GammaScale::slopes(double shape) const {
  return levels_.unaryExpr([&](double level) { return log_scale_slope(kind_, shape, level); });
}

double limited_cauchy(double level) { return std::tan((2 * level - 1) * std::atan(kLongestScale)); }

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

// The integral of a line squared, from a to b: (a^2 + ab + b^2) / 3.
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
