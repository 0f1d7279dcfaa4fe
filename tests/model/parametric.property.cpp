// Properties of likelihoods with parameters and of calibrated models, without training.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "alacarte/core/error.hpp"
#include "alacarte/core/predictive_distribution.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/model/calibration.hpp"
#include "alacarte/model/likelihood.hpp"
#include "core/special_functions.hpp"
#include "model/noise_mixture.hpp"

namespace alacarte {
namespace {

NoiseConfig without_floor() {
  NoiseConfig noise;
  noise.floor = 0;
  return noise;
}

std::unique_ptr<Likelihood> student(double sd, double degrees) {
  return find_likelihood("student-t")->likelihood.at(without_floor(), Vector({{std::log(sd), std::log(degrees - 2)}}));
}

double student_log_density(double y, double sd, double degrees) {
  return std::lgamma(0.5 * (degrees + 1)) - std::lgamma(0.5 * degrees) -
         0.5 * std::log(degrees * std::numbers::pi * sd * sd) -
         0.5 * (degrees + 1) * std::log1p(y * y / (degrees * sd * sd));
}

/// Returns the sum of -w log p + l w W / 2 + w m g over rows.
double weighed(const Likelihood& likelihood, const Matrix& f, const Vector& y, const Vector& w, const Matrix& l,
               const Matrix& m) {
  Matrix gradient(f.rows(), 1), curvature(f.rows(), 1);
  const double value = likelihood.derivatives(f, y, w, gradient, curvature);
  return -value + 0.5 * l.cwiseProduct(curvature).sum() + m.cwiseProduct(gradient).sum();
}

TEST(ParametricLikelihoods, SlopesInTheirParametersEqualDifferences) {
  RandomStream stream(8);
  for (const auto& entry : likelihoods()) {
    const ParameterLayout layout = entry.likelihood.parameters(without_floor());
    if (layout.size() == 0) continue;
    SCOPED_TRACE(entry.name);
    Matrix f(9, 1), leverages(9, 1), moved(9, 1);
    Vector y(9), w(9);
    for (Index i = 0; i < 9; ++i) {
      f(i, 0) = stream.normal();
      leverages(i, 0) = stream.uniform();
      moved(i, 0) = stream.normal();
      y[i] = static_cast<double>(stream.below(7));
      w[i] = 0.2 + stream.uniform();
    }
    for (const double shift : {-1.0, 0.0, 1.5}) {
      Vector theta(layout.size());
      for (const auto& slot : layout.slots()) theta[slot.offset] = slot.prior.mean[0] + shift;
      Vector slopes = Vector::Zero(layout.size());
      const auto here = entry.likelihood.at(without_floor(), theta);
      here->parameter_slopes(f, y, w, leverages, Matrix(), slopes);
      here->parameter_slopes(f, y, w, Matrix(), moved, slopes);
      for (Index k = 0; k < theta.size(); ++k) {
        constexpr double kStep = 1e-5;
        const auto at = [&](double step) {
          Vector other = theta;
          other[k] += step;
          return weighed(*entry.likelihood.at(without_floor(), other), f, y, w, leverages, moved);
        };
        EXPECT_NEAR((at(kStep) - at(-kStep)) / (2 * kStep), slopes[k], 1e-6 * (1 + std::abs(slopes[k]))) << k;
      }
    }
  }
}

// Integrates E -d2 log p / df2 over y by the trapezoid rule; less than 1e-9 of it is beyond |y| = 4000.
TEST(StudentT, CurvatureIsTheExpectedOne) {
  for (const double degrees : {2.5, 4.0, 30.0}) {
    const auto likelihood = student(0.7, degrees);
    Matrix f = Matrix::Zero(1, 1), gradient(1, 1), curvature(1, 1);
    double sum = 0;
    constexpr double kStep = 0.01;
    for (double t = -9; t <= 9; t += kStep) {
      const double y = std::sinh(t);
      likelihood->derivatives(f, Vector::Constant(1, y), Vector::Ones(1), gradient, curvature);
      // E g^2 = E W.
      sum += gradient(0, 0) * gradient(0, 0) * std::exp(student_log_density(y, 0.7, degrees)) * std::cosh(t) * kStep;
    }
    EXPECT_NEAR(curvature(0, 0), sum, 1e-6 * sum) << degrees;
  }
}

TEST(StudentT, PredictionsWithoutDoubtAreStudents) {
  for (const double degrees : {2.05, 2.2, 2.5, 4.0, 9.5, 10.0, 11.3, 12.0, 14.5, 21.0, 30.0, 58.5, 150.0}) {
    SCOPED_TRACE(degrees);
    const auto likelihood = student(1, degrees);
    const Matrix zero = Matrix::Zero(1, 1);
    const PredictiveDistribution p = with_noise_mixtures(zero, zero, {likelihood->noise_mixture()}, 3, Vector::Ones(1));
    for (const double y : {0.0, 0.5, 1.0, 2.0, 5.0, 20.0, 1000.0}) {
      if (y > (degrees > 100 ? 5 : degrees > 20 ? 20 : 1000)) continue;  // other tails and non-finite numbers beyond
      const Vector at = Vector::Constant(1, 3 * y);
      EXPECT_NEAR(p.log_density(at)[0], student_log_density(3 * y, 3, degrees), 1e-5) << y;
      const double tail = student_upper_tail(degrees, y);
      EXPECT_NEAR(p.survival(at)[0] / tail, 1, 1e-4) << y;
    }
    EXPECT_NEAR(p.variance()[0], 9 * degrees / (degrees - 2), 1e-12 * p.variance()[0]);
    for (const double level : {0.025, 0.975, 0.99, 0.999})
      EXPECT_NEAR(student_upper_tail(degrees, p.quantile(level)[0] / 3) / (1 - level), 1, 1e-3) << level;
    EXPECT_NEAR(likelihood->noise_variance(), degrees / (degrees - 2), 1e-9 * likelihood->noise_variance());
    for (const double far : {1e3, 1e6, 1e9}) {  // nodes are far apart there
      const double right = student_log_density(far, 3, degrees);
      EXPECT_NEAR(p.log_density(Vector::Constant(1, far))[0], right, 0.02 * std::abs(right)) << far;
    }
    EXPECT_GT(p.crps(Vector::Constant(1, 1.0))[0], 0);
  }
}

double negative_binomial(double y, double rate, double a) {
  const double r = 1 / a;
  return std::exp(std::lgamma(y + r) - std::lgamma(r) - std::lgamma(y + 1) + r * std::log(1 / (1 + a * rate)) +
                  y * std::log(a * rate / (1 + a * rate)));
}

TEST(NegativeBinomial, DistributionIsTheSumOfItsCounts) {
  const double m = 1.2, v = 0.3, a = 0.6;
  const CountDistribution counts(Matrix::Constant(1, 1, m), Matrix::Constant(1, 1, v), {}, Vector::Constant(1, a));
  double sum = 0, mean = 0, square = 0;
  for (double y = 0; y <= 3000; ++y) {
    double p = 0;  // fine grid over the log rate
    for (double z = -8; z <= 8; z += 0.02)
      p += 0.02 * std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi) *
           negative_binomial(y, std::exp(m + std::sqrt(v) * z), a);
    sum += p;
    mean += y * p;
    square += y * y * p;
    if (y > 60) continue;
    EXPECT_NEAR(std::exp(counts.log_probability(Vector::Constant(1, y))[0]), p, 1e-9 + 1e-7 * p) << y;
    EXPECT_NEAR(counts.cdf(Vector::Constant(1, y))[0], sum, 2e-8) << y;
    EXPECT_NEAR(counts.survival(Vector::Constant(1, y))[0], 1 - sum, 2e-8) << y;
  }
  EXPECT_NEAR(counts.mean()[0], mean, 1e-6 * mean);
  EXPECT_NEAR(counts.variance()[0], square - mean * mean, 1e-5 * counts.variance()[0]);
  const double median = counts.quantile(0.5)[0];
  EXPECT_GE(counts.cdf(Vector::Constant(1, median))[0], 0.5);
  EXPECT_LT(counts.cdf(Vector::Constant(1, median - 1))[0], 0.5);
}

TEST(NegativeBinomial, OfNoDispersionIsPoisson) {
  const Matrix m = Matrix::Constant(1, 1, 1.2), v = Matrix::Constant(1, 1, 0.3);
  const CountDistribution poisson(m, v), near(m, v, {}, Vector::Constant(1, 1e-7));
  for (const double y : {0.0, 3.0, 9.0}) {
    const Vector at = Vector::Constant(1, y);
    EXPECT_NEAR(poisson.log_probability(at)[0], near.log_probability(at)[0], 1e-5);
    EXPECT_NEAR(poisson.cdf(at)[0], near.cdf(at)[0], 1e-6);
  }
}

TEST(ConformalCalibration, TakesTheRankThatTheGuaranteeNeeds) {
  Vector scores(19);
  for (Index i = 0; i < 19; ++i) scores[i] = static_cast<double>(19 - i);  // 19 .. 1
  const Calibration calibration = conformal_calibration(scores);
  EXPECT_EQ(calibration.rows, 19);
  EXPECT_EQ(calibration.factor(0.95), 19);  // ceil(20 * 0.95) = 19
  EXPECT_EQ(calibration.factor(0.9), 18);
  EXPECT_EQ(calibration.factor(0.5), 10);
  EXPECT_EQ(calibration.factor(0.01), 1);
  try {
    static_cast<void>(calibration.factor(0.99));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "interval: 0.99 takes at least 99 calibration rows, and the model has 19");
  }
}

