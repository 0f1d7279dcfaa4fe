#include "radial.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {

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

}  // namespace alacarte
