#include "alacarte/core/predictive_distribution.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace alacarte {
namespace {

PredictiveDistribution mixture() {
  Matrix means(2, 3), variances(2, 3);
  means << 0.0, 2.0, -1.0, 5.0, 5.1, 40.0;
  variances << 1.0, 0.25, 4.0, 0.01, 0.02, 9.0;
  return {means, variances, true};
}

TEST(PredictiveDistribution, MomentsByHand) {
  const auto p = mixture();
  EXPECT_NEAR(p.mean()[0], 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(p.variance()[0], 5.25 / 3 + (0 + 4 + 1) / 3.0 - 1.0 / 9.0, 1e-14);
}

TEST(PredictiveDistribution, ProbabilitiesAreAtMostOneWhateverTheRoundingOfWeights) {
  constexpr Index kComponents = 57;
  const Vector weights = Vector::LinSpaced(kComponents, 0.1, 3.7);
  const PredictiveDistribution p(Matrix::Zero(1, kComponents), Matrix::Ones(1, kComponents), true,
                                 weights * (static_cast<double>(kComponents) / weights.sum() * (1 + 1e-12)));
  EXPECT_LE(p.survival(Vector::Constant(1, -50))[0], 1);
  EXPECT_LE(p.cdf(Vector::Constant(1, 50))[0], 1);
}

TEST(PredictiveDistribution, SingleGaussianMatchesBoost) {
  Matrix mean(1, 1), variance(1, 1);
  mean << 1.5;
  variance << 4.0;
  const PredictiveDistribution p(mean, variance, true);
  const boost::math::normal law(1.5, 2.0);
  Vector y(1);
  for (const double at : {-30.0, -1.0, 1.5, 3.0, 9.0}) {
    y[0] = at;
    EXPECT_NEAR(p.cdf(y)[0], boost::math::cdf(law, at), 1e-15);
    EXPECT_NEAR(p.log_density(y)[0], std::log(boost::math::pdf(law, at)), 1e-12);
    // Gneiting and Raftery 2007, eq. 21.
    const double z = (at - 1.5) / 2.0;
    const boost::math::normal standard;
    const double crps = 2.0 * (z * (2 * boost::math::cdf(standard, z) - 1) + 2 * boost::math::pdf(standard, z) -
                               1 / std::sqrt(std::numbers::pi));
    EXPECT_NEAR(p.crps(y)[0], crps, 1e-13);
  }
  for (const double level : {1e-12, 0.1, 0.5, 0.975}) EXPECT_NEAR(p.quantile(level)[0], quantile(law, level), 1e-12);
}

TEST(PredictiveDistribution, MixtureQuantilesInvertTheCdf) {
  const auto p = mixture();
  for (const double level : {1e-10, 0.01, 1.0 / 3, 0.5, 2.0 / 3, 0.95, 1 - 1e-10}) {
    const Vector cdf = p.cdf(p.quantile(level));
    const double tail = std::min(level, 1 - level);
    EXPECT_NEAR(cdf[0], level, 1e-9 * tail + 1e-16);
    EXPECT_NEAR(cdf[1], level, 1e-9 * tail + 1e-16);
  }
  EXPECT_THROW(p.quantile(0.0), std::invalid_argument);
  EXPECT_THROW(p.quantile(1.0), std::invalid_argument);
}

TEST(PredictiveDistribution, SurvivalIsOneMinusTheCdfAndKeepsSmallTails) {
  const auto p = mixture();
  for (const double at : {-7.0, 0.3, 5.05, 41.0}) {
    const Vector y = Vector::Constant(2, at);
    EXPECT_LT((p.survival(y) + p.cdf(y) - Vector::Ones(2)).cwiseAbs().maxCoeff(), 1e-15) << at;
  }
  // 30 standard deviations of the widest component above its mean: a third of 4.9e-198, by Boost.
  const Vector far = p.survival(Vector::Constant(2, -1.0 + 30 * 2.0));
  const double expected = boost::math::cdf(complement(boost::math::normal(0, 1), 30.0)) / 3;
  EXPECT_NEAR(far[0] / expected, 1, 1e-12);
  const PredictiveDistribution point(Matrix::Ones(1, 1), Matrix::Zero(1, 1), false);
  EXPECT_EQ(point.survival(Vector::Constant(1, 1.0))[0], 0);
  EXPECT_EQ(point.survival(Vector::Constant(1, 0.9))[0], 1);
  EXPECT_THROW(p.survival(Vector::Ones(3)), std::invalid_argument);
}

TEST(PredictiveDistribution, LogDensityFarOutStaysFinite) {
  const auto p = mixture();
  Vector y(2);
  y << 1e4, -1e4;
  EXPECT_TRUE(p.log_density(y).allFinite());
  EXPECT_NEAR(p.log_density(y)[0], -0.5 * (std::log(8 * std::numbers::pi) + std::pow(1e4 + 1, 2) / 4) - std::log(3.0),
              1e-6);
}

TEST(PredictiveDistribution, AComponentOfNoWeightCountsNowhere) {
  const PredictiveDistribution p((Matrix(1, 2) << 0, 50).finished(), Matrix::Ones(1, 2), true,
                                 (Vector(2) << 0, 2).finished());
  EXPECT_NEAR(p.log_density(Vector::Zero(1))[0], -1250 - 0.5 * std::log(2 * std::numbers::pi), 1e-9);
}

TEST(PredictiveDistribution, QuantilesWithoutEndAreNoNumbers) {
  const double large = std::numeric_limits<double>::max();
  const PredictiveDistribution p((Matrix(1, 2) << 0, large).finished(), Matrix::Constant(1, 2, large), true);
  EXPECT_TRUE(std::isnan(PredictiveDistribution((Matrix(1, 2) << 0, 1).finished(),
                                                Matrix::Constant(1, 2, std::numeric_limits<double>::infinity()), true)
                             .quantile(0.9)[0]));
  EXPECT_TRUE(std::isfinite(p.quantile(0.3)[0]));
}

// CRPS = integral of (F(t) - [t >= y])^2.
TEST(PredictiveDistribution, CrpsEqualsItsIntegral) {
  const auto p = mixture();
  Vector y(2);
  y << 0.7, 6.0;
  const auto squared = [&](Index row, double t, double step) {
    const double cdf = p.cdf(Vector::Constant(2, t))[row] - step;
    return cdf * cdf;
  };
  for (Index row = 0; row < 2; ++row) {
    double total = 0;
    using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
    for (double t = -60; t < 100; t += 0.1) {
      const auto part = [&](double a, double b) {
        return b <= a ? 0.0
                      : Rule::integrate([&](double u) { return squared(row, u, u >= y[row] ? 1.0 : 0.0); }, a, b, 0);
      };
      const double split = std::clamp(y[row], t, t + 0.1);
      total += part(t, split) + part(split, t + 0.1);
    }
    EXPECT_NEAR(p.crps(y)[row], total, 1e-9);
  }
}

// Weights 2, 1, 0 and 1 (sum 4) of four components equal four components with the first one twice.
TEST(PredictiveDistribution, AWeightOfTwoIsTheComponentTwice) {
  Matrix means(1, 4), variances(1, 4);
  means << 0.0, 2.0, 7.0, -1.0;
  variances << 1.0, 0.25, 3.0, 4.0;
  Vector weights(4);
  weights << 2, 1, 0, 1;
  const PredictiveDistribution p(means, variances, true, weights);
  means(0, 2) = means(0, 0);
  variances(0, 2) = variances(0, 0);
  const PredictiveDistribution twice(means, variances, true);
  const Vector y = Vector::Constant(1, 0.6);
  EXPECT_NEAR(p.mean()[0], twice.mean()[0], 1e-14);
  EXPECT_NEAR(p.variance()[0], twice.variance()[0], 1e-14);
  EXPECT_NEAR(p.cdf(y)[0], twice.cdf(y)[0], 1e-14);
  EXPECT_NEAR(p.log_density(y)[0], twice.log_density(y)[0], 1e-14);
  EXPECT_NEAR(p.crps(y)[0], twice.crps(y)[0], 1e-14);
  for (const double level : {1e-6, 0.1, 0.5, 0.975}) EXPECT_NEAR(p.quantile(level)[0], twice.quantile(level)[0], 1e-9);
  for (const Vector& wrong : {Vector(Vector::Ones(3)), Vector(2 * weights), Vector(Vector::Ones(4) - weights)})
    EXPECT_THROW(PredictiveDistribution(means, variances, true, wrong), std::invalid_argument);
}

TEST(PredictiveDistribution, PointMassesAndWrongShapes) {
  const PredictiveDistribution p(Matrix::Ones(1, 1), Matrix::Zero(1, 1), false);
  Vector y(1);
  y << 1.5;
  EXPECT_EQ(p.quantile(0.3)[0], 1.0);
  EXPECT_EQ(p.cdf(y)[0], 1.0);
  EXPECT_EQ(p.crps(y)[0], 0.5);
  EXPECT_EQ(p.log_density(y)[0], -std::numeric_limits<double>::infinity());
  EXPECT_THROW(PredictiveDistribution(Matrix::Ones(2, 1), Matrix::Ones(1, 1), true), std::invalid_argument);
  EXPECT_THROW(PredictiveDistribution(Matrix::Ones(1, 1), -Matrix::Ones(1, 1), true), std::invalid_argument);
  EXPECT_THROW(p.cdf(Vector::Ones(2)), std::invalid_argument);
  EXPECT_EQ(PredictiveDistribution(Matrix(0, 2), Matrix(0, 2), true).quantile(0.5).size(), 0);
}

}  // namespace
}  // namespace alacarte
