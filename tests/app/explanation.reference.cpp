// Partial dependence, interactions, importance and Shapley values of known functions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/app/explain_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/model/explanation.hpp"
#include "io/documents.hpp"
#include "support/small_model.hpp"

namespace alacarte {
namespace {

/// Returns a noise-free problem whose target is a given function of the two inputs.
template <class Function>
SmallProblem problem_with(const Function& f) {
  SmallProblem problem = small_problem(60);
  for (Index i = 0; i < problem.rows.rows(); ++i)
    problem.rows.target[i] = f(problem.rows.inputs(i, 0), (problem.rows.inputs(i, 1) - 100) / 20);
  return problem;
}

double first_part(double a) { return 3 * a + 50; }
double second_part(double b) { return -2 * b; }

TEST(Explanation, PartialDependenceOfAnAdditiveFunctionIsTheFunction) {
  const SmallProblem problem = problem_with([](double a, double b) { return first_part(a) + second_part(b); });
  const FittedModel model = small_model({"exact-linear"}, problem);
  const auto inputs = explained_inputs(model.schema);
  ASSERT_EQ(inputs.size(), 2u);
  const PartialDependence own = partial_dependence(model, problem.rows.inputs, inputs[0], 12);
  ASSERT_EQ(own.values.size(), 12u);
  const double other = second_part((problem.rows.inputs.col(1).mean() - 100) / 20);
  for (std::size_t k = 0; k < own.values.size(); ++k) {
    EXPECT_GT(own.f[k].sd, 0);
    EXPECT_NEAR(own.f[k].mean, first_part(own.values[k].number) + other, 0.1 + 4 * own.f[k].sd);
    if (k == 0) continue;
    // The function is a line up to the shrinkage of the prior, and so is its average.
    EXPECT_NEAR((own.f[k].mean - own.f[0].mean) / (own.values[k].number - own.values[0].number),
                (own.f[11].mean - own.f[0].mean) / (own.values[11].number - own.values[0].number), 1e-9);
  }
  EXPECT_GT(own.spread, 1);
}

// The average's error bars follow from the joint covariance, for every registered model.
TEST(Explanation, ErrorBarsAreThoseOfTheAverageForEveryRegisteredModel) {
  const SmallProblem problem = small_problem(30);
  for (const std::string& name : registered_models()) {
    const FittedModel model = small_model({name}, problem);
    const Matrix rows = problem.rows.inputs.topRows(6);
    const auto inputs = explained_inputs(model.schema);
    const PartialDependence own = partial_dependence(model, rows, inputs[1], 3, 2);
    for (std::size_t k = 0; k < own.values.size(); ++k) {
      Matrix set = rows;
      set.col(1).setConstant(own.values[k].number);
      EXPECT_NEAR(own.f[k].mean, model.predict(set).distribution().mean().mean(), 1e-9) << name;
      const Matrix covariance = model.covariance(set, true);
      EXPECT_NEAR(own.f[k].sd * own.f[k].sd, covariance.mean(), 1e-8 * covariance.trace()) << name;
    }
  }
}

TEST(Explanation, MixturesCountTheSpreadOfTheirFits) {
  const SmallProblem problem = small_problem(30);
  FittedModel model = small_model({"ard", "exact-rq"}, problem);
  model.members[0].weight = 0.4;
  model.members[1].weight = 1.6;
  const Matrix rows = problem.rows.inputs.topRows(5);
  const Vector weights = Vector::Constant(5, 0.2);
  const Estimate estimate = estimate_sum(model, rows, weights);
  EXPECT_NEAR(estimate.mean, model.predict(rows).distribution().mean().mean(), 1e-10);
  EXPECT_NEAR(estimate.sd * estimate.sd, model.covariance(rows, true).mean(), 1e-9);
}

TEST(Explanation, InteractionsOfAnAdditiveModelAreZero) {
  const SmallProblem problem = problem_with([](double a, double b) { return first_part(a) + second_part(b); });
  const FittedModel model = small_model({"exact-linear"}, problem);
  const auto inputs = explained_inputs(model.schema);
  const Interaction own = interaction(model, problem.rows.inputs, inputs[0], inputs[1], 4, 2);
  EXPECT_LT(own.mean.cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT(own.strength, 1e-10);
}

TEST(Explanation, InteractionsOfAProductAreThoseOfTheProduct) {
  const SmallProblem problem = problem_with([](double a, double b) { return 2 * a * b; });
  const FittedModel model = small_model({"exact-polynomial"}, problem);
  const auto inputs = explained_inputs(model.schema);
  const Interaction own = interaction(model, problem.rows.inputs, inputs[0], inputs[1], 3);
  const double a_mean = problem.rows.inputs.col(0).mean(), b_mean = (problem.rows.inputs.col(1).mean() - 100) / 20;
  const Vector b = (problem.rows.inputs.col(1).array() - 100) / 20;
  const double both = (problem.rows.inputs.col(0).array() * b.array()).mean();
  double largest = 0;
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) {
      const double at = own.first_values[static_cast<std::size_t>(i)].number;
      const double bt = (own.second_values[static_cast<std::size_t>(j)].number - 100) / 20;
      const double exact = 2 * (at * bt - at * b_mean - a_mean * bt + both);
      largest = std::max(largest, std::abs(exact));
      // The prior shrinks the untrained model by some hundredths, which its error bars cover.
      EXPECT_NEAR(own.mean(i, j), exact, 0.03 + 0.05 * std::abs(exact));
      EXPECT_NEAR(own.mean(i, j), exact, 2 * own.sd(i, j));
      EXPECT_LT(own.sd(i, j), 0.25);
    }
  EXPECT_GT(largest, 4);
  EXPECT_NEAR(own.strength, own.mean.norm() / 3, 1e-12);
}

TEST(Explanation, AnIrrelevantInputHasNoImportance) {
  const SmallProblem problem = problem_with([](double a, double) { return first_part(a); });
  const FittedModel model = small_model({"exact-linear"}, problem);
  const Vector none;
  const PermutationImportance own =
      permutation_importance(model, problem.rows.inputs, problem.rows.target, none, 5, 1, 2);
  EXPECT_EQ(own.inputs[0].name, "a");
  EXPECT_GT(own.increase[0], 1);
  EXPECT_GT(own.standard_error[0], 0);
  EXPECT_LT(std::abs(own.increase[1]), 0.01 * own.increase[0]);
  // Rows of weight 0 do not count.
  Vector weights = Vector::Ones(60);
  weights.tail(30).setZero();
  const double half = permutation_importance(model, problem.rows.inputs, problem.rows.target, weights, 2, 1).rmse;
  const Vector errors =
      model.predict(problem.rows.inputs.topRows(30)).distribution().mean() - problem.rows.target.head(30);
  EXPECT_NEAR(half, std::sqrt(errors.squaredNorm() / 30), 1e-12);
}

TEST(Explanation, ShapleyValuesAddUpToThePredictionLessTheAverage) {
  const SmallProblem problem = small_problem(30);
  for (const char* name : {"ard", "gcws", "exact-rq", "exact-minmax"}) {
    const FittedModel model = small_model({name}, problem);
    const Matrix row = problem.rows.inputs.row(4);
    const ShapleyValues own = shapley_values(model, problem.rows.inputs.topRows(9), row, 3, 7, 2);
    double sum = 0;
    for (const Estimate& value : own.shapley) sum += value.mean;
    EXPECT_NEAR(sum, own.prediction - own.average, 1e-10 * (1 + std::abs(own.prediction))) << name;
    EXPECT_NEAR(own.prediction, model.predict(row).distribution().mean()[0], 1e-10) << name;
    EXPECT_EQ(own.orders, 9 * 3 * 2);
    ASSERT_TRUE(own.sampling_error.has_value());
  }
}

// With two inputs, an order and its reverse are all orders, so nothing is random.
TEST(Explanation, ShapleyValuesOfALineAreItsTerms) {
  const SmallProblem problem = problem_with([](double a, double b) { return first_part(a) + second_part(b); });
  const FittedModel model = small_model({"exact-linear"}, problem);
  const Matrix& rows = problem.rows.inputs;
  const ShapleyValues own = shapley_values(model, rows, rows.row(3), 2, 1);
  EXPECT_LT(own.sampling_error->maxCoeff(), 1e-10);
  EXPECT_NEAR(own.shapley[0].mean, 3 * (rows(3, 0) - rows.col(0).mean()), 0.1 + 4 * own.shapley[0].sd);
  EXPECT_NEAR(own.shapley[1].mean, -0.1 * (rows(3, 1) - rows.col(1).mean()), 0.1 + 4 * own.shapley[1].sd);
  EXPECT_EQ(shapley_values(model, rows, rows.row(3), 1, 1).sampling_error.has_value(), false);
}

// All indicators of a category change together, and an unknown category has a name.
TEST(Explanation, CategoriesAreOneInput) {
  std::string text = "a,colour,y\n";
  for (int i = 0; i < 40; ++i)
    text += fmt::format("{},{},{}\n", 0.1 * i, i % 3 == 0 ? "red" : i % 3 == 1 ? "blue" : "green", i % 3 == 0 ? 5 : 1);
  DataConfig config;
  config.categorical = {"colour"};
  const auto reader = open_table_from_memory("rows.csv", text, {});
  Schema::prepare(*reader, config);
  const TableChunk table = read_all(*reader);
  SmallProblem problem;
  problem.schema = Schema::learn(*reader, table, config, {});
  problem.rows = problem.schema.encode(*reader, table, true);
  const FittedModel model = small_model({"exact-linear"}, problem);
  const auto inputs = explained_inputs(model.schema);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[1].width, 3);
  const PartialDependence own = partial_dependence(model, problem.rows.inputs, inputs[1], 5);
  ASSERT_EQ(own.values.size(), 3u);
  EXPECT_EQ(own.values[2].label, "red");
  EXPECT_GT(own.f[2].mean, own.f[0].mean + 3);
  EXPECT_EQ(value_of(inputs[1], problem.rows.inputs.row(1)).label, "blue");
  EXPECT_EQ(value_of(inputs[1], Matrix::Zero(1, 4)).label, "(none)");
}

TEST(Explanation, TypicalValuesAreAllOrQuantiles) {
  const ExplainedInput input{"a", 0, 1, {}};
  Matrix rows(101, 1);
  rows.col(0).setLinSpaced(0, 100);
  const auto values = typical_values(input, rows, 10);
  ASSERT_EQ(values.size(), 10u);
  EXPECT_NEAR(values.front().number, 5, 1e-12);
  EXPECT_NEAR(values.back().number, 95, 1e-12);
  rows = rows.unaryExpr([](double x) { return x < 50 ? 1.0 : 2.0; }).eval();
  EXPECT_EQ(typical_values(input, rows, 10).size(), 2u);
}

TEST(Explanation, OfAModelWithoutVariancesHasNone) {
  const SmallProblem problem = small_problem(30);
  const FittedModel model = FittedModel::load(small_model({"ard"}, problem).save(true));
  Dataset rows;
  rows.inputs = problem.rows.inputs;
  ExplainOptions options;
  options.row = 3;
  const Explanation own = explain(model, rows, options);
  EXPECT_FALSE(own.variances);
  EXPECT_FALSE(own.importance.has_value());  // there are no targets
  const nlohmann::json json = to_json(own);
  EXPECT_TRUE(json["partial_dependence"][0]["sd"].is_null());
  EXPECT_TRUE(json["importance"].is_null());
  EXPECT_TRUE(json["shapley"]["inputs"][0]["sd"].is_null());
  options.row = 31;
  EXPECT_THROW(explain(model, rows, options), DataError);
}

}  // namespace
}  // namespace alacarte
