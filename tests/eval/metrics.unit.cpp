#include "alacarte/eval/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

namespace alacarte {
namespace {

TEST(Metrics, ByHand) {
  Matrix mean(4, 1), variance = Matrix::Ones(4, 1);
  mean << 0, 1, 2, 3;
  Vector y(4);
  y << 0.5, 1, 2, 5;  // errors -0.5, 0, 0, -2
  const Metrics m = score({mean, variance, true}, y);
  const double spread =
      std::pow(0.5 - 2.125, 2) + std::pow(1 - 2.125, 2) + std::pow(2 - 2.125, 2) + std::pow(5 - 2.125, 2);
  EXPECT_EQ(m.n, 4);
  EXPECT_NEAR(m.rmse, std::sqrt(4.25 / 4), 1e-15);
  EXPECT_NEAR(m.mae, 2.5 / 4, 1e-15);
  EXPECT_NEAR(m.smse, 4.25 / spread, 1e-15);
  EXPECT_NEAR(m.r2, 1 - 4.25 / spread, 1e-15);
  const double base = 0.5 * std::log(2 * std::numbers::pi);
  EXPECT_NEAR(m.nlpd, base + 4.25 / 8, 1e-14);
  EXPECT_NEAR(m.nlpd_median, base + 0.125 / 2, 1e-14);
  // |z| = 0.5, 0, 0, 2 against 0.674, 1.645, 1.960.
  EXPECT_EQ(m.coverage50, 0.75);
  EXPECT_EQ(m.coverage90, 0.75);
  EXPECT_EQ(m.coverage95, 0.75);
  EXPECT_EQ(to_json(m)["coverage"]["90"], 0.75);
  EXPECT_EQ(to_json(m)["n"], 4);
}

TEST(Metrics, RefusesWhatCannotBeScored) {
  const Matrix one = Matrix::Ones(1, 1);
  EXPECT_THROW(score({one, one, false}, Vector::Ones(1)), std::invalid_argument);
  EXPECT_THROW(score({one, one, true}, Vector::Ones(2)), std::invalid_argument);
  EXPECT_THROW(score({Matrix(0, 1), Matrix(0, 1), true}, Vector(0)), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
