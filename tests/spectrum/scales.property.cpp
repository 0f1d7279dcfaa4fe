#include "spectrum/radial.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>

namespace alacarte {
namespace {

using Kind = GammaScale::Kind;

Vector midpoints(Index count) {
  return (Vector::LinSpaced(count, 0, static_cast<double>(count - 1)).array() + 0.5) / static_cast<double>(count);
}

// Returns k(r) = E exp(-s^2 r^2 / 2) over the levels, by the midpoint rule.
double mixture(Kind kind, double shape, double r) {
  const Vector scales = GammaScale(kind, midpoints(40000)).scales(shape);
  return (-0.5 * r * r * scales.array().square()).exp().mean();
}

// Without the scales too long to matter at these distances, the others gain their weight.
TEST(GammaScales, MixToTheMaternKernel) {
  for (const double nu : {0.5, 0.8, 1.5, 2.5})
    for (const double r : {0.1, 0.5, 1.0, 2.5}) {
      const double share = boost::math::gamma_q(nu, nu / (kMaxScale * kMaxScale)), z = std::sqrt(2 * nu) * r;
      const double kernel = std::pow(2, 1 - nu) / std::tgamma(nu) * std::pow(z, nu) * std::cyl_bessel_k(nu, z);
      EXPECT_NEAR(mixture(Kind::matern, nu, r) * share, kernel, 1e-4) << nu << " " << r;
      EXPECT_GT(share, 0.99);
    }
  EXPECT_NEAR(mixture(Kind::matern, 1.5, 0.7), (1 + std::sqrt(3.0) * 0.7) * std::exp(-std::sqrt(3.0) * 0.7), 1e-4);
}

// Computes tails of the Cauchy law by its distribution function, 1/2 + atan(x) / pi.
TEST(LimitedCauchy, IsTheLawWithoutItsTails) {
  const double whole = 2 * std::atan(kMaxScale) / std::numbers::pi;
  for (const double x : {-90.0, -1.0, 0.0, 0.3, 20.0}) {
    const double level = (std::atan(x) / std::numbers::pi) / whole + 0.5;
    EXPECT_NEAR(truncated_cauchy_quantile(level), x, 1e-9 * (1 + x * x));
  }
  EXPECT_NEAR(truncated_cauchy_quantile(1), kMaxScale, 1e-9);
}

TEST(GammaScales, MixToTheRationalQuadraticKernel) {
  for (const double alpha : {0.3, 1.0, 4.0})
    for (const double r : {0.1, 1.0, 2.5})
      EXPECT_NEAR(mixture(Kind::rational_quadratic, alpha, r), std::pow(1 + r * r / (2 * alpha), -alpha), 1e-4);
}

// Returns the scale in long doubles, by its definition.
long double log_scale(Kind kind, long double shape, long double level) {
  const bool limited = kind == Kind::matern;
  const long double below = limited ? boost::math::gamma_p(shape, shape / (kMaxScale * kMaxScale)) : 0;
  const long double quantile = level < 0.5 ? boost::math::gamma_p_inv(shape, below + (1 - below) * level)
                                           : boost::math::gamma_q_inv(shape, (1 - below) * (1 - level));
  return (limited ? -0.5L : 0.5L) * std::log(quantile / shape);
}

// Returns a central difference of eighth order in log shape; below 1e-13 its terms up to shape^13.
double numeric_slope(Kind kind, double shape, double level) {
  constexpr long double kStep = 0.002L, kWeights[] = {4 / 5.0L, -1 / 5.0L, 4 / 105.0L, -1 / 280.0L};
  long double sum = 0;
  for (int k = 1; k <= 4; ++k)
    sum += kWeights[k - 1] *
           (log_scale(kind, shape * std::exp(k * kStep), level) - log_scale(kind, shape * std::exp(-k * kStep), level));
  return static_cast<double>(sum / kStep);
}

// Covers all shapes of a search, on both sides of the switch between the sums.
TEST(GammaScales, SlopesAreThoseOfTheScales) {
  Vector levels(56);
  levels << midpoints(50), 1e-6, 1e-4, 1e-3, 0.999, 1 - 1e-4, 1 - 1e-6;
  for (const Kind kind : {Kind::matern, Kind::rational_quadratic})
    for (const double shape : {std::exp(-3.3), 0.1, 0.3, 0.5, 1.0, 1.5, 2.7, 7.0, 40.0, 250.0, std::exp(7.2)}) {
      const GammaScale law(kind, levels);
      const Vector scales = law.scales(shape), slopes = law.slopes(shape, scales);
      for (Index i = 0; i < levels.size(); ++i) {
        if (scales[i] <= 1e-8 * (1 + 1e-9)) {
          EXPECT_EQ(slopes[i], 0);  // the least scale is constant
          continue;
        }
        const double numeric = numeric_slope(kind, shape, levels[i]);
        EXPECT_NEAR(slopes[i], numeric, 1e-10 * std::abs(numeric) + 1e-12) << shape << " " << levels[i];
      }
    }
}

TEST(GammaScales, StayInTheRangeOfUsefulFrequencies) {
  const Vector levels = (Vector(3) << 1e-12, 0.5, 1 - 1e-12).finished();
  for (const Kind kind : {Kind::matern, Kind::rational_quadratic})
    for (const double shape : {0.05, 1.0, 1000.0}) {
      const GammaScale law(kind, levels);
      const Vector scales = law.scales(shape), slopes = law.slopes(shape, scales);
      EXPECT_TRUE((scales.array() >= 1e-8).all()) << scales.transpose();
      EXPECT_TRUE(kind == Kind::rational_quadratic || (scales.array() <= kMaxScale).all()) << scales.transpose();
      EXPECT_TRUE(slopes.allFinite()) << slopes.transpose();
    }
  EXPECT_NEAR(GammaScale(Kind::matern, levels).scales(0.05)[0], kMaxScale, 1e-6);
  EXPECT_NEAR(GammaScale(Kind::matern, levels).scales(1000)[1], 1, 1e-3);  // towards the Gaussian kernel
  EXPECT_THROW(GammaScale(Kind::matern, Vector::Ones(2)), std::invalid_argument);
}

// A point of the ball is within r with probability r^d; squares of independent points add. Tolerance: five standard
// errors of 20000 draws, a false alarm in 1.7 million seeds each.
TEST(BallSums, HaveTheLengthsOfTheBall) {
  const Index count = 20000, d = 3;
  RandomStream stream(4);
  const Vector one = ball_sum_lengths(count, 1, d, stream);
  EXPECT_LE(one.maxCoeff(), 1);
  for (const double r : {0.3, 0.6, 0.9}) {
    const double p = r * r * r, below = (one.array() < r).cast<double>().mean();
    EXPECT_NEAR(below, p, 5 * std::sqrt(p * (1 - p) / count));
  }
  const Vector four = ball_sum_lengths(count, 4, d, stream).array().square();
  const double mean = four.mean(), sd = std::sqrt((four.array() - mean).square().mean());
  EXPECT_NEAR(mean, 4 * 3.0 / 5, 5 * sd / std::sqrt(static_cast<double>(count)));
}

TEST(Quantiles, AreLinearBetweenThoseListed) {
  const std::vector<double> listed = {0, 1, 4};
  const Vector levels = (Vector(5) << 0, 0.25, 0.5, 0.75, 1).finished();
  EXPECT_EQ(interpolated_quantiles(listed, levels), (Vector(5) << 0, 0.5, 1, 2.5, 4).finished());
  const double numeric = interpolated_quantiles(listed, midpoints(20000)).squaredNorm() / 20000;
  EXPECT_NEAR(mean_square_of_quantiles(listed), numeric, 1e-6);
  EXPECT_THROW(interpolated_quantiles({1}, levels), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
