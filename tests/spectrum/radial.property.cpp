#include "spectrum/radial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/differences.hpp"

namespace alacarte {
namespace {

TEST(StratifiedLevels, OneInEachStratumInRandomOrder) {
  RandomStream stream(1);
  const Vector levels = stratified_levels(200, stream);
  Vector sorted = levels;
  std::sort(sorted.data(), sorted.data() + sorted.size());
  for (Index j = 0; j < 200; ++j) EXPECT_EQ(static_cast<Index>(sorted[j] * 200), j);
  EXPECT_FALSE(std::is_sorted(levels.data(), levels.data() + levels.size()));
  EXPECT_GT(sorted[0], 0);
  EXPECT_LT(sorted[199], 1);
}

TEST(ChiLengths, SecondMomentIsTheDegrees) {
  RandomStream stream(2);
  const Index n = 40000;
  const double degrees = 8;
  const Vector s = chi_lengths(n, degrees, stream);
  // chi² has variance 2 * degrees; five standard errors: a false alarm in 2 million seeds.
  EXPECT_NEAR(s.squaredNorm() / n, degrees, 5 * std::sqrt(2 * degrees / n));
}

TEST(HatLaw, QuantileInvertsTheDistributionInsideItsSupport) {
  RandomStream stream(3);
  const Vector levels = stratified_levels(500, stream);
  const double mu = 0.4, sigma = 1.7;
  const Vector s = HatLaw(levels).lengths(mu, sigma);
  EXPECT_GE(s.minCoeff(), mu);
  EXPECT_LE(s.maxCoeff(), mu + 2 * sigma);
  for (Index j = 0; j < s.size(); ++j) EXPECT_NEAR(HatLaw::cdf(s[j], mu, sigma), levels[j], 1e-14);
  EXPECT_NEAR(s.squaredNorm() / 500, HatLaw::mean_square(mu, sigma), 0.01);
  EXPECT_EQ(HatLaw::cdf(0.1, mu, sigma), 0);
  EXPECT_EQ(HatLaw::cdf(9, mu, sigma), 1);
}

TEST(HatLaw, PullbackMatchesDifferences) {
  RandomStream stream(4);
  const HatLaw law(stratified_levels(30, stream));
  const Vector bar = stream.normals(30);
  Vector at(2), analytic(2);
  at << 0.9, 0.5;
  law.pullback(bar, analytic[0], analytic[1]);
  const Vector numeric = central_differences([&](ConstVec p) { return law.lengths(p[0], p[1]).dot(bar); }, at);
  EXPECT_LT(worst_relative_error(analytic, numeric), 1e-9);
}

struct KnotCase {
  Vector increments, logits;
};

KnotCase knot_case(Index hats, std::uint64_t seed) {
  RandomStream stream(seed);
  return {0.5 * stream.normals(hats + 1), stream.normals(hats)};
}

TEST(KnotLaw, MassMonotonicityAndInversion) {
  for (const Index hats : {1, 2, 5, 20}) {
    const KnotCase c = knot_case(hats, 5);
    const KnotLaw law(c.increments, c.logits);
    const double end = law.knots()[hats + 1];
    EXPECT_EQ(law.heights()[0], 0);
    EXPECT_EQ(law.heights()[hats + 1], 0);
    EXPECT_EQ(law.quantile(0), 0);
    EXPECT_NEAR(law.quantile(1), end, 1e-7 * end);
    double previous = -1, mass = 0, square = 0;
    const Index steps = 20000;
    for (Index i = 0; i < steps; ++i) {
      const double u = (static_cast<double>(i) + 0.5) / steps, s = law.quantile(u);
      EXPECT_GE(s, previous);
      EXPECT_NEAR(law.cdf(s), u, 1e-13);
      previous = s;
      square += s * s / steps;
      mass += law.density(u * end) * end / steps;
    }
    EXPECT_NEAR(mass, 1, 1e-4);
    EXPECT_NEAR(square, law.mean_square(), 1e-3 * law.mean_square());
    EXPECT_EQ(law.cdf(-1), 0);
    EXPECT_EQ(law.cdf(end + 1), 1);
  }
}

// One hat on [0, 2 sigma] is the simple law with mu = 0.
TEST(KnotLaw, OneHatEqualsTheSimpleLaw) {
  RandomStream stream(6);
  const Vector levels = stratified_levels(64, stream);
  const double sigma = 0.8;
  const KnotLaw law(Vector::Constant(2, std::log(sigma)), Vector::Zero(1));
  EXPECT_LT((law.lengths(levels) - HatLaw(levels).lengths(0, sigma)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(KnotLaw, PullbackMatchesDifferences) {
  for (const Index hats : {1, 2, 3, 7}) {
    const KnotCase c = knot_case(hats, 7);
    RandomStream stream(8);
    const Vector levels = stratified_levels(50, stream), bar = stream.normals(50);
    Vector at(2 * hats + 1);
    at << c.increments, c.logits;
    const auto value = [&](ConstVec p) { return KnotLaw(p.head(hats + 1), p.tail(hats)).lengths(levels).dot(bar); };
    Vector increments_bar(hats + 1), logits_bar(hats), analytic(2 * hats + 1);
    const KnotLaw law(c.increments, c.logits);
    law.pullback(levels, law.lengths(levels), bar, increments_bar, logits_bar);
    analytic << increments_bar, logits_bar;
    EXPECT_LT(worst_relative_error(analytic, central_differences(value, at, 1e-4)), 1e-6) << hats;
    EXPECT_NEAR(logits_bar.sum(), 0, 1e-10);  // softmax: a common shift changes nothing
  }
}

TEST(KnotLaw, ExtremeParametersStayFinite) {
  Vector increments(4), logits(3);
  increments << -12, 12, -12, 12;
  logits << 15, -15, 0;
  const KnotLaw law(increments, logits);
  Vector levels(5);
  levels << 1e-12, 0.1, 0.5, 0.9, 1 - 1e-12;
  const Vector s = law.lengths(levels);
  EXPECT_TRUE(s.allFinite());
  EXPECT_GT(s.minCoeff(), 0);
  Vector a(4), b(3);
  law.pullback(levels, s, Vector::Ones(5), a, b);
  EXPECT_TRUE(a.allFinite() && b.allFinite());
}

}  // namespace
}  // namespace alacarte
