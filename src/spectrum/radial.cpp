#include "radial.hpp"

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

Vector chi_lengths(Index count, double degrees, RandomStream& stream) {
  Vector lengths(count);
  for (Index i = 0; i < count; ++i) lengths[i] = stream.chi(degrees);
  return lengths;
}

Vector stratified_levels(Index count, RandomStream& stream) {
  Vector ordered(count), levels(count);
  for (Index j = 0; j < count; ++j)
    ordered[j] = std::clamp((static_cast<double>(j) + stream.uniform()) / static_cast<double>(count), 1e-12, 1 - 1e-12);
  const auto order = stream.permutation(count);
  for (Index j = 0; j < count; ++j) levels[j] = ordered[order[static_cast<std::size_t>(j)]];
  return levels;
}

HatLaw::HatLaw(ConstVec levels) : standard_(levels.size()) {
  for (Index j = 0; j < levels.size(); ++j)
    standard_[j] = levels[j] <= 0.5 ? std::sqrt(2 * levels[j]) : 2 - std::sqrt(2 * (1 - levels[j]));
}

Vector HatLaw::lengths(double mu, double sigma) const { return mu + sigma * standard_.array(); }

void HatLaw::pullback(ConstVec length_bar, double& mu_bar, double& sigma_bar) const {
  require(length_bar.size() == standard_.size(), "hat law: one cotangent for each length");
  mu_bar = length_bar.sum();
  sigma_bar = length_bar.dot(standard_);
}

double HatLaw::cdf(double length, double mu, double sigma) {
  const double t = std::clamp((length - mu) / sigma, 0.0, 2.0);
  return t <= 1 ? 0.5 * t * t : 1 - 0.5 * (2 - t) * (2 - t);
}

// Uses that the hat is symmetric about mu + sigma with variance sigma²/6.
double HatLaw::mean_square(double mu, double sigma) { return (mu + sigma) * (mu + sigma) + sigma * sigma / 6; }

KnotLaw::KnotLaw(ConstVec log_increments, ConstVec logits) {
  const Index hats = logits.size();
  require(hats >= 1 && log_increments.size() == hats + 1, "knot law: K logits need K + 1 increments");
  increments_ = log_increments.array().exp();
  weights_ = (logits.array() - logits.maxCoeff()).exp();
  weights_ /= weights_.sum();
  knots_.setZero(hats + 2);
  heights_.setZero(hats + 2);
  cumulative_.setZero(hats + 2);
  heights_.segment(1, hats) = weights_;
  for (Index j = 1; j < knots_.size(); ++j) {
    knots_[j] = knots_[j - 1] + increments_[j - 1];
    cumulative_[j] = cumulative_[j - 1] + 0.5 * (heights_[j - 1] + heights_[j]) * increments_[j - 1];
  }
  mass_ = cumulative_[hats + 1];
  heights_ /= mass_;
  cumulative_ /= mass_;
}

Index KnotLaw::segment_of(double length) const {
  const double* begin = knots_.data() + 1;
  const double* end = knots_.data() + knots_.size() - 1;
  return std::lower_bound(begin, end, length) - knots_.data();
}

double KnotLaw::density(double length) const {
  if (!(length > 0) || length >= knots_[knots_.size() - 1]) return 0;
  const Index j = segment_of(length);
  const double share = (length - knots_[j - 1]) / increments_[j - 1];
  return heights_[j - 1] + (heights_[j] - heights_[j - 1]) * share;
}

double KnotLaw::cdf(double length) const {
  if (!(length > 0)) return 0;
  if (length >= knots_[knots_.size() - 1]) return 1;
  const Index j = segment_of(length);
  const double t = length - knots_[j - 1];
  return cumulative_[j - 1] + t * (heights_[j - 1] + 0.5 * (heights_[j] - heights_[j - 1]) * t / increments_[j - 1]);
}

