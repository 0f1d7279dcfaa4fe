// Transforms of the target, and the predictive distributions that undo them.
#include "alacarte/core/predictive_distribution.hpp"

#include <gtest/gtest.h>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "alacarte/core/random.hpp"

namespace alacarte {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<TargetTransform> transforms() {
  return {TargetTransform::log(),
          TargetTransform::yeo_johnson(0, 2),
          TargetTransform::yeo_johnson(0.3, 2),
          TargetTransform::yeo_johnson(1, 0.5),
          TargetTransform::yeo_johnson(1.6, 3),
          TargetTransform::yeo_johnson(2, 1),
          TargetTransform::yeo_johnson(0.3, 2, 0)};
}

/// Integrates over the real line in pieces, of which no peak can be narrower than a few hundredths.
template <class Function>
double integral(const Function& function, double from, double to) {
  double sum = 0;
  constexpr int kPieces = 60;
  for (int k = 0; k < kPieces; ++k)
    sum += boost::math::quadrature::gauss_kronrod<double, 15>::integrate(
        function, from + (to - from) * k / kPieces, from + (to - from) * (k + 1) / kPieces, 8, 1e-12);
  return sum;
}

/// Two components, one of them twice as heavy as the other.
PredictiveDistribution mixture(const TargetTransform& transform) {
  return {Matrix{{0.4, -0.3}}, Matrix{{0.25, 0.04}}, true, Vector{{4.0 / 3, 2.0 / 3}}, transform};
}

double density_at(const PredictiveDistribution& law, double y) {
  return std::exp(law.log_density(Vector::Constant(1, y))[0]);
}

/// Range of y that holds all but 1e-14 of the mixture.
std::pair<double, double> range_of(const PredictiveDistribution& law) {
  return {law.quantile(1e-15)[0], law.quantile(1 - 1e-15)[0]};
}

TEST(TargetTransform, UndoesItself) {
  for (const TargetTransform& transform : transforms())
    for (const double u : {-3.0, -0.5, -1e-9, 0.0, 1e-9, 0.7, 2.5}) {
      const double y = transform.inverse(u);
      EXPECT_GE(y, transform.minimum());
      if (y == transform.minimum()) continue;
      EXPECT_NEAR(transform.forward(y), u, 1e-14 * (1 + std::abs(u))) << transform.text();
    }
  EXPECT_EQ(TargetTransform().forward(-3), -3);
  EXPECT_EQ(TargetTransform::log().forward(0), -kInfinity);
  EXPECT_EQ(TargetTransform::yeo_johnson(0.5, 1, 0).forward(-1e-3), -kInfinity);
  // An exponent of 1 changes the unit alone; large targets keep their digits.
  EXPECT_DOUBLE_EQ(TargetTransform::yeo_johnson(1, 4).forward(-6), -1.5);
  EXPECT_NEAR(TargetTransform::yeo_johnson(0, 1e-3).inverse(TargetTransform::yeo_johnson(0, 1e-3).forward(1e9)), 1e9,
              1);
}

TEST(TargetTransform, HasTheSlopeOfItsValues) {
  for (const TargetTransform& transform : transforms())
    for (const double u : {-2.0, -0.4, 0.3, 2.0}) {
      const double y = transform.inverse(u), step = 1e-6 * (1 + std::abs(y));
      if (y <= transform.minimum()) continue;
      const double slope = (transform.forward(y + step) - transform.forward(y - step)) / (2 * step);
      EXPECT_NEAR(transform.log_slope(y), std::log(slope), 1e-7) << transform.text();
    }
}

TEST(TargetTransform, RefusesWhatIsNoTransform) {
  EXPECT_THROW(TargetTransform::yeo_johnson(-0.1, 1), std::invalid_argument);
  EXPECT_THROW(TargetTransform::yeo_johnson(2.1, 1), std::invalid_argument);
  EXPECT_THROW(TargetTransform::yeo_johnson(1, 0), std::invalid_argument);
  EXPECT_THROW(TargetTransform::yeo_johnson(1, 1, 3), std::invalid_argument);
}

TEST(TargetTransform, HasMomentsOfTheLogNormal) {
  const auto moments = TargetTransform::log().moments(0.7, 0.3);
  EXPECT_NEAR(moments.mean, std::exp(0.85), 1e-14);
  EXPECT_NEAR(moments.variance, std::exp(2 * 0.85) * std::expm1(0.3), 1e-13);
  EXPECT_EQ(TargetTransform::log().moments(0.7, 0).mean, std::exp(0.7));
}

TEST(TargetTransform, HasTheMomentsOfItsDensity) {
  for (const TargetTransform& transform : transforms())
    for (const double variance : {1e-4, 0.09, 1.0, 9.0})
      for (const double mean : {-1.2, 0.0, 0.01, 2.0}) {
        const double sd = std::sqrt(variance), reach = 12 + 3 * sd;
        const auto expectation = [&](const auto& value) {
          return integral(
              [&](double t) {
                return value(transform.inverse(mean + sd * t)) * std::exp(-0.5 * t * t) / std::sqrt(2 * M_PI);
              },
              -reach, reach);
        };
        const auto moments = transform.moments(mean, variance);
        const double own = expectation([](double y) { return y; });
        const double spread = expectation([&](double y) { return (y - own) * (y - own); });
        EXPECT_NEAR(moments.mean, own, 1e-8 * (std::abs(own) + std::sqrt(spread))) << transform.text();
        EXPECT_NEAR(moments.variance, spread, 2e-8 * spread + 1e-20) << transform.text();
      }
}

TEST(TargetTransform, LearnsThePowerThatItsTargetsHave) {
  const Index n = 4000;
  RandomStream stream(3);
  for (const double lambda : {0.0, 0.4, 1.0, 1.7}) {
    const TargetTransform truth = TargetTransform::yeo_johnson(lambda, 5);
    Vector y(n);
    for (Index i = 0; i < n; ++i) y[i] = truth.inverse(0.4 + 0.8 * stream.normal());
    const TargetTransform learned = TargetTransform::learn_yeo_johnson(y);
    // The unit is not that of the truth, so the powers agree in shape: the transformed targets have little skewness.
    const Vector u = learned.forward(y);
    const double sd = std::sqrt((u.array() - u.mean()).square().mean());
    EXPECT_LT(std::abs(((u.array() - u.mean()) / sd).cube().mean()), 0.12) << lambda;
    EXPECT_EQ(learned.minimum(), -kInfinity);
  }
  EXPECT_EQ(TargetTransform::learn_yeo_johnson(Vector::LinSpaced(20, 0, 3)).minimum(), 0);
  EXPECT_EQ(TargetTransform::learn_yeo_johnson(Vector::Zero(3)).unit(), 1);
}

TEST(TransformedPrediction, HasADensityThatIntegratesToItsDistribution) {
  for (const TargetTransform& transform : transforms()) {
    const PredictiveDistribution law = mixture(transform);
    auto [low, high] = range_of(law);
    // A minimum has the mass of the lower tail.
    const double mass = law.cdf(Vector::Constant(1, low))[0];
    EXPECT_NEAR(mass + integral([&](double y) { return density_at(law, y); }, low, high), 1, 1e-8) << transform.text();
    const double middle = law.quantile(0.6)[0];
    EXPECT_NEAR(law.cdf(Vector::Constant(1, middle))[0], 0.6, 1e-10);
    EXPECT_NEAR(law.survival(Vector::Constant(1, middle))[0], 0.4, 1e-10);
  }
}

TEST(TransformedPrediction, HasTheMomentsAndTheScoreOfItsDistribution) {
  for (const TargetTransform& transform : transforms()) {
    const PredictiveDistribution law = mixture(transform);
    const auto [low, high] = range_of(law);
    const auto at_low = law.cdf(Vector::Constant(1, low))[0];
    const double mean = low * at_low + integral([&](double y) { return y * density_at(law, y); }, low, high);
    const double spread = (low - mean) * (low - mean) * at_low +
                          integral([&](double y) { return (y - mean) * (y - mean) * density_at(law, y); }, low, high);
    EXPECT_NEAR(law.mean()[0], mean, 1e-7) << transform.text();
    EXPECT_NEAR(law.variance()[0], spread, 1e-6 * (1 + spread)) << transform.text();
    for (const double probability : {0.001, 0.3, 0.97}) {
      const double y = law.quantile(probability)[0];
      const auto square = [&](double at) {
        const double below = law.cdf(Vector::Constant(1, at))[0];
        return at < y ? below * below : (1 - below) * (1 - below);
      };
      const double crps = integral(square, low, y) + integral(square, y, high);
      EXPECT_NEAR(law.crps(Vector::Constant(1, y))[0], crps, 1e-6) << transform.text();
      // Beyond the range the score grows like the distance.
      EXPECT_NEAR(law.crps(Vector::Constant(1, high + 5))[0], law.crps(Vector::Constant(1, high))[0] + 5, 1e-6);
    }
  }
}

TEST(TransformedPrediction, OfAPositiveTargetHasNoNegativeBound) {
  for (const TargetTransform& transform : {TargetTransform::log(), TargetTransform::yeo_johnson(0.4, 2, 0)}) {
    const PredictiveDistribution wide(Matrix{{-4, 1}}, Matrix{{9, 25}}, true, {}, transform);
    for (const double probability : {1e-9, 0.025, 0.5}) EXPECT_GE(wide.quantile(probability)[0], 0);
    EXPECT_EQ(wide.cdf(Vector::Constant(1, -1e-3))[0], 0);
    EXPECT_EQ(wide.survival(Vector::Constant(1, -1e-3))[0], 1);
    EXPECT_EQ(wide.log_density(Vector::Constant(1, -1.0))[0], -kInfinity);
    EXPECT_NEAR(wide.crps(Vector::Constant(1, -2.0))[0], wide.crps(Vector::Constant(1, 0.0))[0] + 2, 1e-6);
  }
}

}  // namespace
}  // namespace alacarte
