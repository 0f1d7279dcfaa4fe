#include "train/left_out.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/data/generators.hpp"

namespace alacarte {
namespace {

/// Left-out predictions of two fits of the target 0: one with mean 0, one with `error`, all of variance 1.
FitOutcomes two_fits(Index rows, double error) {
  FitOutcomes outcomes(3);  // the second did not come out
  for (const std::size_t k : {0u, 2u}) {
    outcomes[k].emplace();
    outcomes[k]->leave_one_out.mean = Matrix::Constant(rows, 1, k == 0 ? 0.0 : error);
    outcomes[k]->leave_one_out.variance = Matrix::Ones(rows, 1);
  }
  return outcomes;
}

class LeftOut : public ::testing::TestWithParam<Index> {};

TEST_P(LeftOut, WeightsAreExponentialInTheScoreAndTheMoreSoTheMoreRows) {
  const Index rows = GetParam();
  const Matrix inputs = Matrix::Random(rows, 1);
  const Vector target = Vector::Zero(rows);
  FittedModel model;
  model.standardizer = Standardizer::learn(inputs, target, Scaling::none, Scaling::none);
  const std::vector<FitJob> jobs(3);
  const double error = 0.5, n = static_cast<double>(rows);
  FitOutcomes outcomes = two_fits(rows, error);
  const Vector weights = left_out_weights({model, outcomes, jobs, target});
  ASSERT_EQ(weights.size(), 2);
  EXPECT_NEAR(weights.sum(), 2, 1e-12);
  const double power = 10 * std::min(1.0, n * n / (700.0 * 700.0));
  EXPECT_NEAR(std::log((weights[0] - 0.2) / (weights[1] - 0.2)), power * error * error / 2, 1e-9);
  const auto mixed = left_out_predictions({model, outcomes, jobs, target}, weights);
  EXPECT_NEAR(mixed->distribution().mean()[0], weights[1] * error / 2, 1e-12);
  // Where a fit has none, there is nothing to go by.
  outcomes[2]->leave_one_out.variance.setConstant(std::nan(""));
  EXPECT_EQ(left_out_weights({model, outcomes, jobs, target}), Vector(Vector::Ones(2)));
  EXPECT_FALSE(left_out_predictions({model, outcomes, jobs, target}, Vector::Ones(2)));
}

INSTANTIATE_TEST_SUITE_P(Rows, LeftOut, ::testing::Values(70, 350, 1400));

TEST(LeftOutWeights, AFitOfTheWrongShapeCountsForLittle) {
  Dataset data;
  RandomStream stream(3);
  find_problem("friedman1")->generate(500, stream, data.inputs, data.target);
  Recipe recipe;
  recipe.model = "mixture";
  for (const char* model : {"linear", "exact-rbf"}) {
    Recipe member;
    member.model = model;
    member.training.starts = 1;
    member.training.iterations = 20;
    recipe.members.push_back(member);
  }
  recipe.noise.prior_center = "fixed";
  const FittedModel equal = fit(recipe, Schema(), data, {});
  recipe.weights = "leave-one-out";
  const FittedModel weighed = fit(recipe, Schema(), data, {});
  EXPECT_EQ(equal.component_weights(), Vector(Vector::Ones(2)));
  EXPECT_LT(weighed.members[0].weight, 0.3);
  EXPECT_NEAR(weighed.component_weights().sum(), 2, 1e-12);
  EXPECT_LT(weighed.training["leave_one_out"]["nlpd"], equal.training["leave_one_out"]["nlpd"]);
}

}  // namespace
}  // namespace alacarte
