#include "train/weigh/left_out.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/model/likelihood.hpp"
#include "data/generators.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

/// Returns leave-one-out predictions of two fits of the target 0: one with mean 0, one with `error`, all of variance 1.
FitOutcomes two_fits(Index rows, double error) {
  FitOutcomes outcomes(3);  // the second fit failed
  for (const std::size_t k : {0u, 2u}) {
    outcomes[k].emplace();
    outcomes[k]->leave_one_out.mean = Matrix::Constant(rows, 1, k == 0 ? 0.0 : error);
    outcomes[k]->leave_one_out.variance = Matrix::Ones(rows, 1);
  }
  return outcomes;
}

class LeftOut : public ::testing::TestWithParam<Index> {};

TEST_P(LeftOut, WeightsMakeTheRowsMostProbableBesideSixRowsOfEachFit) {
  const Index rows = GetParam();
  const Matrix inputs = Matrix::Random(rows, 1);
  const Vector target = Vector::Zero(rows);
  FittedModel model;
  model.standardizer = Standardizer::learn(inputs, target, Scaling::none, TargetScaling::none);
  const std::vector<FitJob> jobs(3);
  const double error = 0.5, n = static_cast<double>(rows);
  FitOutcomes outcomes = two_fits(rows, error);
  model.recipe.weights = FitWeights::leave_one_out;
  const Vector weights = mixture_weights({model, outcomes, jobs, target});
  ASSERT_EQ(weights.size(), 2);
  EXPECT_NEAR(weights.sum(), 2, 1e-12);
  // Every row has the same two densities, so that the weights solve one equation.
  const double ratio = std::exp(-error * error / 2), share = weights[0] / (weights[0] + ratio * weights[1]);
  EXPECT_NEAR(weights[0], 2 * (n * share + 6) / (n + 12), 1e-4);
  EXPECT_GT(weights[0], rows < 100 ? 1.2 : 1.6);
  const auto mixed = left_out_predictions({model, outcomes, jobs, target}, weights);
  EXPECT_NEAR(mixed->distribution().mean()[0], weights[1] * error / 2, 1e-12);
  // Without leave-one-out variances all weights are equal.
  outcomes[2]->leave_one_out.variance.setConstant(std::nan(""));
  EXPECT_EQ(mixture_weights({model, outcomes, jobs, target}), Vector(Vector::Ones(2)));
  EXPECT_FALSE(left_out_predictions({model, outcomes, jobs, target}, Vector::Ones(2)));
}

INSTANTIATE_TEST_SUITE_P(Rows, LeftOut, ::testing::Values(70, 350, 1400));

TEST(HeldOutWeights, AreThoseUnderWhichTheRowsAreMostProbable) {
  // Half of the rows are at 0, a quarter of their mirror images at 6: one fit is right on three quarters, the other on
  // one.
  const Index rows = 8000;
  const Matrix inputs = Matrix::Random(rows, 1);
  Vector target = Vector::Zero(rows);
  target.tail(rows / 4).setConstant(6);
  FittedModel model;
  model.standardizer = Standardizer::learn(inputs, target, Scaling::none, TargetScaling::none);
  model.recipe.weights = FitWeights::held_out;
  const std::vector<FitJob> jobs(3);
  FitOutcomes outcomes = two_fits(rows, 6);
  const Vector weights = mixture_weights({model, outcomes, jobs, target, {}, true});
  EXPECT_NEAR(weights.sum(), 2, 1e-9);
  EXPECT_NEAR(weights[0], 1.5, 0.01);
  // The prior matters for few rows.
  const Index few = 4;
  outcomes = two_fits(few, 6);
  const Vector nearly = mixture_weights({model, outcomes, jobs, Vector(target.head(few)), {}, true});
  EXPECT_NEAR(nearly[0], 2 * (4 + 1) / 6.0, 1e-3);
}

TEST(FoldWeights, AreOfClassesAlone) {
  Recipe recipe;
  recipe.model = "exact-rbf";
  recipe.weights = FitWeights::folds;
  Dataset data;
  data.inputs = Matrix::Random(60, 1);
  data.target = data.inputs.col(0);
  try {
    fit(recipe, Schema(), data, {});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.pointer(), "/weights");
  }
}

TEST(FoldWeights, AreThoseUnderWhichAllRowsAreMostProbable) {
  const Index rows = 400;
  Vector target = Vector::Zero(rows);
  target.tail(rows / 4).setOnes();
  FittedModel model;
  model.recipe.weights = FitWeights::folds;
  std::vector<FitJob> jobs(3);
  for (std::size_t k = 0; k < 3; ++k) jobs[k].recipe.model = "rbf" + std::string(k, '+');
  FitOutcomes outcomes(3);
  // One fit is sure of the first class, one of the second: the first is right on three quarters of the rows.
  for (const std::size_t k : {0u, 2u}) {
    outcomes[k].emplace();
    outcomes[k]->fold_values = Matrix::Constant(rows, 2, 1e-9);
    outcomes[k]->fold_values.col(k == 0 ? 0 : 1).setOnes();
  }
  LeftOutFits fits{model, outcomes, jobs, Vector()};
  fits.fold_target = target;
  const Vector weights = mixture_weights(fits);
  EXPECT_NEAR(weights.sum(), 2, 1e-9);
  EXPECT_NEAR(weights[0], 2 * 306.0 / 412, 1e-3);
  // Fits of one model share its prior.
  jobs[2].recipe.model = jobs[0].recipe.model;
  EXPECT_NEAR(mixture_weights(fits)[0], 2 * 303.0 / 406, 1e-3);
  jobs[2].recipe.model = "another";
  Vector row_weights = Vector::Ones(rows);
  row_weights.tail(rows / 4).setConstant(3);
  fits.fold_weights = row_weights;
  EXPECT_NEAR(mixture_weights(fits)[0], 1, 1e-3);
  // A fit without such predictions leaves the weights to the rows that all predict, of which there are none here.
  outcomes[2]->fold_values.resize(0, 0);
  EXPECT_EQ(mixture_weights(fits), Vector(Vector::Ones(2)));
}

