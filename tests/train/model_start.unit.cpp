// Training that starts at another model's hyperparameters: FitOptions::start_from.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"
#include "data/generators.hpp"
#include "io/documents.hpp"
#include "support/example_recipe.hpp"
#include "support/program.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {
namespace {

Dataset problem_rows(Index rows, std::uint64_t seed) {
  Dataset data;
  RandomStream stream(seed);
  find_problem("friedman1")->generate(rows, stream, data.inputs, data.target);
  return data;
}

Recipe short_recipe(const std::string& model) {
  Recipe recipe = example_recipe(model, 32);
  recipe.training.starts = 2;
  recipe.training.probe_iterations = 4;
  recipe.training.iterations = 15;
  recipe.noise.prior_center = PriorCenter::fixed;
  return recipe;
}

/// Returns the recipe without optimiser steps: the model is the start.
Recipe without_steps(Recipe recipe) {
  recipe.training.iterations = 0;
  recipe.training.starts = 3;
  return recipe;
}

FittedModel begin_at(const FittedModel& model, const Recipe& recipe, const Dataset& data, FitOptions options = {}) {
  options.seed = model.seed;
  options.start_from = &model;
  options.start_name = "first.model";
  return fit(recipe, Schema(), data, options);
}

std::string taken_by(const FittedModel& model, const std::string& fit) {
  return to_json(model.training).at("started_from").at("fits").at(fit);
}

Vector means_of(const FittedModel& model, const Matrix& inputs) { return model.predict(inputs).distribution().mean(); }

class ModelStartOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, ModelStartOf,
                         testing::Values("exact-ard", "exact-periodic", "gm", "fsard", "ssgpr", "pwl", "matern",
                                         "linear", "rbf"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(ModelStartOf, AnotherTrainingOfTheSameRowsBeginsWhereTheFirstEnded) {
  const Dataset data = problem_rows(80, 1);
  const FittedModel first = fit(short_recipe(GetParam()), Schema(), data, {});
  const FittedModel second = begin_at(first, without_steps(short_recipe(GetParam())), data);
  const Vector theta = first.members[0].theta;
  EXPECT_LT((second.members[0].theta - theta).cwiseAbs().maxCoeff(), 1e-12 * (1 + theta.cwiseAbs().maxCoeff()));
  EXPECT_NEAR(second.members[0].posterior->noise_variance() / first.members[0].posterior->noise_variance(), 1, 1e-9);
  EXPECT_EQ(to_json(second.members[0].summary)["start_objectives"].size(), 0u) << "one point needs no probes";
  const std::string taken = taken_by(second, GetParam());
  if (theta.size() == 1)
    EXPECT_EQ(taken, "its hyperparameter and noise");
  else
    EXPECT_TRUE(taken.starts_with("all ") && taken.ends_with(" hyperparameters and noise")) << taken;
}

// The first model is learned from standardised rows, the second keeps table units: both are the same function.
class ModelStartUnits : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kernels, ModelStartUnits, testing::Values("exact-ard", "exact-rq", "exact-periodic"),
                         [](const auto& info) { return std::string(info.param).substr(6); });

TEST_P(ModelStartUnits, HyperparametersKeepTheUnitsOfTheData) {
  Dataset data = problem_rows(60, 2);
  data.inputs.col(0) *= 1000;
  data.target = (data.target.array() * 50 + 7).matrix();
  Recipe recipe = short_recipe(GetParam());
  recipe.mean = MeanKind::constant;
  recipe.training.samples = -1;
  recipe.noise.floor = 0;
  const FittedModel first = fit(recipe, Schema(), data, {});
  recipe.scale_inputs = Scaling::none;
  recipe.scale_target = TargetScaling::none;
  const FittedModel second = begin_at(first, without_steps(recipe), data);
  const Vector expected = means_of(first, data.inputs);
  EXPECT_LT((means_of(second, data.inputs) - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff());
  const double scale = first.standardizer.target_scale();
  EXPECT_NEAR(
      second.members[0].posterior->noise_variance() / (scale * scale * first.members[0].posterior->noise_variance()), 1,
      1e-9);
}

TEST(ModelStart, InAnotherUnitTheFunctionStays) {
  const Dataset data = problem_rows(80, 1);
  const FittedModel first = fit(short_recipe("exact-ard"), Schema(), data, {});
  for (const double unit : {1e6, 1e-9}) {
    Dataset other = data;
    other.target *= unit;
    const FittedModel second = begin_at(first, without_steps(short_recipe("exact-ard")), other);
    const Vector means = means_of(first, data.inputs);
    EXPECT_LT((means_of(second, data.inputs) / unit - means).norm(), 1e-6 * means.norm()) << unit;
    other = data;
    other.inputs *= unit;
    const FittedModel third = begin_at(first, without_steps(short_recipe("exact-ard")), other);
    EXPECT_LT((means_of(third, other.inputs) - means).norm(), 1e-6 * means.norm()) << unit;
  }
}

TEST(ModelStart, AnotherFamilyTakesLengthscalesAndNoise) {
  const Dataset data = problem_rows(100, 3);
  const FittedModel first = fit(short_recipe("exact-ard"), Schema(), data, {});
  const Vector scales = first.members[0].theta.head(10);
  const FittedModel second = begin_at(first, without_steps(short_recipe("exact-matern")), data);
  EXPECT_EQ(taken_by(second, "exact-matern"), "length-scales and noise");
  // Each within the spread of ARD starts, U[0.4, 0.8] / 0.6, as far as the optimiser reaches.
  for (Index j = 0; j < 5; ++j) EXPECT_NEAR(second.members[0].theta[j], scales[j], 0.41) << j;
  EXPECT_NEAR(second.members[0].posterior->noise_variance() / first.members[0].posterior->noise_variance(), 1, 1e-6);
  const FittedModel shared = begin_at(first, without_steps(short_recipe("exact-rbf")), data);
  const double log_mean = scales.cwiseMin(std::log(10 * std::sqrt(10.0) * 3.6)).mean();
  EXPECT_NEAR(shared.members[0].theta[0], log_mean, 0.05);
}

TEST(ModelStart, SharesWhatHasOneNameAndSize) {
  const Dataset data = problem_rows(80, 4);
  Recipe recipe = short_recipe("gm");
  recipe.features.components = 1;
  const FittedModel first = fit(recipe, Schema(), data, {});
  recipe.features.components = 2;
  const FittedModel second = begin_at(first, without_steps(recipe), data);
  EXPECT_EQ(taken_by(second, "gm"), "21 of 42 hyperparameters and noise");
  EXPECT_EQ(second.members[0].theta.head(21), first.members[0].theta);
  Recipe mixture;
  mixture.model = "mixture";
  mixture.members = {without_steps(short_recipe("exact-ard")), without_steps(recipe)};
  mixture.members[1].copies = 2;
  const FittedModel third = begin_at(second, mixture, data);
  EXPECT_EQ(third.members[1].theta, second.members[0].theta);
  EXPECT_EQ(third.members[2].theta, second.members[0].theta) << "both copies begin at the one fit there is";
  EXPECT_EQ(taken_by(third, "exact-ard"), "length-scales and noise");
}

// Scaling a function scales its variance by the square, for any combination.
TEST(ScaleAmplitudes, MultipliesTheWholeFunction) {
  for (
      const char* text :
      {R"({"model": "exact-ard"})", R"({"model": "exact-linear"})", R"({"model": "exact-polynomial"})",
       R"({"model": "exact-sum", "terms": [{"model": "exact-ard"}, {"model": "exact-linear"}]})",
       R"({"model": "exact-product", "terms": [{"model": "exact-ard"}, {"model": "exact-rq"}, {"model": "exact-rbf"}]})",
       R"({"model": "exact-product", "terms": [{"model": "exact-sum", "terms": [{"model": "exact-rbf"},
            {"model": "exact-linear"}]}, {"model": "exact-ard"}]})"}) {
    SCOPED_TRACE(text);
    const Dataset data = problem_rows(40, 3);
    const TrainingRows rows =
        make_training_rows(std::make_shared<MemoryRows>(Matrix(data.inputs), Vector(data.target)), RandomStreams(1));
    const FitJob job =
        make_job(parse_registered_recipe(nlohmann::json::parse(text)), rows.statistics, RandomStreams(1));
    const Vector theta = job_start(job, rows.statistics, 0);
    Vector scaled = theta, before(40), after(40);
    scale_amplitudes(job.prior.parameters(), 3, scaled);
    job.prior.kernel()->diagonal(theta, data.inputs, before);
    job.prior.kernel()->diagonal(scaled, data.inputs, after);
    EXPECT_LT((after - 9 * before).cwiseAbs().maxCoeff(), 1e-9 * before.maxCoeff());
  }
}

