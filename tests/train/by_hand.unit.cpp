// Hyperparameters set by hand and fixed: kernel.lengthscale, kernel.amplitude, kernel.period, noise.sd, "trained":
// false.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"
#include "data/generators.hpp"
#include "io/documents.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {
namespace {

/// Returns friedman1 with an input in another unit.
Dataset rows_in_units() {
  Dataset data;
  RandomStream stream(3);
  find_problem("friedman1")->generate(90, stream, data.inputs, data.target);
  data.inputs = data.inputs.leftCols(4).eval();
  data.inputs.col(2) *= 1000;
  data.target *= 20;
  return data;
}

Recipe recipe_by_hand(const std::string& model, const std::string& kernel, const std::string& noise) {
  return parse_registered_recipe(
      nlohmann::json::parse(R"({"model": ")" + model + R"(", "kernel": {)" + kernel + R"(}, "noise": {)" + noise +
                            R"(}, "training": {"starts": 2, "probe_iterations": 3, "iterations": 8}})"));
}

/// Returns length-scales in input units, and the noise in target units.
Vector lengthscales(const FittedModel& model, const std::string& slot) {
  const Member& member = model.members.front();
  const ParameterSlot& own = member.prior.parameters().find(slot);
  const Vector scales = member.theta.segment(own.offset, own.size).array().exp();
  return own.size == 1 ? scales : Vector(scales.cwiseProduct(model.standardizer.input_scale()));
}

double noise_sd(const FittedModel& model) {
  return std::sqrt(model.members.front().posterior->noise_variance()) * model.standardizer.target_scale();
}

const Vector kScales = (Vector(4) << 0.5, 0.7, 400, 2).finished();

TEST(ByHand, WhatIsHeldStaysInTheUnitsOfTheData) {
  const Dataset data = rows_in_units();
  for (const std::string model : {"exact-ard", "gm", "nystrom"}) {
    SCOPED_TRACE(model);
    Recipe recipe =
        recipe_by_hand(model == "nystrom" ? "exact-ard" : model,
                       R"("lengthscale": [0.5, 0.7, 400, 2], "trained": false)", R"("sd": 30, "trained": false)");
    if (model == "nystrom") {
      Recipe term = recipe;
      recipe = parse_registered_recipe(nlohmann::json::parse(
          R"({"model": "nystrom", "terms": [{"model": "exact-ard"}], "features": {"frequencies": 30},
              "kernel": {"lengthscale": [0.5, 0.7, 400, 2], "trained": false}, "noise": {"sd": 30, "trained": false},
              "training": {"starts": 2, "probe_iterations": 3, "iterations": 8}})"));
    }
    const FittedModel fitted = fit(recipe, Schema(), data, {});
    const std::string slot = model == "gm"        ? "gm[0].log_lengthscale"
                             : model == "nystrom" ? fitted.members[0].prior.parameters().slots().front().name
                                                  : "ard.log_lengthscale";
    EXPECT_LT((lengthscales(fitted, slot).cwiseQuotient(kScales).array() - 1).abs().maxCoeff(), 1e-12);
    EXPECT_NEAR(noise_sd(fitted), 30, 1e-9);
    EXPECT_EQ(to_json(fitted.members[0].summary)["noise_prior"]["from"], "fixed") << "no fit of the noise is needed";
  }
}

TEST(ByHand, WhatIsOnlySetIsWhereTrainingBegins) {
  const Dataset data = rows_in_units();
  Recipe recipe = recipe_by_hand("exact-ard", R"("lengthscale": [0.5, 0.7, 400, 2])", R"("sd": 30)");
  recipe.training.starts = 1;
  recipe.training.iterations = 0;
  const FittedModel begun = fit(recipe, Schema(), data, {});
  EXPECT_LT((lengthscales(begun, "ard.log_lengthscale").cwiseQuotient(kScales).array() - 1).abs().maxCoeff(), 1e-12);
  EXPECT_NEAR(noise_sd(begun), 30, 1e-9);
  recipe.training.iterations = 8;
  const FittedModel trained = fit(recipe, Schema(), data, {});
  EXPECT_GT((lengthscales(trained, "ard.log_lengthscale").cwiseQuotient(kScales).array() - 1).abs().minCoeff(), 1e-3);
  EXPECT_GT(std::abs(noise_sd(trained) - 30), 0.1);
}

TEST(ByHand, OneValueIsForAllInputs) {
  Dataset data = rows_in_units();
  Recipe recipe = recipe_by_hand("exact-rbf", R"("lengthscale": [1.5], "trained": false)", "");
  recipe.scale_inputs = Scaling::none;
  const FittedModel fitted = fit(recipe, Schema(), data, {});
  EXPECT_NEAR(lengthscales(fitted, "rbf.log_lengthscale")[0], 1.5, 1e-12);
  data.target = (data.target.array() > data.target.mean()).cast<double>();
  recipe.likelihood = "logit";
  recipe.data.labels = true;
  const FittedModel classes = fit(recipe, Schema::numbers(4, {"low", "high"}), data, {});
  EXPECT_NEAR(lengthscales(classes, "rbf.log_lengthscale")[0], 1.5, 1e-12);
}

// Floor and prior are in standard deviations of the target, in any unit.
TEST(ByHand, NoiseSettingsFollowTheTargetThatIsNotScaled) {
  const Dataset rows = rows_in_units();
  const auto model_of = [&](const std::string& scaling, double unit) {
    Dataset data = rows;
    data.target *= unit;
    return fit(
        parse_registered_recipe(nlohmann::json::parse(R"({"model": "exact-ard", "scale": {"target": ")" + scaling +
                                                      R"("}, "training": {"starts": 1, "iterations": 40}})")),
        Schema(), data, {});
  };
  const FittedModel expected = model_of("zscore", 1);
  for (const double unit : {1e-3, 1.0, 1e5}) {
    const FittedModel model = model_of("center", unit);
    EXPECT_NEAR(noise_sd(model) / unit / noise_sd(expected), 1, 0.05) << unit;
    EXPECT_NEAR(to_json(model.training)["leave_one_out"]["rmse"].get<double>() / unit,
                to_json(expected.training)["leave_one_out"]["rmse"].get<double>(),
                0.05 * to_json(expected.training)["leave_one_out"]["rmse"].get<double>())
        << unit;
  }
}