// Solves F = F_{j-1} + h t + slope t²/2 in segment j, without cancellation: 2c / (h + sqrt(h² + 2 slope c)).
double KnotLaw::quantile(double level) const {
  const double* begin = cumulative_.data() + 1;
  const double* end = cumulative_.data() + cumulative_.size() - 1;
  const Index j = std::lower_bound(begin, end, level) - cumulative_.data();
  const double left = std::max(0.0, level - cumulative_[j - 1]), h = heights_[j - 1];
  const double slope = (heights_[j] - h) / increments_[j - 1];
  const double below = h + std::sqrt(std::max(0.0, h * h + 2 * slope * left));
  const double t = below > 0 ? 2 * left / below : 0;
  return knots_[j - 1] + std::min(t, increments_[j - 1]);
}

double KnotLaw::mean_square() const {
  double sum = 0;
  for (Index j = 1; j < knots_.size(); ++j) {
    const double p = knots_[j - 1], q = knots_[j];
    sum += increments_[j - 1] / 12 *
           (heights_[j - 1] * (3 * p * p + 2 * p * q + q * q) + heights_[j] * (p * p + 2 * p * q + 3 * q * q));
  }
  return sum;
}

Vector KnotLaw::lengths(ConstVec levels) const {
  Vector lengths(levels.size());
  for (Index j = 0; j < levels.size(); ++j) lengths[j] = quantile(levels[j]);
  return lengths;
}

// Uses A(s), the unnormalised distribution function, and M = A(r_{K+1}): F = A/M and rho = a(s)/M, so that ds/dp = (u
// dM/dp - dA/dp (s)) / a(s). Sums over the lengths of one segment are first gathered as polynomials in t.
void KnotLaw::pullback(ConstVec levels, ConstVec lengths, ConstVec length_bar, VecRef log_increments_bar,
                       VecRef logits_bar) const {
  const Index hats = weights_.size(), last = hats + 1;
  require(levels.size() == lengths.size() && lengths.size() == length_bar.size() && log_increments_bar.size() == last &&
              logits_bar.size() == hats,
          "knot law: shapes do not fit");
  const auto weight = [&](Index i) { return i >= 1 && i <= hats ? weights_[i - 1] : 0.0; };
  Vector weight_bar = Vector::Zero(hats + 2), increment_bar = Vector::Zero(last);
  Vector passed = Vector::Zero(hats + 2);  // sum of g over the lengths in segments above j
  double through_mass = 0;
  for (Index k = 0; k < lengths.size(); ++k) {
    const double at = density(lengths[k]) * mass_;
    if (!(at > 0)) continue;  // at the ends of the support the length is a knot; its level is never exactly there
    const Index j = segment_of(lengths[k]);
    const double g = length_bar[k] / at, width = increments_[j - 1], t = lengths[k] - knots_[j - 1];
    through_mass += g * levels[k];
    weight_bar[j - 1] -= g * (t - 0.5 * t * t / width);
    weight_bar[j] -= g * 0.5 * t * t / width;
    increment_bar[j - 1] += g * 0.5 * (weight(j) - weight(j - 1)) * t * t / (width * width);
    // t = s - r_{j-1} shrinks when an earlier increment grows: dA/dp gains -a(s) beside the passed area.
    if (j >= 2) passed[j - 1] += g;
    if (j >= 2) increment_bar.head(j - 1).array() += length_bar[k];
  }
  for (Index j = last - 1; j >= 1; --j) passed[j] += passed[j + 1];
  for (Index j = 1; j <= last; ++j) {
    const double area = through_mass - passed[j];
    weight_bar[j - 1] += 0.5 * increments_[j - 1] * area;
    weight_bar[j] += 0.5 * increments_[j - 1] * area;
    increment_bar[j - 1] += 0.5 * (weight(j - 1) + weight(j)) * area;
  }
  log_increments_bar = increment_bar.cwiseProduct(increments_);
  const auto inner = weight_bar.segment(1, hats);
  logits_bar = weights_.array() * (inner.array() - weights_.dot(inner));
}

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
