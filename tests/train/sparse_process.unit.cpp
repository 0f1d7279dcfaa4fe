// Gaussian processes on sparse rows: evidence, gradient, posterior and training equal those of the same dense rows.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"
#include "inference/inference.hpp"
#include "io/documents.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {
namespace {

constexpr Index kRows = 90, kInputs = 40;

struct SparseProblem {
  Matrix x = Matrix::Zero(kRows, kInputs);
  Vector y = Vector(kRows);

  explicit SparseProblem(const std::string& likelihood) {
    RandomStream stream(11);
    for (Index i = 0; i < kRows; ++i) {
      for (int k = 0; k < 6; ++k) x(i, stream.below(kInputs)) = 1 + std::abs(stream.normal());
      const double f = x(i, 0) + x(i, 1) - x(i, 2) + 0.3 * stream.normal();
      y[i] = likelihood == "gaussian" ? f : likelihood == "poisson" ? std::floor(std::exp(std::min(f, 2.0))) : f > 0.2;
      if (likelihood == "softmax") y[i] = static_cast<double>(i % 3 == 0 ? 2 : f > 0);
    }
  }
};

Recipe recipe_for(const std::string& model, const std::string& likelihood) {
  return parse_registered_recipe(nlohmann::json::parse(
      "{" + model + R"(, "likelihood": ")" + likelihood +
      R"(", "scale": {"inputs": "none"}, "training": {"starts": 1, "iterations": 5}, "copies": 1})"));
}

const std::string kModels[] = {
    R"("model": "linear")", R"("model": "gcws", "features": {"samples": 8, "bits": 3})",
    R"("model": "gcws", "features": {"samples": 32, "bits": 4})",  // more features than rows: the dual form
    R"("model": "tensor-sketch", "features": {"sketch": 64, "learn_lengthscale": false})"};

class SparseProcess : public testing::TestWithParam<std::tuple<std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(MapsAndLikelihoods, SparseProcess,
                         testing::Combine(testing::ValuesIn(kModels),
                                          testing::Values("gaussian", "softmax", "logit", "poisson")));

TEST_P(SparseProcess, EvaluatesAndSolvesLikeDenseRows) {
  const auto& [model, likelihood] = GetParam();
  const SparseProblem problem(likelihood);
  const Recipe recipe = recipe_for(model, likelihood);
  const auto dense = std::make_shared<MemoryRows>(problem.x, problem.y);
  const auto sparse = std::make_shared<MemoryRows>(to_sparse(problem.x), problem.y);
  RandomStream pairs(3);
  const TrainingStatistics statistics = training_statistics(*dense, pairs);
  const Prior prior = make_prior(recipe, kInputs, RandomStreams(5), statistics);
  InferenceOptions options;
  options.likelihood = likelihood_of(recipe);
  options.classes = likelihood == "softmax" ? 3 : likelihood == "logit" ? 2 : 0;
  options.threads = 2;
  options.chunk_rows = 17;
  const auto by_dense = make_inference(prior, dense, options);
  const auto by_sparse = make_inference(prior, sparse, options);
  RandomStream stream(7);
  Vector theta = Vector::Constant(by_dense->parameters().size(), -0.3);
  theta.head(prior.parameters().size()) = prior.start(statistics, 0, stream);
  Vector gradient(theta.size()), other(theta.size());
  const double value = by_dense->evaluate(theta, gradient);
  EXPECT_NEAR(by_sparse->evaluate(theta, other), value, 1e-9 * (1 + std::abs(value)));
  EXPECT_LT((gradient - other).norm(), 1e-8 * (1 + gradient.norm()));

  const std::vector<Index> some = {0, 5, 17, 18, 60};
  const Solution a = by_dense->solve(theta, {true, some}), b = by_sparse->solve(theta, {true, some});
  EXPECT_LT((a.leave_one_out.mean - b.leave_one_out.mean).norm(), 1e-8 * (1 + a.leave_one_out.mean.norm()));
  EXPECT_LT((a.leave_one_out.variance - b.leave_one_out.variance).norm(), 1e-8 * (1 + a.leave_one_out.variance.norm()));
  const Index outputs = a.posterior->outputs(), count = outputs * (outputs + 1) / 2;
  Matrix means(kRows, outputs), covariances(kRows, count), more = means, wider = covariances;
  a.posterior->predict_outputs(problem.x, means, covariances);
  b.posterior->predict_outputs(to_sparse(problem.x).view(), more, wider);
  EXPECT_LT((means - more).norm(), 1e-8 * (1 + means.norm()));
  EXPECT_LT((covariances - wider).norm(), 1e-8 * (1 + covariances.norm()));
}

TEST_P(SparseProcess, TrainsSavesAndPredictsWithoutLayingRowsOut) {
  const auto& [model, likelihood] = GetParam();
  const SparseProblem problem(likelihood);
  const Recipe recipe = apply_likelihood_defaults(recipe_for(model, likelihood));
  ASSERT_TRUE(takes_sparse_rows(recipe));
  Dataset rows;
  rows.sparse = to_sparse(problem.x);
  rows.target = problem.y;
  std::vector<std::string> classes;
  if (likelihood == "softmax") classes = {"a", "b", "c"};
  if (likelihood == "logit") classes = {"a", "b"};
  const Schema schema = Schema::sparse(kInputs, recipe.data, classes);
  const FittedModel fitted = fit(recipe, schema, rows, {});
  const FittedModel loaded = FittedModel::load(fitted.save());
  const InputView x = rows.sparse.view();
  if (!classes.empty()) {
    EXPECT_EQ(loaded.predict(x).classes().values, fitted.predict(x).classes().values);
    EXPECT_LT((loaded.predict(problem.x).classes().values - fitted.predict(x).classes().values).norm(), 1e-9);
    EXPECT_TRUE(to_json(fitted.training).at("leave_one_out").contains("log_loss"));
  } else if (likelihood == "poisson") {
    EXPECT_EQ(loaded.predict(x).counts().mean(), fitted.predict(x).counts().mean());
    EXPECT_LT((loaded.predict(problem.x).counts().mean() - fitted.predict(x).counts().mean()).norm(), 1e-8);
  } else {
    const auto p = fitted.predict(x).distribution(), again = loaded.predict(x).distribution();
    EXPECT_EQ(again.mean(), p.mean());
    EXPECT_EQ(again.variance(), p.variance());
    EXPECT_LT((loaded.predict(problem.x).distribution().mean() - p.mean()).norm(), 1e-8);
    // The target has another spread: predictions are in its unit.
    EXPECT_LT((p.mean() - problem.y).norm(), 0.8 * (problem.y.array() - problem.y.mean()).matrix().norm());
  }
}

TEST(SparseProcessRefusals, MapsThatNeedTheZerosAreRefused) {
  const SparseProblem problem("gaussian");
  Dataset rows;
  rows.sparse = to_sparse(problem.x);
  rows.target = problem.y;
  const Recipe recipe = recipe_for(R"("model": "rbf")", "gaussian");
  EXPECT_FALSE(takes_sparse_rows(recipe));
  EXPECT_THROW(fit(recipe, Schema::sparse(kInputs, recipe.data, {}), rows, {}), ConfigError);
}

}  // namespace
}  // namespace alacarte