TEST(ByHand, EachOfSeveralTargetsHasItsUnit) {
  Dataset data = rows_in_units();
  data.more_targets = 1e-3 * data.target;
  const TrainingRows rows = make_training_rows(std::make_shared<MemoryRows>(data), RandomStreams(1));
  for (const std::string scaling : {"center", "zscore"}) {
    const FitJob job = make_job(parse_registered_recipe(nlohmann::json::parse(
                                    R"({"model": "exact-ard", "scale": {"target": ")" + scaling + R"("}})")),
                                rows.statistics, RandomStreams(1));
    const ParameterLayout layout = make_job_inference(job, rows, 0.2, 1)->parameters();
    const ParameterSlot& noise = layout.find("noise.log_sd");
    ASSERT_EQ(noise.prior.mean.size(), 2);
    const Vector theta = make_job_starts(job, rows, layout, 0.2).front();
    const double unit = scaling == "center" ? std::log(rows.statistics.target_sd) : 0;
    EXPECT_NEAR(noise.prior.mean[0], std::log(0.2) + unit, 1e-9) << scaling;
    EXPECT_NEAR(noise.prior.mean[1] - noise.prior.mean[0], scaling == "center" ? std::log(1e-3) : 0, 1e-9) << scaling;
    EXPECT_NEAR(theta[noise.offset + 1] - theta[noise.offset], scaling == "center" ? std::log(1e-3) : 0, 1e-9);
  }
}

