#include "train/weigh/left_out.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/data/generators.hpp"
#include "alacarte/model/likelihood.hpp"

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
  model.recipe.weights = "leave-one-out";
  const Vector weights = mixture_weights({model, outcomes, jobs, target});
  ASSERT_EQ(weights.size(), 2);
  EXPECT_NEAR(weights.sum(), 2, 1e-12);
  const double power = 10 * std::min(1.0, n * n / (700.0 * 700.0));
  EXPECT_NEAR(std::log((weights[0] - 0.2) / (weights[1] - 0.2)), power * error * error / 2, 1e-9);
  const auto mixed = left_out_predictions({model, outcomes, jobs, target}, weights);
  EXPECT_NEAR(mixed->distribution().mean()[0], weights[1] * error / 2, 1e-12);
  // Where a fit has none, there is nothing to go by.
  outcomes[2]->leave_one_out.variance.setConstant(std::nan(""));
  EXPECT_EQ(mixture_weights({model, outcomes, jobs, target}), Vector(Vector::Ones(2)));
  EXPECT_FALSE(left_out_predictions({model, outcomes, jobs, target}, Vector::Ones(2)));
}

INSTANTIATE_TEST_SUITE_P(Rows, LeftOut, ::testing::Values(70, 350, 1400));

TEST(HeldOutWeights, AreThoseUnderWhichTheRowsAreMostProbable) {
  // Half of the rows are at 0, a quarter of their mirror images at 6: two fits that are right on three quarters and
  // one.
  const Index rows = 8000;
  const Matrix inputs = Matrix::Random(rows, 1);
  Vector target = Vector::Zero(rows);
  target.tail(rows / 4).setConstant(6);
  FittedModel model;
  model.standardizer = Standardizer::learn(inputs, target, Scaling::none, Scaling::none);
  model.recipe.weights = "held-out";
  const std::vector<FitJob> jobs(3);
  FitOutcomes outcomes = two_fits(rows, 6);
  const Vector weights = mixture_weights({model, outcomes, jobs, target, {}, true});
  EXPECT_NEAR(weights.sum(), 2, 1e-9);
  EXPECT_NEAR(weights[0], 1.5, 0.01);
  // The prior has a word where rows are few.
  const Index few = 4;
  outcomes = two_fits(few, 6);
  const Vector nearly = mixture_weights({model, outcomes, jobs, Vector(target.head(few)), {}, true});
  EXPECT_NEAR(nearly[0], 2 * (4 + 1) / 6.0, 1e-3);
}

TEST(HeldOutRows, AreSeenByNoParameterAndByEveryPosterior) {
  Dataset data;
  RandomStream stream(3);
  find_problem("friedman1")->generate(400, stream, data.inputs, data.target);
  Recipe recipe;
  recipe.model = "mixture";
  recipe.weights = "held-out";
  recipe.noise.prior_center = "fixed";
  Recipe member;
  member.model = "ssgpr";
  member.features.frequencies = 20;
  member.training.starts = 1;
  member.training.iterations = 15;
  recipe.members = {member};
  FitOptions options;
  std::vector<Index> scored;
  options.on_left_out = [&](const Prediction&, const std::vector<Index>& rows) { scored = rows; };
  fit(recipe, Schema(), data, options);
  EXPECT_EQ(scored, draw_held_out(400, 0));
  EXPECT_EQ(scored.size(), 40U);
  // Other targets on the rows that are held out move the posterior, and no parameter.
  Dataset changed = data;
  for (const Index row : draw_held_out(400, 0)) changed.target[row] += 0.5;
  recipe.scale_target = Scaling::none;
  const FittedModel one = fit(recipe, Schema(), data, {}), other = fit(recipe, Schema(), changed, {});
  // The targets' standard deviation, which starts depend on, is of all rows.
  EXPECT_LT((one.members[0].theta - other.members[0].theta).cwiseAbs().maxCoeff(), 1e-3);
  const auto means = [&](const FittedModel& fitted) {
    return Vector(fitted.predict(data.inputs).distribution().mean());
  };
  EXPECT_GT((means(one) - means(other)).cwiseAbs().maxCoeff(), 0.01);
}