TEST(HeldOutRows, AreSeenByNoParameterAndByEveryPosterior) {
  Dataset data;
  RandomStream stream(3);
  find_problem("friedman1")->generate(400, stream, data.inputs, data.target);
  Recipe recipe;
  recipe.model = "mixture";
  recipe.weights = FitWeights::held_out;
  recipe.noise.prior_center = PriorCenter::fixed;
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
  // Other targets of held-out rows change the posterior, and no parameter.
  Dataset changed = data;
  for (const Index row : draw_held_out(400, 0)) changed.target[row] += 0.5;
  recipe.scale_target = TargetScaling::none;
  const FittedModel one = fit(recipe, Schema(), data, {}), other = fit(recipe, Schema(), changed, {});
  // Starts depend on the targets' standard deviation, which includes all rows.
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
  FitOutcomes outcomes(3);  // the second fit failed
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
  // The second fit is right only on the rows of weight 3, which count three times.
  const Index rows = 40;
  FittedModel model;
  const Vector target = Vector::Zero(rows);
  model.standardizer = Standardizer::learn(Matrix::Random(rows, 1), target, Scaling::none, TargetScaling::none);
  const std::vector<FitJob> jobs(3);
  FitOutcomes outcomes = two_fits(rows, 0);
  outcomes[2]->leave_one_out.mean.topRows(10).setConstant(1.0);
  Vector row_weights = Vector::Ones(rows);
  row_weights.tail(30).setConstant(3);
  model.recipe.weights = FitWeights::leave_one_out;
  const double alike = mixture_weights({model, outcomes, jobs, target})[0];
  const double weighted = mixture_weights({model, outcomes, jobs, target, row_weights})[0];
  EXPECT_GT(weighted, 1.02);
  EXPECT_GT(alike, 1.05 * weighted);
}

TEST(LeftOutWeights, NegligibleFitsAreDroppedWithTheirSamples) {
  FitOutcomes outcomes(5);
  for (const std::size_t k : {0u, 2u, 3u, 4u}) outcomes[k].emplace();
  outcomes[3]->is_sample = true;
  std::vector<FitJob> jobs(5);
  jobs[2].name = "gm 1/2";
  std::vector<std::string> notes;
  const Vector weights = drop_negligible(Vector{{1.5, 0.01, 0.02, 2.47}}, jobs, outcomes, notes);
  ASSERT_EQ(weights.size(), 2);
  EXPECT_NEAR(weights[0], 2 * 1.5 / 3.97, 1e-12);
  EXPECT_NEAR(weights.sum(), 2, 1e-12);
  EXPECT_TRUE(outcomes[0] && outcomes[4]);
  EXPECT_FALSE(outcomes[1] || outcomes[2] || outcomes[3]);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "gm 1/2 is dropped: rows that were left out give it 0.0075 of the weight");
  FitOutcomes even(2);
  for (auto& one : even) one.emplace();
  EXPECT_EQ(drop_negligible(Vector{{0.5, 1.5}}, jobs, even, notes), (Vector{{0.5, 1.5}}));
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
  recipe.noise.prior_center = PriorCenter::fixed;
  FitOptions options;
  Vector squares;
  options.on_left_out = [&](const Prediction& prediction, const std::vector<Index>&) {
    squares = (prediction.distribution().mean() - data.target).cwiseAbs2();
  };
  const FittedModel model = fit(recipe, Schema(), data, options);
  EXPECT_NEAR(to_json(model.training)["leave_one_out"]["rmse"],
              std::sqrt(data.weights.dot(squares) / data.weights.sum()), 1e-9);
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
  recipe.noise.prior_center = PriorCenter::fixed;
  const FittedModel equal = fit(recipe, Schema(), data, {});
  recipe.weights = FitWeights::leave_one_out;
  const FittedModel weighed = fit(recipe, Schema(), data, {});
  EXPECT_EQ(equal.component_weights(), Vector(Vector::Ones(2)));
  EXPECT_LT(weighed.members[0].weight, 0.3);
  EXPECT_NEAR(weighed.component_weights().sum(), 2, 1e-12);
  EXPECT_LT(to_json(weighed.training)["leave_one_out"]["nlpd"], to_json(equal.training)["leave_one_out"]["nlpd"]);
}

// Under a time limit, exact kernels use 2000 rows, by another method with the same numbers.
TEST(TimedLeaveOneOut, OfExactKernelsIsThatOfSomeRows) {
  Dataset data;
  RandomStream stream(4);
  find_problem("friedman1")->generate(2100, stream, data.inputs, data.target);
  Recipe recipe;
  recipe.model = "exact-rbf";
  recipe.noise.prior_center = PriorCenter::fixed;
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
