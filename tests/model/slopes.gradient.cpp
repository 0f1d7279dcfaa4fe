// Gradients of predictions in table units, for every registered model.
#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/model/explanation.hpp"
#include "support/small_model.hpp"

namespace alacarte {
namespace {

/// Returns slopes of the mean along input j: extrapolated differences over `step` input units.
Vector numeric_slope(const FittedModel& model, const Matrix& raw, Index j, double step) {
  const auto slope = [&](double h) {
    Matrix up = raw, down = raw;
    up.col(j).array() += h;
    down.col(j).array() -= h;
    return Vector((model.predict(up).distribution().mean() - model.predict(down).distribution().mean()) / (2 * h));
  };
  return (4 * slope(step / 2) - slope(step)) / 3;
}

/// Returns the variance of (f(x + h) - f(x - h)) / 2h from the covariance of the two.
double numeric_variance(const FittedModel& model, const Matrix& row, Index j, double h) {
  Matrix pair = row.replicate(2, 1);
  pair(0, j) += h;
  pair(1, j) -= h;
  const Matrix c = model.covariance(pair, true);
  return (c(0, 0) + c(1, 1) - 2 * c(0, 1)) / (4 * h * h);
}

class Slopes : public ::testing::Test {
 protected:
  SmallProblem problem_ = small_problem(40);
  Matrix raw_ = problem_.rows.inputs.topRows(7);
  double unit(const FittedModel& model, Index j) const { return model.standardizer.input_scale()[j]; }
};

TEST_F(Slopes, EqualDifferencesForEveryRegisteredModel) {
  std::vector<std::string> without;
  for (const std::string& name : registered_models()) {
    const FittedModel model = small_model({name}, problem_);
    if (!why_no_gradient(model).empty()) {
      without.push_back(name);
      EXPECT_NE(why_no_gradient(model).find("'" + name), std::string::npos) << why_no_gradient(model);
      EXPECT_THROW(predict_gradient(model, raw_, {0}, true), ConfigError) << name;
      continue;
    }
    const GradientPrediction slopes = predict_gradient(model, raw_, numeric_inputs(model.schema), true);
    ASSERT_EQ(slopes.mean.cols(), 2);
    for (Index j = 0; j < 2; ++j) {
      // Heavy-tailed frequencies require short steps.
      const double step = (name == "laplace" || name == "matern" ? 1e-5 : 1e-3) * unit(model, j);
      const Vector numeric = numeric_slope(model, raw_, j, step);
      EXPECT_LT((slopes.mean.col(j) - numeric).cwiseAbs().maxCoeff(), 1e-6 * numeric.cwiseAbs().maxCoeff())
          << name << " input " << j;
      for (Index i = 0; i < 7; ++i) {
        const double own = numeric_variance(model, raw_.row(i), j, 0.3 * step);
        // Differences of once-differentiable kernels converge slowly.
        const double bound = name == "exact-matern" ? 1e-2 : 2e-3;
        EXPECT_NEAR(slopes.variance(i, j), own, bound * slopes.variance.col(j).maxCoeff()) << name << " input " << j;
      }
    }
  }
  EXPECT_EQ(without, (std::vector<std::string>{"gcws", "exact-minmax"}));
}

TEST_F(Slopes, OfAMixtureAreWeightedAndSpread) {
  FittedModel both = small_model({"ard", "exact-rq"}, problem_);
  both.members[0].weight = 0.5;
  both.members[1].weight = 1.5;
  const GradientPrediction slopes = predict_gradient(both, raw_, {1}, true);
  const Vector numeric = numeric_slope(both, raw_, 1, 1e-3 * unit(both, 1));
  EXPECT_LT((slopes.mean.col(0) - numeric).cwiseAbs().maxCoeff(), 1e-6 * numeric.cwiseAbs().maxCoeff());
  for (Index i = 0; i < 7; ++i)
    EXPECT_NEAR(slopes.variance(i, 0), numeric_variance(both, raw_.row(i), 1, 1e-3 * unit(both, 1)),
                1e-3 * slopes.variance.maxCoeff());
  const GradientPrediction threads = predict_gradient(both, raw_, {1}, true, 3);
  EXPECT_EQ(threads.mean, slopes.mean);
  EXPECT_EQ(predict_gradient(both, raw_, {1}, false).mean, slopes.mean);
  EXPECT_EQ(predict_gradient(both, raw_, {1}, false).variance.size(), 0);
}

// The slope of a straight line is its coefficient in table units, everywhere.
TEST_F(Slopes, OfALineAreItsCoefficients) {
  problem_.rows.target = 3 * problem_.rows.inputs.col(0) - 0.02 * problem_.rows.inputs.col(1);
  const FittedModel model = small_model({"exact-linear"}, problem_);
  const GradientPrediction slopes = predict_gradient(model, raw_, {0, 1}, true);
  EXPECT_LT((slopes.mean.col(0).array() - slopes.mean(0, 0)).abs().maxCoeff(), 1e-12);
  EXPECT_NEAR(slopes.mean(0, 0), 3, 0.1);
  EXPECT_NEAR(slopes.mean(0, 1), -0.02, 0.01);
  for (Index j = 0; j < 2; ++j)
    EXPECT_LT(std::abs(slopes.mean(0, j) - (j == 0 ? 3 : -0.02)), 4 * std::sqrt(slopes.variance(0, j))) << j;
}

TEST_F(Slopes, GoThroughScaledRows) {
  FittedModel model = small_model({"ard"}, problem_);
  for (const RowScaling rows : {RowScaling{true, false}, RowScaling{false, true}, RowScaling{true, true}}) {
    model.standardizer =
        Standardizer::learn(problem_.rows.inputs, problem_.rows.target, Scaling::zscore, TargetScaling::zscore, rows);
    const GradientPrediction slopes = predict_gradient(model, raw_, {0, 1}, false);
    for (Index j = 0; j < 2; ++j) {
      const Vector numeric = numeric_slope(model, raw_, j, 1e-4 * unit(model, j));
      EXPECT_LT((slopes.mean.col(j) - numeric).cwiseAbs().maxCoeff(), 1e-6 * numeric.cwiseAbs().maxCoeff()) << j;
    }
  }
}

TEST_F(Slopes, AreRefusedWithAReason) {
  EXPECT_EQ(why_no_gradient(small_model({"ard", "gcws"}, problem_)), "has no gradient: the map 'gcws' is not smooth");
  EXPECT_EQ(why_no_gradient(small_model({"exact-minmax"}, problem_)),
            "has no gradient: the kernel 'exact-minmax' is not smooth");
}

// Means and variances of an average over rows, and of a difference of two, follow from the joint covariance.
TEST_F(Slopes, FunctionalsOfEveryRegisteredModelFollowFromTheCovariance) {
  for (const std::string& name : registered_models()) {
    const FittedModel model = small_model({name}, problem_);
    const FunctionPosterior& posterior = function_of(*model.members.front().posterior);
    const Matrix x = model.standardizer.inputs(problem_.rows.inputs.topRows(5));
    Vector mean(5), none(0);
    posterior.predict(x, mean, none);
    const Matrix covariance = posterior.covariance(x);
    Vector average = Vector::Constant(5, 0.2), contrast(5);
    contrast << 1, -1, 0.5, 0, -0.5;
    for (const Vector& weights : {average, contrast}) {
      const auto moments = posterior.functional(x, weights, true);
      EXPECT_NEAR(moments.mean, weights.dot(mean), 1e-11 * (1 + mean.norm())) << name;
      EXPECT_NEAR(moments.variance, weights.dot(covariance * weights), 1e-9 * covariance.trace()) << name;
    }
  }
}

}  // namespace
}  // namespace alacarte
