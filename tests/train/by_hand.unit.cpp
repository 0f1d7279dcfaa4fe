// Hyperparameters set by hand and fixed: kernel.lengthscale, noise.sd, "trained": false.
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

}  // namespace
}  // namespace alacarte