TEST(ByHand, WhatDoesNotFitIsRefused) {
  const Dataset data = rows_in_units();
  const auto refusal = [&](const std::string& model, const std::string& kernel,
                           const std::string& noise = "") -> std::string {
    try {
      fit(recipe_by_hand(model, kernel, noise), Schema(), data, {});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(refusal("exact-ard", R"("lengthscale": [1, 2])"),
            "/kernel/lengthscale: has 2 values; give one for all inputs, or one for each of the 4");
  EXPECT_EQ(refusal("linear", R"("lengthscale": [1])"), "/kernel/lengthscale: model 'linear' has no length-scales");
  EXPECT_EQ(refusal("exact-linear", R"("amplitude": 2)"), "/kernel/amplitude: model 'exact-linear' has no amplitude");
  EXPECT_EQ(refusal("gm", R"("period": [2])"), "/kernel/period: model 'gm' has no period");
  EXPECT_EQ(refusal("exact-periodic", R"("period": [2, 3])"),
            "/kernel/period: has 2 values; give one for all inputs, or one for each of the 4");
  EXPECT_NE(refusal("exact-ard", R"("amplitude": -1)"), "no error");
  EXPECT_NE(refusal("exact-ard", R"("lengthscale": [0])"), "no error");
  EXPECT_NE(refusal("exact-ard", R"("lengthscale": 1)"), "no error");
  EXPECT_NE(refusal("exact-ard", "", R"("sd": -1)"), "no error");
}

// Nothing is optimised, and the model is that of the given values.
TEST(ByHand, AllOfAModelMayBeHeld) {
  const Recipe recipe =
      recipe_by_hand("exact-linear", R"("lengthscale": [2], "trained": false)", R"("sd": 30, "trained": false)");
  const FittedModel model = fit(recipe, Schema::numbers(4), rows_in_units(), {});
  EXPECT_LT((lengthscales(model, "linear.log_lengthscale").array() - 2).abs().maxCoeff(), 1e-9);
  EXPECT_NEAR(noise_sd(model), 30, 1e-9);
}

/// Returns exp of a slot's values, in the model's units.
Vector values_of(const FittedModel& model, const std::string& slot) {
  const Member& member = model.members.front();
  const ParameterSlot& own = member.prior.parameters().find(slot);
  return member.theta.segment(own.offset, own.size).array().exp();
}

Recipe given_recipe(const std::string& text) {
  Recipe recipe = parse_registered_recipe(nlohmann::json::parse(text));
  recipe.training.starts = 2;
  recipe.training.probe_iterations = 3;
  recipe.training.iterations = 8;
  return recipe;
}

// With noise that hides all rows, predictions are the prior, whose standard deviation is the amplitude.
TEST(ByHand, AmplitudeIsThatOfTheFunctionInTheUnitOfTheTarget) {
  const Dataset data = rows_in_units();
  for (const char* model : {"exact-rbf", "exact-matern", "exact-rq", "exact-periodic", "exact-minmax", "rbf", "ard",
                            "matern", "rq", "gm", "pwl", "ssgpr", "fsard", "periodic", "nystrom"}) {
    SCOPED_TRACE(model);
    const std::string terms = model == std::string("nystrom") ? R"("terms": [{"model": "exact-ard"}],)" : "";
    const Recipe recipe =
        given_recipe(R"({"model": ")" + std::string(model) + R"(", "mean": "zero", )" + terms +
                     R"("kernel": {"amplitude": 12.5, "trained": false}, "noise": {"sd": 1e7, "trained": false}})");
    const FittedModel fitted = fit(recipe, Schema(), data, {});
    const Vector variance = fitted.predict(data.view(), {.latent = true}).distribution().variance();
    if (model == std::string("nystrom"))  // is exact at its landmarks alone
      EXPECT_NEAR(std::sqrt(variance.maxCoeff()), 12.5, 1e-3);
    else
      EXPECT_LT((variance.cwiseSqrt().array() / 12.5 - 1).abs().maxCoeff(), 1e-5);
  }
}

// Without a length-scale by hand, "trained" speaks of what is given alone.
TEST(ByHand, AmplitudeIsHeldWhileLengthscalesAreLearned) {
  const Dataset data = rows_in_units();
  Recipe recipe = given_recipe(R"({"model": "exact-ard", "kernel": {"amplitude": 30, "trained": false}})");
  const FittedModel held = fit(recipe, Schema(), data, {});
  EXPECT_NEAR(values_of(held, "ard.log_amplitude")[0] * held.standardizer.target_scale(), 30, 1e-9);
  recipe.training.starts = 1;
  recipe.training.iterations = 0;
  const FittedModel begun = fit(recipe, Schema(), data, {});
  EXPECT_GT((values_of(held, "ard.log_lengthscale") - values_of(begun, "ard.log_lengthscale")).norm(), 1e-3);
  recipe.kernel.trained = true;
  recipe.training.iterations = 8;
  const FittedModel learned = fit(recipe, Schema(), data, {});
  EXPECT_GT(std::abs(values_of(learned, "ard.log_amplitude")[0] * learned.standardizer.target_scale() - 30), 0.1);
}

TEST(ByHand, PeriodIsHeldInTheUnitOfTheInput) {
  const Dataset data = rows_in_units();
  for (const std::string model : {"exact-periodic", "periodic"}) {
    SCOPED_TRACE(model);
    const Recipe recipe =
        given_recipe(R"({"model": ")" + model + R"(", "kernel": {"period": [2, 3, 4000, 5], "trained": false}})");
    const FittedModel fitted = fit(recipe, Schema(), data, {});
    const Vector periods = values_of(fitted, "periodic.log_period").cwiseProduct(fitted.standardizer.input_scale());
    EXPECT_LT((periods.array() / (Vector(4) << 2, 3, 4000, 5).finished().array() - 1).abs().maxCoeff(), 1e-12);
  }
}

TEST(ByHand, TermsHaveValuesOfTheirOwn) {
  const Dataset data = rows_in_units();
  const FittedModel model = fit(given_recipe(R"({
      "model": "sum", "kernel": {"lengthscale": [3], "trained": false},
      "terms": [{"model": "ard", "kernel": {"amplitude": 7}},
                {"model": "matern", "kernel": {"lengthscale": [2], "amplitude": 5, "trained": false}},
                {"model": "periodic", "kernel": {"period": [9], "lengthscale": [0.6], "trained": false}}]})"),
                                Schema(), data, {});
  const auto& units = model.standardizer.input_scale();
  const double unit = model.standardizer.target_scale();
  EXPECT_LT((values_of(model, "term[0].ard.log_lengthscale").cwiseProduct(units).array() - 3).abs().maxCoeff(), 1e-9);
  EXPECT_LT((values_of(model, "term[1].matern.log_lengthscale").cwiseProduct(units).array() - 2).abs().maxCoeff(),
            1e-9);
  EXPECT_NEAR(values_of(model, "term[1].matern.log_amplitude")[0] * unit, 5, 1e-9);
  EXPECT_GT(std::abs(values_of(model, "term[0].ard.log_amplitude")[0] * unit - 7), 1e-3) << "it is learned from there";
  EXPECT_LT((values_of(model, "term[2].periodic.log_period").cwiseProduct(units).array() - 9).abs().maxCoeff(), 1e-9);
  EXPECT_LT((values_of(model, "term[2].periodic.log_lengthscale").array() - 0.6).abs().maxCoeff(), 1e-9);
}

TEST(ByHand, KeysOfTermsThatDoNotFitAreRefusedInTheirPlace) {
  const auto refusal = [&](const std::string& text) -> std::string {
    try {
      fit(given_recipe(text), Schema(), rows_in_units(), {});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string terms = R"("terms": [{"model": "exact-ard"}, {"model": "exact-linear", "kernel": )";
  EXPECT_EQ(refusal(R"({"model": "exact-sum", )" + terms + R"({"period": [1]}}]})"),
            "/terms/1/kernel/period: model 'exact-linear' has no period");
  EXPECT_EQ(refusal(R"({"model": "exact-sum", "kernel": {"amplitude": 2}, )" + terms + "{}}]}"),
            "/kernel/amplitude: each term of 'exact-sum' has an amplitude of its own; give it there");
  EXPECT_EQ(refusal(R"({"model": "exact-sum", "training": {"start": "labels"}, "likelihood": "logit", )" + terms +
                    R"({"lengthscale": [1]}}]})"),
            "/training/start: 'labels' chooses the kernel's parameters, one of which /terms/1/kernel/lengthscale sets");
  EXPECT_EQ(refusal(R"({"model": "exact-sum", "learner": {"kind": "svm"}, )" + terms + R"({"trained": false}}]})"),
            "/terms/1/kernel/trained: means nothing for learner 'svm'");
  EXPECT_EQ(
      refusal(R"({"model": "deep", "terms": [{"model": "ssgpr", "kernel": {"amplitude": 1}}]})"),
      "/terms/0/kernel/amplitude: is not for minibatches; take \"training\": \"evidence\" in the section network");
}

// Texts of recipes without these keys are those of version 0.2.0, and texts with them are read back.
TEST(ByHand, KeysAreWrittenWhereTheyAreSet) {
  const Recipe plain = given_recipe(R"({"model": "exact-sum", "terms": [{"model": "exact-ard"}]})");
  const nlohmann::json text = to_json(plain, model_infos());
  EXPECT_EQ(text["kernel"], nlohmann::json::parse(R"({"lengthscale": [], "trained": true})"));
  EXPECT_FALSE(text["terms"][0].contains("kernel"));
  const Recipe given = given_recipe(R"({"model": "exact-sum", "kernel": {"period": [3]},
      "terms": [{"model": "exact-periodic", "kernel": {"amplitude": 2, "trained": false}}]})");
  const nlohmann::json own = to_json(given, model_infos());
  EXPECT_EQ(own["kernel"]["period"], nlohmann::json({3.0}));
  EXPECT_EQ(own["terms"][0]["kernel"], nlohmann::json::parse(R"({"amplitude": 2.0, "trained": false})"));
  EXPECT_EQ(parse_recipe(own, model_infos()), given);
}

}  // namespace
}  // namespace alacarte
