#include "alacarte/core/predictive_distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/special_functions.hpp"

namespace alacarte {
namespace {

struct Law {
  double mean, variance;
};

/// Returns P(y) by a grid of the log rate, a thousand times finer than the tested one.
double by_grid(const Law& law, double y) {
  constexpr int kCells = 200000;
  const double sd = std::sqrt(law.variance), width = 24 * sd / kCells;
  double sum = 0;
  for (int i = 0; i < kCells; ++i) {
    const double f = law.mean - 12 * sd + (i + 0.5) * width, z = (f - law.mean) / sd;
    sum += width * std::exp(y * f - std::exp(f) - std::lgamma(y + 1) - 0.5 * z * z) / (sd * std::sqrt(2 * M_PI));
  }
  return sum;
}

CountDistribution of(const Law& law) {
  return {Matrix::Constant(1, 1, law.mean), Matrix::Constant(1, 1, law.variance)};
}

double log_probability(const Law& law, double y) { return of(law).log_probability(Vector::Constant(1, y))[0]; }

TEST(CountDistribution, HasTheProbabilitiesOfAFineGrid) {
  for (const Law law : {Law{0, 0.01}, {1, 0.5}, {-3, 4}, {4, 1}, {6, 0.04}})
    for (const double y : {0.0, 1.0, 7.0, 60.0, 400.0}) {
      const double expected = by_grid(law, y);
      if (expected < 1e-25) continue;  // the grid ends at 12 standard deviations
      EXPECT_NEAR(log_probability(law, y), std::log(expected), 1e-6) << law.mean << ' ' << law.variance << ' ' << y;
    }
}

/// Returns log P(y) by a grid around the mode of the integrand, found by bisection. dispersion: 0 for Poisson.
double by_grid_at_mode(double y, const Law& law, double dispersion) {
  const long double s = std::sqrt(static_cast<long double>(law.variance)), r = dispersion > 0 ? 1 / dispersion : 0;
  const auto log_integrand = [&](long double z) {
    const long double f = law.mean + s * z, gamma = std::lgamma(static_cast<long double>(y) + 1);
    if (dispersion == 0) return y * f - std::exp(f) - gamma - z * z / 2;
    const long double u = std::exp(f);
    return std::lgamma(y + r) - std::lgamma(r) - gamma - r * std::log1p(u / r) - y * std::log1p(r / u) - z * z / 2;
  };
  const auto slope = [&](long double z) {
    const long double u = std::exp(law.mean + s * z);
    return s * (dispersion == 0 ? y - u : (y - u) / (1 + u / r)) - z;
  };
  long double low = -20000, high = 20000;
  for (int i = 0; i < 300; ++i) (slope((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
  const long double mode = low, step = 1e-4L / std::sqrt(1 - (slope(mode + 1e-6L) - slope(mode - 1e-6L)) / 2e-6L - 1);
  long double sum = 0;
  for (int i = -200000; i <= 200000; ++i) sum += std::exp(log_integrand(mode + i * step) - log_integrand(mode));
  return static_cast<double>(log_integrand(mode) + std::log(sum * step / std::sqrt(2 * 3.14159265358979323846L)));
}

TEST(CountDistribution, IsFiniteWhereTheModeIsHundredsOfDeviationsAway) {
  struct Case {
    double y;
    Law law;
  };
  for (const Case& one :
       {Case{1e9, {1, 0.01}}, {1e5, {2.3, 0.0004}}, {3, {62, 0.0025}}, {0, {40, 1}}, {5e6, {15.4, 1e-6}}})
    for (const double dispersion : {0.0, 0.3}) {
      const CountDistribution p(Matrix::Constant(1, 1, one.law.mean), Matrix::Constant(1, 1, one.law.variance), {},
                                Vector::Constant(1, dispersion));
      const double expected = by_grid_at_mode(one.y, one.law, dispersion);
      EXPECT_NEAR(p.log_probability(Vector::Constant(1, one.y))[0], expected, 1e-6 * std::max(1.0, std::abs(expected)))
          << one.y << ' ' << one.law.mean << ' ' << dispersion;
    }
  // The rate is e^-900, whose odds overflow.
  const CountDistribution rare(Matrix::Constant(1, 1, -900), Matrix::Constant(1, 1, 400), {}, Vector::Constant(1, 0.3));
  EXPECT_NEAR(rare.log_probability(Vector::Constant(1, 2))[0], by_grid_at_mode(2, {-900, 400}, 0.3), 0.1);
  for (const double y : {1e12, 1e15})
    for (const double dispersion : {0.0, 0.3, 40.0}) {
      const CountDistribution p(Matrix::Constant(1, 1, 2.3), Matrix::Constant(1, 1, 0.0004), {},
                                Vector::Constant(1, dispersion));
      const double value = p.log_probability(Vector::Constant(1, y))[0];
      EXPECT_TRUE(std::isfinite(value) && value < -10) << y << ' ' << dispersion << ' ' << value;
    }
}

TEST(CountDistribution, OfLargeRatesHasTheQuantilesOfANormalLaw) {
  for (const double rate : {1e6, 1e10, 1e12}) {
    const CountDistribution p = of({std::log(rate), 0});
    for (const double z : {-1.96, 0.0, 1.96}) {
      const double level = 0.5 * std::erfc(-z / std::sqrt(2.0));
      EXPECT_NEAR((p.quantile(level)[0] - rate) / std::sqrt(rate), z, 2 / std::sqrt(rate)) << rate;
      EXPECT_NEAR(p.cdf(p.quantile(level))[0], level, 1 / std::sqrt(rate)) << rate;
    }
  }
}

TEST(CountDistribution, SumsToOneWithItsMomentsAndQuantiles) {
  for (const Law law : {Law{0.5, 0}, {1, 0.3}, {-2, 1}, {3, 0.1}}) {
    const CountDistribution p = of(law);
    double sum = 0, mean = 0, square = 0;
    for (double y = 0; y < 1500; ++y) {
      const double own = std::exp(log_probability(law, y));
      sum += own;
      mean += own * y;
      square += own * y * y;
      EXPECT_NEAR(p.cdf(Vector::Constant(1, y))[0], sum, 1e-8);
      EXPECT_NEAR(p.survival(Vector::Constant(1, y + 0.5))[0], 1 - sum, 1e-8);
    }
    EXPECT_NEAR(sum, 1, 1e-8);
    EXPECT_EQ(p.survival(Vector::Constant(1, -0.5))[0], 1);
    EXPECT_NEAR(p.mean()[0], mean, 1e-6 * mean);
    EXPECT_NEAR(p.variance()[0], square - mean * mean, 1e-4 * square);
    for (const double level : {0.025, 0.5, 0.975}) {
      const double y = p.quantile(level)[0];
      EXPECT_GE(p.cdf(Vector::Constant(1, y))[0], level);
      EXPECT_LT(p.cdf(Vector::Constant(1, y - 1))[0], level);
    }
  }
}

/// Returns P(Y > y) by a grid over the log rate, finer than the width of the conditional law.
double survival_by_grid(const Law& law, double dispersion, double y) {
  const int cells = y > 1e4 ? 400000 : 20000;
  const double sd = std::sqrt(law.variance), width = 20.0 / cells;
  double sum = 0, weights = 0;
  for (int i = 0; i <= cells; ++i) {
    const double z = -10 + i * width, rate = std::exp(law.mean + sd * z), weight = std::exp(-0.5 * z * z);
    const double share = dispersion * rate;
    sum += weight * (dispersion == 0 ? gamma_p(y + 1, rate) : beta_p(y + 1, 1 / dispersion, share / (1 + share)));
    weights += weight;
  }
  return sum / weights;
}

TEST(CountDistribution, TailsAreThoseOfAFineGrid) {
  for (const Law law : {Law{0, 1}, {0, 4}, {0, 9}, {-3, 9}, {1, 6}, {4, 0.01}, {13.8, 1}})
    for (const double dispersion : {0.0, 0.001, 0.3, 20.0})
      for (const double y : {0.0, 20.0, 100.0, 8000.0, 1e6}) {
        const CountDistribution p(Matrix::Constant(1, 1, law.mean), Matrix::Constant(1, 1, law.variance), {},
                                  Vector::Constant(1, dispersion));
        const double expected = survival_by_grid(law, dispersion, y), above = p.survival(Vector::Constant(1, y))[0];
        EXPECT_NEAR(above, expected, 1e-8) << law.mean << ' ' << law.variance << ' ' << dispersion << ' ' << y;
        EXPECT_NEAR(p.cdf(Vector::Constant(1, y))[0], 1 - above, 1e-11);
      }
  EXPECT_EQ(of({1, 4}).quantile(0.995)[0], 470);
  EXPECT_EQ(of({1, 6}).quantile(0.995)[0], 1495);
}

TEST(CountDistribution, TailsOfAnyCountsAndDispersionsEnd) {
  for (const Law law : {Law{-40, 1e-6}, {-30, 100}, {0, 4}, {20, 30}, {34, 1e-12}})
    for (const double dispersion : {0.0, 1e-300, 1e-15, 1e-6, 1.0, 1e4, 1e8})
      for (const double y : {0.0, 1.0, 1e6, 1e12, 9e14, 1e16, 1e300}) {
        const CountDistribution p(Matrix::Constant(1, 1, law.mean), Matrix::Constant(1, 1, law.variance), {},
                                  Vector::Constant(1, dispersion));
        const double above = p.survival(Vector::Constant(1, y))[0], below = p.cdf(Vector::Constant(1, y))[0];
        EXPECT_NEAR(above + below, 1, 1e-9) << law.mean << ' ' << law.variance << ' ' << dispersion << ' ' << y;
        EXPECT_GE(above, 0);
        EXPECT_GE(below, 0);
      }
}

TEST(CountDistribution, AComponentOfNoWeightCountsNowhere) {
  const CountDistribution both((Matrix(1, 2) << 3, 0).finished(), (Matrix(1, 2) << 0.1, 0.1).finished(),
                               (Vector(2) << 0, 2).finished());
  EXPECT_NEAR(both.log_probability(Vector::Constant(1, 900.0))[0], log_probability({0, 0.1}, 900), 1e-9);
}

TEST(CountDistribution, OfSeveralFitsIsTheirMixture) {
  const Matrix means = (Matrix(1, 2) << 0, 2).finished(), variances = (Matrix(1, 2) << 0.2, 0.5).finished();
  const CountDistribution both(means, variances);
  const double first = std::exp(log_probability({0, 0.2}, 3)), second = std::exp(log_probability({2, 0.5}, 3));
  EXPECT_NEAR(std::exp(both.log_probability(Vector::Constant(1, 3.0))[0]), 0.5 * (first + second), 1e-12);
  EXPECT_THROW(both.cdf(Vector::Zero(2)), std::invalid_argument);
  EXPECT_THROW(both.quantile(1), std::invalid_argument);
}

TEST(CountDistribution, AWeightOfTwoIsTheComponentTwice) {
  Matrix means(1, 3), variances(1, 3);
  means << 0.3, 1.5, 2.5;
  variances << 0.2, 0.05, 0.0;
  Vector weights(3);
  weights << 2, 1, 0;
  const CountDistribution p(means, variances, weights);
  means(0, 2) = means(0, 0);
  variances(0, 2) = variances(0, 0);
  const CountDistribution twice(means, variances);
  const Vector y = Vector::Constant(1, 3);
  EXPECT_NEAR(p.mean()[0], twice.mean()[0], 1e-14);
  EXPECT_NEAR(p.variance()[0], twice.variance()[0], 1e-13);
  EXPECT_NEAR(p.cdf(y)[0], twice.cdf(y)[0], 1e-14);
  EXPECT_NEAR(p.log_probability(y)[0], twice.log_probability(y)[0], 1e-14);
  for (const double level : {0.05, 0.5, 0.99}) EXPECT_EQ(p.quantile(level)[0], twice.quantile(level)[0]);
}

}  // namespace
}  // namespace alacarte