TEST(LeftOutClasses, HaveTheProbabilitiesOfEachFitOnAnyNumberOfThreads) {
  const Index rows = 150, classes = 3;
  FittedModel model;
  model.recipe.likelihood = "softmax";
  model.schema = Schema::numbers(1, {"a", "b", "c"});
  std::vector<FitJob> jobs(3);
  for (FitJob& job : jobs) job.recipe.likelihood = "softmax";
  FitOutcomes outcomes(3);  // the second did not come out
  for (const std::size_t k : {0u, 2u}) {
    outcomes[k].emplace();
    outcomes[k]->leave_one_out = {Matrix::Random(rows, classes), Matrix::Zero(rows, pair_count(classes))};
    for (const Index diagonal : {0, 3, 5}) outcomes[k]->leave_one_out.variance.col(diagonal).setConstant(0.5);
  }
  const Vector target = Vector::Zero(rows);
  Matrix mixed = Matrix::Zero(rows, classes);
  for (const std::size_t k : {0u, 2u}) {
    const LeaveOneOut& own = outcomes[k]->leave_one_out;
    Matrix& values = outcomes[k]->class_values;
    values = left_out_class_values(jobs[k], own, classes, 1);
    EXPECT_EQ(left_out_class_values(jobs[k], own, classes, 3), values);
    EXPECT_EQ(values, class_values(jobs[k].recipe, own.mean, own.variance, classes)) << k;
    mixed += values / 2;
  }
  FitJob numbers;
  EXPECT_EQ(left_out_class_values(numbers, outcomes[0]->leave_one_out, 0, 1).size(), 0);
  const LeftOutFits fits{model, outcomes, jobs, target};
  const auto prediction = left_out_predictions(fits, Vector::Ones(2));
  ASSERT_TRUE(prediction);
  EXPECT_LT((prediction->classes().values - mixed).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(LeftOutWeights, RowsCountByTheirWeights) {
  // The second fit is right on the rows of weight 3 alone, as if there were three of each.
  const Index rows = 40;
  FittedModel model;
  const Vector target = Vector::Zero(rows);
  model.standardizer = Standardizer::learn(Matrix::Random(rows, 1), target, Scaling::none, Scaling::none);
  const std::vector<FitJob> jobs(3);
  FitOutcomes outcomes = two_fits(rows, 0);
  outcomes[2]->leave_one_out.mean.topRows(10).setConstant(1.0);
  Vector row_weights = Vector::Ones(rows);
  row_weights.tail(30).setConstant(3);
  model.recipe.weights = "leave-one-out";
  const double share = 40.0 / 700, power = 10 * share * share;
  const auto ratio = [](const Vector& weights) { return std::log((weights[0] - 0.2) / (weights[1] - 0.2)); };
  EXPECT_NEAR(ratio(mixture_weights({model, outcomes, jobs, target})), power * 0.5 * 10 / 40, 1e-12);
  EXPECT_NEAR(ratio(mixture_weights({model, outcomes, jobs, target, row_weights})), power * 0.5 * 10 / 100, 1e-12);
}

TEST(LeftOutScores, AreMeansByTheWeightsOfRows) {
  Dataset data;
  RandomStream stream(4);
  find_problem("friedman1")->generate(60, stream, data.inputs, data.target);
  data.weights = Vector::Ones(60);
  data.weights.head(20).setConstant(4);
  Recipe recipe;
  recipe.model = "exact-rbf";
  recipe.training.starts = 1;
  recipe.training.iterations = 5;
  recipe.noise.prior_center = "fixed";
  FitOptions options;
  Vector squares;
  options.on_left_out = [&](const Prediction& prediction, const std::vector<Index>&) {
    squares = (prediction.distribution().mean() - data.target).cwiseAbs2();
  };
  const FittedModel model = fit(recipe, Schema(), data, options);
  EXPECT_NEAR(model.training["leave_one_out"]["rmse"], std::sqrt(data.weights.dot(squares) / data.weights.sum()), 1e-9);
}

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

// Where there is a clock, those of an exact kernel are of 2000 rows, by another way and to the same numbers.
TEST(TimedLeaveOneOut, OfExactKernelsIsThatOfSomeRows) {
  Dataset data;
  RandomStream stream(4);
  find_problem("friedman1")->generate(2100, stream, data.inputs, data.target);
  Recipe recipe;
  recipe.model = "exact-rbf";
  recipe.noise.prior_center = "fixed";
  recipe.training.starts = 1;
  recipe.training.iterations = 0;
  FitOptions options;
  std::vector<Index> scored;
  Vector means, variances;
  options.on_left_out = [&](const Prediction& prediction, const std::vector<Index>& rows) {
    scored = rows;
    means = prediction.distribution().mean();
    variances = prediction.distribution().variance();
  };
  fit(recipe, Schema(), data, options);
  EXPECT_TRUE(scored.empty());
  const Vector all_means = means, all_variances = variances;
  ASSERT_EQ(all_means.size(), 2100);
  recipe.training.seconds = 60;
  fit(recipe, Schema(), data, options);
  ASSERT_EQ(scored.size(), 2000);
  EXPECT_LT((means - all_means(scored)).norm(), 1e-8 * means.norm());
  EXPECT_LT((variances - all_variances(scored)).norm(), 1e-8 * variances.norm());
}

}  // namespace
}  // namespace alacarte
