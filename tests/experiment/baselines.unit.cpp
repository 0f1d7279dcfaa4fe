#include "experiment/baselines.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace alacarte {
namespace {

TEST(Baselines, MeanIsTheGaussianOfTheTargets) {
  Vector y(4);
  y << 1, 2, 3, 6;
  const PredictiveDistribution p = predict_baseline("mean", Matrix::Zero(4, 2), y, Matrix::Ones(3, 2));
  ASSERT_EQ(p.rows(), 3);
  EXPECT_DOUBLE_EQ(p.mean()[2], 3);
  EXPECT_DOUBLE_EQ(p.variance()[0], 14.0 / 3 * 1.25);
}

// On a step function, one neighbour on either side of the step is right, many are not.
TEST(Baselines, NearestNeighboursChooseTheirNumberByLeavingOut) {
  const Index n = 40;
  Matrix x(n, 1);
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = static_cast<double>(i);
    y[i] = i < n / 2 ? -1 : 1;
  }
  Matrix test(2, 1);
  test << 3.2, 30.4;
  const PredictiveDistribution p = predict_baseline("knn", x, y, test);
  EXPECT_DOUBLE_EQ(p.mean()[0], -1);
  EXPECT_DOUBLE_EQ(p.mean()[1], 1);
  // With k = 1, only the two rows at the step are wrong when left out (by at most 2, squared 4).
  EXPECT_LE(p.variance()[0], 8.0 / n);
  EXPECT_GT(p.variance()[0], 0);
}

TEST(Baselines, NearestNeighboursAverageNoiseAway) {
  const Index n = 300;
  Matrix x(n, 1);
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = static_cast<double>(i);
    y[i] = std::sin(12.9898 * static_cast<double>(i) * static_cast<double>(i));  // not a function of nearby rows
  }
  const PredictiveDistribution p = predict_baseline("knn", x, y, Matrix::Constant(1, 1, 150.0));
  EXPECT_LT(std::abs(p.mean()[0] - y.mean()), 0.4);
  EXPECT_NEAR(p.variance()[0], (y.array() - y.mean()).square().mean(), 0.1);
}

TEST(Baselines, InputsCountByTheirSpread) {
  Matrix x(4, 2), test(1, 2);
  x << 0, 0, 1000, 1, 0, 1, 1000, 0;
  test << 100, 0.9;
  Vector y(4);
  y << 1, 2, 3, 4;
  EXPECT_NEAR(predict_baseline("knn", x, y, test).mean()[0], 3, 1.0);
  EXPECT_THROW(predict_baseline("forest", x, y, test), std::invalid_argument);
  EXPECT_THROW(predict_baseline("knn", x, y, Matrix::Zero(1, 3)), std::invalid_argument);
}

TEST(Baselines, ConstantTargetsKeepADensity) {
  for (const std::string& name : baseline_names()) {
    const PredictiveDistribution p =
        predict_baseline(name, Matrix::Random(5, 2), Vector::Constant(5, 7.0), Matrix::Zero(1, 2));
    EXPECT_DOUBLE_EQ(p.mean()[0], 7);
    EXPECT_GT(p.variance()[0], 0) << name;
  }
}

}  // namespace
}  // namespace alacarte
