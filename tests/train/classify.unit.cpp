// Classes from rows to calibrated probabilities, by fit().
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "alacarte/train/fit.hpp"
#include "inference/inference.hpp"
#include "io/documents.hpp"
#include "support/class_target.hpp"
#include "support/cosine_map.hpp"
#include "support/example_recipe.hpp"
#include "train/plan/auto_recipe.hpp"
#include "train/plan/cost_model.hpp"
#include "train/plan/rows_in_time.hpp"

namespace alacarte {
namespace {

Schema data_schema(const std::string& text, DataConfig config) {
  config.strict = true;
  const auto reader = open_table_from_memory("t.csv", text, config);
  Schema::prepare(*reader, config);
  return Schema::learn(*reader, read_all(*reader), config, {});
}

/// Returns a schema of `classes` classes (0: a number); its columns are not used here.
Schema class_schema(Index classes) {
  DataConfig config;
  config.labels = classes > 0;
  if (classes == 0) return data_schema("a,b,y\n1,2,3\n", config);
  std::string text = "a,b,y\n";
  for (Index i = 0; i <= classes; ++i) text += "1,2,k" + std::to_string(i % classes) + "\n";
  return data_schema(text, config);
}

Recipe small_recipe(const std::string& likelihood, const std::string& model = "ard") {
  Recipe recipe = example_recipe(model, 24);
  recipe.likelihood = likelihood;
  recipe.training.starts = 2;
  recipe.training.probe_iterations = 4;
  recipe.training.iterations = 20;
  return recipe;
}

Dataset rows_of(const std::string& likelihood, Index n, std::uint64_t seed) {
  Dataset data;
  data.inputs = normal_matrix(n, 2, seed);
  data.target = class_target(*find_likelihood(likelihood), data.inputs, seed + 1);
  return data;
}

Index classes_of(const std::string& likelihood) { return class_count_of(*find_likelihood(likelihood)); }

FittedModel fit_small(const std::string& likelihood, const Recipe& recipe, const Dataset& data, int threads = 1) {
  FitOptions options;
  options.threads = threads;
  return fit(recipe, class_schema(classes_of(likelihood)), data, options);
}

/// Compares predict_one() with predict(), to rounding.
void expect_the_same_one_by_one(const FittedModel& model, const Matrix& rows) {
  OneRowWorkspace workspace = model.one_row_workspace();
  const Matrix all = model.predict(rows).classes().values;
  for (Index i = 0; i < rows.rows(); ++i) {
    const Vector& one = model.predict_one(rows.row(i).transpose(), workspace).class_values;
    ASSERT_EQ(one.size(), all.cols());
    EXPECT_LT((one.transpose() - all.row(i)).cwiseAbs().maxCoeff(), 1e-9 * (1 + all.row(i).cwiseAbs().maxCoeff()));
  }
  EXPECT_THROW(model.predict_one(Vector::Zero(rows.cols() + 1), workspace), std::invalid_argument);
  OneRowWorkspace empty;
  EXPECT_THROW(model.predict_one(rows.row(0).transpose(), empty), std::invalid_argument);
}

class Classification : public ::testing::TestWithParam<std::string> {};

TEST_P(Classification, LearnsAndIsTheSameAfterLoading) {
  const Dataset data = rows_of(GetParam(), 250, 1), test = rows_of(GetParam(), 400, 11);
  const FittedModel model = fit_small(GetParam(), small_recipe(GetParam()), data);
  const ClassPrediction p = model.predict(test.inputs).classes();
  EXPECT_LT((p.values.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
  const ClassMetrics metrics = score_classes(p.values, test.target);
  EXPECT_GT(metrics.accuracy, GetParam() == "softmax" ? 0.55 : 0.7);  // three noisy classes
  EXPECT_LT(metrics.log_loss, 0.9 * std::log(static_cast<double>(classes_of(GetParam()))));
  // Leave-one-out scores of the training rows are near the scores of other rows.
  EXPECT_NEAR(to_json(model.training)["leave_one_out"]["log_loss"].get<double>(), metrics.log_loss, 0.15);
  EXPECT_NEAR(to_json(model.training)["leave_one_out"]["accuracy"].get<double>(), metrics.accuracy, 0.1);
  EXPECT_FALSE(model.members.front().summary.noise_prior);
  const FittedModel again = FittedModel::load(model.save());
  EXPECT_EQ(again.predict(test.inputs).classes().values, p.values);
  PredictOptions three;
  three.threads = 3;
  EXPECT_EQ(again.predict(test.inputs, three).classes().values, p.values);
  const FittedModel means = FittedModel::load(model.save(true));
  EXPECT_FALSE(means.has_variance());
  EXPECT_TRUE(means.predict(test.inputs).classes().values.allFinite());
  EXPECT_THROW(model.predict(test.inputs).distribution(), std::invalid_argument);
  EXPECT_THROW(model.predict(test.inputs).counts(), std::invalid_argument);
  expect_the_same_one_by_one(model, test.inputs.topRows(20));
  expect_the_same_one_by_one(means, test.inputs.topRows(5));
}

TEST_P(Classification, OfSeparableClassesIsSureButFinite) {
  Dataset data = rows_of(GetParam(), 120, 3);
  for (Index i = 0; i < 120; ++i) {
    data.target[i] = static_cast<double>(i % classes_of(GetParam()));
    data.inputs(i, 0) = 10 * data.target[i] + 0.1 * data.inputs(i, 0);
  }
  for (const bool priors : {true, false}) {
    Recipe recipe = small_recipe(GetParam());
    recipe.priors = priors;
    const FittedModel model = fit_small(GetParam(), recipe, data);
    const ClassMetrics metrics = score_classes(model.predict(data.inputs).classes().values, data.target);
    EXPECT_EQ(metrics.accuracy, 1);
    EXPECT_LT(metrics.log_loss, 0.4);
  }
}

INSTANTIATE_TEST_SUITE_P(Likelihoods, Classification, ::testing::Values("logit", "probit", "softmax"));

// Labels are drawn from a process of the model's own kind. With 1000 test rows, a bin of the calibration error has a
// standard error of at most 0.06, their weighted sum far less than the bound.
TEST(ClassCalibration, HoldsOnGeneratedRows) {
  RandomStream stream(5);
  Dataset data, test;
  const auto fill = [&](Dataset& into, Index n) {
    into.inputs = Matrix(n, 2);
    into.target = Vector(n);
    for (Index i = 0; i < n; ++i) {
      into.inputs.row(i) << 3 * stream.uniform(), 3 * stream.uniform();
      const double f = 2 * std::sin(2 * into.inputs(i, 0)) * std::cos(2 * into.inputs(i, 1));
      into.target[i] = stream.uniform() < 1 / (1 + std::exp(-f)) ? 1 : 0;
    }
  };
  fill(data, 600);
  fill(test, 1000);
  for (const char* likelihood : {"logit", "probit", "softmax"}) {
    FitOptions options;
    const FittedModel model = fit(small_recipe(likelihood), class_schema(2), data, options);
    const ClassMetrics metrics = score_classes(model.predict(test.inputs).classes().values, test.target);
    EXPECT_LT(metrics.ece, 0.08) << likelihood;
    EXPECT_LT(metrics.log_loss, 0.64) << likelihood;  // 0.693 is uninformative; the truth would have about 0.57
  }
}

// For ten well separated classes, Laplace's covariance is nearly the prior's, and its probabilities are far too even.
TEST(ClassCalibration, OfSeparatedClassesIsNotThatOfThePrior) {
  RandomStream stream(6);
  Matrix x(200, 2), other(500, 2);
  const auto fill = [&](Matrix& into) {
    Vector classes(into.rows());
    for (Index i = 0; i < into.rows(); ++i) {
      const auto k = static_cast<double>(i % 10);
      classes[i] = k;
      into.row(i) << std::cos(0.628 * k) + 0.1 * stream.normal(), std::sin(0.628 * k) + 0.1 * stream.normal();
    }
    return classes;
  };
  const Vector y = fill(x), truth = fill(other);
  const auto map = std::make_shared<CosineMap>(2, 12, 3);
  TrainingStatistics statistics = training_statistics(x, y, stream);
  InferenceOptions options;
  options.likelihood = find_likelihood("softmax")->likelihood;
  options.classes = 10;
  Vector theta(map->parameters().size() + 1);
  theta << map->start(statistics, 0, stream), 0.3;
  theta[map->parameters().find("test.log_amplitude").offset] = std::log(20.0);
  Recipe recipe = small_recipe("softmax");
  for (const bool bound : {false, true}) {
    options.max_joint_features = bound ? 1 : kMaxJointFeatures;
    const auto scores = [&](bool step) {
      options.variational_step = step;
      Matrix means(500, 10), covariances(500, pair_count(10));
      make_inference(map, x, y, options)->posterior(theta)->predict_outputs(other, means, covariances);
      return score_classes(class_values(recipe, means, covariances, 10), truth);
    };
    const ClassMetrics laplace = scores(false), stepped = scores(true);
    EXPECT_LT(stepped.log_loss, laplace.log_loss - 0.05) << bound;
    EXPECT_LT(stepped.ece, laplace.ece) << bound;
    const LeaveOneOut left = make_inference(map, x, y, options)->leave_one_out(theta, {});
    const ClassMetrics own = score_classes(class_values(recipe, left.mean, left.variance, 10), y);
    EXPECT_NEAR(own.log_loss, stepped.log_loss, 0.1) << bound;
  }
}

Recipe softmax_of(Index frequencies) {
  Recipe recipe = small_recipe("softmax");
  recipe.features.frequencies = frequencies;
  recipe.training.starts = 1;
  recipe.training.iterations = 3;
  return recipe;
}

TEST(ClassModels, OfManyFeaturesTakeTheBoundAndSayIt) {
  const Dataset data = rows_of("softmax", 150, 1);
  const Recipe recipe = softmax_of(400);
  const TrainingPlan plan = plan_training(recipe, data, {});
  EXPECT_EQ(plan.fits.front().evaluation.form, EvaluationForm::laplace_bound);
  ASSERT_FALSE(plan.notes.empty());
  EXPECT_NE(plan.notes.front().find("bound"), std::string::npos);
  const FittedModel model = fit_small("softmax", recipe, data);
  EXPECT_NE(to_json(model.training)["notes"].dump().find("bound"), std::string::npos);
  const FittedModel again = FittedModel::load(model.save());
  EXPECT_EQ(again.predict(data.inputs).classes().values, model.predict(data.inputs).classes().values);
}

TEST(ClassModels, TakeTheBoundWhereTheWholeCurvatureDoesNotFit) {
  const Dataset data = rows_of("softmax", 150, 1);
  Recipe recipe = softmax_of(200);
  const TrainingPlan whole = plan_training(recipe, data, {});
  EXPECT_EQ(whole.fits.front().evaluation.form, EvaluationForm::laplace);
  FitOptions options;
  options.memory_bytes = 0.6 * whole.memory_bytes;
  const TrainingPlan bound = plan_training(recipe, data, options);
  EXPECT_EQ(bound.fits.front().evaluation.form, EvaluationForm::laplace_bound);
  EXPECT_LE(bound.memory_bytes, options.memory_bytes);
  ASSERT_FALSE(bound.notes.empty());
  EXPECT_NE(bound.notes.back().find("bound"), std::string::npos);
  recipe.evidence = EvidenceForm::primal;
  EXPECT_THROW(plan_training(recipe, data, options), MemoryLimitError);
}

TEST(ClassModels, TakeTheBoundWhereThereIsNoTime) {
  const Dataset data = rows_of("softmax", 2000, 1);
  Recipe recipe = softmax_of(200);
  recipe.training.iterations = 100;
  const TrainingPlan::Fit joint = plan_training(recipe, data, {}).fits.front();
  ASSERT_EQ(joint.evaluation.form, EvaluationForm::laplace);
  const auto rows = std::make_shared<const MemoryRows>(data);
  const auto plan = [&](double seconds) {
    recipe.training.seconds = seconds;
    return rows_in_time(recipe, *rows, 3, {});
  };
  EXPECT_FALSE(plan(1e5).is_short);
  EXPECT_FALSE(plan(1e5).takes_bound);
  // Enough for every evaluation by blocks, and too little for the joint curvature.
  const double between = 0.5 * joint.evaluation.flops * static_cast<double>(joint.planned_evaluations) / kNominalFlops;
  EXPECT_FALSE(plan(between).is_short);
  EXPECT_TRUE(plan(between).takes_bound);
  EXPECT_TRUE(plan(0.01 * between).is_short);
  EXPECT_TRUE(plan(0.01 * between).takes_bound);
  recipe.evidence = EvidenceForm::primal;
  EXPECT_TRUE(plan(between).is_short);
  EXPECT_FALSE(plan(between).takes_bound);
  recipe.evidence = EvidenceForm::bound;
  EXPECT_FALSE(plan(between).is_short);
  EXPECT_FALSE(plan(between).takes_bound);
  EXPECT_EQ(plan_training(recipe, data, {}).fits.front().evaluation.form, EvaluationForm::laplace_bound);
}

// 7 classes of 292 features are 2044 rows of the joint curvature, and with the constant 2051.
TEST(ClassModels, TheConstantCountsIntoTheJointCurvature) {
  Dataset data = rows_of("softmax", 2000, 1);
  for (Index i = 0; i < 2000; ++i) data.target[i] = static_cast<double>(i % 7);
  Recipe recipe = softmax_of(146);
  recipe.training.seconds = 0.01;
  const auto takes_bound = [&](MeanKind mean) {
    recipe.mean = mean;
    return rows_in_time(recipe, MemoryRows(data), 7, {}).takes_bound;
  };
  EXPECT_TRUE(takes_bound(MeanKind::zero));
  EXPECT_FALSE(takes_bound(MeanKind::constant));  // it is used anyway
}

TEST(ClassModels, TheBoundIsOfFeaturesAlone) {
  Recipe mixture = softmax_of(20);
  mixture.members = {softmax_of(20), softmax_of(20), softmax_of(20)};
  mixture.members[1].model = "exact-ard";
  mixture.members[2].evidence = EvidenceForm::primal;
  take_bound(mixture);
  EXPECT_EQ(mixture.evidence, EvidenceForm::automatic);
  EXPECT_EQ(mixture.members[0].evidence, EvidenceForm::bound);
  EXPECT_EQ(mixture.members[1].evidence, EvidenceForm::automatic);
  EXPECT_EQ(mixture.members[2].evidence, EvidenceForm::primal);
}

TEST(ClassModels, BoundsThatTheClockTookAreRepeated) {
  const Dataset data = rows_of("softmax", 2000, 1);
  Recipe recipe = softmax_of(200);
  recipe.training.seconds = 1;
  const FittedModel model = fit_small("softmax", recipe, data);
  EXPECT_EQ(model.recipe.evidence, EvidenceForm::bound);
  EXPECT_EQ(to_json(model.training)["bound_for_time"], true);
  EXPECT_NE(to_json(model.training)["notes"].dump().find("bound"), std::string::npos);
  FitOptions again;
  again.repeat = &model.training;
  for (const Recipe& same : {recipe, model.recipe}) {
    const FittedModel repeated = fit(same, class_schema(3), data, again);
    EXPECT_EQ(repeated.predict(data.inputs).classes().values, model.predict(data.inputs).classes().values);
    EXPECT_EQ(repeated.recipe.evidence, EvidenceForm::bound);
  }
}

TEST(ClassModels, BalancedClassesShiftTowardsTheRareOne) {
  Dataset data = rows_of("logit", 200, 1);
  for (Index i = 0; i < 200; ++i)
    if (i % 3 != 0) data.target[i] = 0;
  Recipe recipe = small_recipe("logit");
  const double plain = fit_small("logit", recipe, data).predict(data.inputs).classes().values.col(1).mean();
  recipe.learner.class_weights = ClassWeights::balanced;
  const double balanced = fit_small("logit", recipe, data).predict(data.inputs).classes().values.col(1).mean();
  EXPECT_GT(balanced, plain + 0.1);
}

TEST(ClassModels, MayBeMixtures) {
  const Dataset data = rows_of("softmax", 120, 1);
  Recipe recipe;
  recipe.model = "mixture";
  recipe.likelihood = "softmax";
  recipe.members = {small_recipe("softmax"), small_recipe("softmax", "rbf")};
  recipe.training = recipe.members[0].training;
  const FittedModel model = fit_small("softmax", recipe, data);
  ASSERT_EQ(model.members.size(), 2U);
  const Matrix p = model.predict(data.inputs).classes().values;
  EXPECT_LT((p.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
  EXPECT_EQ(FittedModel::load(model.save()).predict(data.inputs).classes().values, p);
}

TEST(ClassErrors, AreSaid) {
  const Dataset data = rows_of("softmax", 60, 1);
  EXPECT_THROW(fit(small_recipe("logit"), class_schema(3), data, {}), ConfigError);
  EXPECT_THROW(fit(small_recipe("softmax"), Schema(), data, {}), std::invalid_argument);
  Recipe noisy = small_recipe("softmax");
  noisy.noise.floor = 0.1;
  EXPECT_THROW(apply_likelihood_defaults(noisy), ConfigError);
  Recipe unknown = small_recipe("softmix");
  EXPECT_THROW(apply_likelihood_defaults(unknown), ConfigError);
}

TEST(Counts, AreLearned) {
  const LikelihoodEntry& entry = *find_likelihood("poisson");
  Dataset data, test;
  data.inputs = normal_matrix(200, 2, 1);
  test.inputs = normal_matrix(300, 2, 2);
  data.target = class_target(entry, data.inputs, 3);
  test.target = class_target(entry, test.inputs, 4);
  const FittedModel model = fit(small_recipe("poisson"), class_schema(0), data, {});
  const CountDistribution p = model.predict(test.inputs).counts();
  const double constant = data.target.mean();
  double nothing = 0;
  for (const double y : test.target) nothing += constant + std::lgamma(y + 1) - y * std::log(constant);
  EXPECT_LT(-p.log_probability(test.target).mean(), nothing / 300 - 0.05);
  EXPECT_EQ(FittedModel::load(model.save()).predict(test.inputs).counts().mean(), p.mean());
  EXPECT_THROW(model.predict(test.inputs).classes(), std::invalid_argument);
  EXPECT_THROW(model.covariance(test.inputs, true), std::invalid_argument);
  OneRowWorkspace workspace = model.one_row_workspace();
  const Vector variance = p.variance(), mean = p.mean();
  PredictOptions at_means;
  at_means.variance = false;
  const Vector alone = model.predict(test.inputs, at_means).counts().mean();
  for (Index i = 0; i < 10; ++i) {
    const OneRowPrediction& one = model.predict_one(test.inputs.row(i).transpose(), workspace);
    EXPECT_NEAR(one.mean, mean[i], 1e-9 * mean[i]);
    EXPECT_NEAR(one.variance, variance[i], 1e-8 * variance[i]);
    model.predict_one(test.inputs.row(i).transpose(), workspace, Moment::mean);
    EXPECT_NEAR(one.mean, alone[i], 1e-9 * alone[i]);
    EXPECT_EQ(one.variance, 0);
  }
}

TEST(ClassModels, TakeSamplesOfTheirHyperparameters) {
  Recipe recipe = small_recipe("softmax");
  recipe.training.samples = 12;
  const Dataset data = rows_of("softmax", 80, 6);
  const FittedModel model = fit_small("softmax", recipe, data);
  ASSERT_EQ(model.members.size(), 12U);
  EXPECT_NE(model.members[0].theta, model.members[11].theta);
  const Matrix values = model.predict(data.view()).classes().values;
  EXPECT_LT((values.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  EXPECT_LT(to_json(model.training)["leave_one_out"]["log_loss"].get<double>(), std::log(3.0));
}

}  // namespace
}  // namespace alacarte