TEST(TemperatureCalibration, OfAFewRowsThatAreRightMakesNothingCertain) {
  for (const Index rows : {1, 24, 57}) {
    const Matrix told =
        Vector::Constant(rows, 0.8) * Eigen::RowVector2d(1, 0) + Vector::Constant(rows, 0.2) * Eigen::RowVector2d(0, 1);
    const double temperature = temperature_calibration(told, Vector::Zero(rows)).temperature;
    EXPECT_LT(temperature, 1) << rows;
    EXPECT_GT(temperature, rows == 1 ? 0.9 : 0.3) << rows;
  }
}

TEST(TemperatureCalibration, FindsTheTemperatureThatProbabilitiesWereTakenAt) {
  RandomStream stream(4);
  for (const double temperature : {0.5, 1.0, 2.5}) {
    const Index n = 20000;
    Matrix told(n, 3);
    Vector labels(n);
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < 3; ++k) told(i, k) = std::exp(2 * stream.normal());
      told.row(i) /= told.row(i).sum();
      Matrix truth = told.row(i).array().pow(1 / temperature);
      truth /= truth.sum();
      const double u = stream.uniform();
      labels[i] = u < truth(0, 0) ? 0 : u < truth(0, 0) + truth(0, 1) ? 1 : 2;
    }
    const Calibration calibration = temperature_calibration(told, labels);
    EXPECT_NEAR(calibration.temperature, temperature, 0.05 * temperature);
    Matrix corrected = told;
    calibration.apply(corrected);
    EXPECT_LT((corrected.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    const double near = (corrected.array() - told.array()).abs().maxCoeff();
    EXPECT_EQ(near < 0.02, temperature == 1.0);
  }
}

}  // namespace
}  // namespace alacarte