TEST(ModelStart, OtherInputsAreRefused) {
  const Dataset data = problem_rows(50, 5);
  const FittedModel first = fit(short_recipe("exact-rbf"), Schema(), data, {});
  Dataset narrow = data;
  narrow.inputs = data.inputs.leftCols(4).eval();
  const auto refusal = [&](const FittedModel& model, const Recipe& recipe, const Dataset& rows) -> std::string {
    try {
      begin_at(model, recipe, rows);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(refusal(first, short_recipe("exact-rbf"), narrow),
            "first.model: has other inputs: 10 of them, and the rows have 4");
  EXPECT_EQ(refusal(first, short_recipe("exact-rbf"), data), "no error");
}

TEST(ModelStart, ARepetitionNeedsTheSameStart) {
  const Dataset data = problem_rows(50, 6);
  const FittedModel first = fit(short_recipe("exact-ard"), Schema(), data, {});
  const FittedModel second = begin_at(first, short_recipe("exact-ard"), data);
  FitOptions options;
  options.repeat = &second.training;
  const FittedModel again = begin_at(first, second.recipe, data, options);
  EXPECT_EQ(again.members[0].theta, second.members[0].theta);
  EXPECT_THROW(fit(second.recipe, Schema(), data, options), ConfigError);
  EXPECT_THROW(begin_at(second, second.recipe, data, options), ConfigError);
  options.repeat = &first.training;
  EXPECT_THROW(begin_at(first, first.recipe, data, options), ConfigError);
}

TEST(ModelStart, ACheckpointBelongsToItsStart) {
  const test::TemporaryFolder folder;
  const Dataset data = problem_rows(50, 7);
  const FittedModel first = fit(short_recipe("exact-ard"), Schema(), data, {});
  FitOptions options;
  options.checkpoint_path = folder / "checkpoint";
  const FittedModel second = begin_at(first, short_recipe("exact-ard"), data, options);
  options.resume = true;
  EXPECT_EQ(begin_at(first, short_recipe("exact-ard"), data, options).members[0].theta, second.members[0].theta);
  EXPECT_THROW(begin_at(second, short_recipe("exact-ard"), data, options), IoError);
  EXPECT_THROW(fit(short_recipe("exact-ard"), Schema(), data, options), IoError);
}

}  // namespace
}  // namespace alacarte
