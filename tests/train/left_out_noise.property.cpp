// Heteroscedastic noise, learned from leave-one-out residuals of the fits (noise.rounds 0).
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/model/update.hpp"
#include "alacarte/train/fit.hpp"
#include "io/documents.hpp"
#include "support/trained_model.hpp"
#include "support/uniform_rows.hpp"
#include "train/noise/left_out_noise.hpp"
#include "train/plan/auto_recipe.hpp"
#include "train/plan/cost_model.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using test::scored;
using test::trained;

double noise_at(double x) { return x < 0.5 ? 0.05 : 0.5; }
double same_noise(double) { return 0.2; }

/// Returns a smooth function of the first of two inputs, in units of 5; the noise follows the second.
Dataset noisy_rows(Index rows, std::uint64_t seed, double (*noise)(double) = noise_at) {
  return test::uniform_rows(rows, 2, seed, [noise](const auto& x, double normal) {
    return 100 + 5 * (std::sin(6 * x[0]) + noise(x[1]) * normal);
  });
}

Json varying(const std::string& weights = "equal") {
  return {{"model", "ssgpr"},
          {"weights", weights},
          {"copies", 2},
          {"features", {{"frequencies", 20}}},
          {"training", {{"starts", 1}, {"iterations", 30}}},
          {"noise", {{"varies", true}, {"rounds", 0}}}};
}

Json of_one_size(Json recipe) {
  recipe.erase("noise");
  return recipe;
}

TEST(LeftOutNoise, IsFoundAndTheMeanStays) {
  const Dataset rows = noisy_rows(1500, 1), test = noisy_rows(2000, 2);
  for (const std::string weights : {"equal", "held-out"}) {
    SCOPED_TRACE(weights);
    Prediction left_out;
    std::vector<Index> left_out_rows;
    FitOptions options;
    options.on_left_out = [&](const Prediction& prediction, const std::vector<Index>& which) {
      left_out = prediction;
      left_out_rows = which;
    };
    const FittedModel uneven = trained(varying(weights), rows, options);
    const FittedModel even = trained(of_one_size(varying(weights)), rows);
    ASSERT_NE(uneven.noise_model, nullptr);
    EXPECT_EQ(uneven.predict(test.view()).distribution().mean(), even.predict(test.view()).distribution().mean());
    const Metrics with = scored(uneven, test), without = scored(even, test);
    EXPECT_LT(with.nlpd, without.nlpd - 0.3);
    EXPECT_NEAR(with.coverage95, 0.95, weights == "equal" ? 0.02 : 0.035);  // from 150 rows
    // Coverage holds for small and for large noise.
    for (const bool is_large : {false, true}) {
      Dataset part;
      std::vector<Index> places;
      for (Index i = 0; i < test.rows(); ++i)
        if ((test.inputs(i, 1) >= 0.5) == is_large) places.push_back(i);
      part.inputs = test.inputs(places, Eigen::all);
      part.target = test.target(places);
      EXPECT_NEAR(scored(uneven, part).coverage95, 0.95, 0.045) << is_large;
      EXPECT_GT(std::abs(scored(even, part).coverage95 - 0.95), 0.04) << is_large;
    }
    // Leave-one-out scores refer to the model with this noise.
    ASSERT_EQ(left_out.distribution().rows(), weights == "equal" ? 1500 : 150);
    EXPECT_EQ(left_out_rows.size(), weights == "equal" ? 0U : 150U);
    EXPECT_NEAR(to_json(uneven.training)["leave_one_out"]["nlpd"].get<double>(), with.nlpd, 0.15);
    const Json noise = to_json(uneven.training)["noise"];
    EXPECT_TRUE(noise["varies"].get<bool>());
    EXPECT_GT(noise["log_density"].get<double>(), noise["log_density_of_one_size"].get<double>() + 0.2);
    EXPECT_EQ(trained(varying(weights), rows).predict(test.view()).distribution().variance(),
              uneven.predict(test.view()).distribution().variance());
  }
}

TEST(LeftOutNoise, OfOneSizeIsNotMadeToVary) {
  const Dataset rows = noisy_rows(600, 3, same_noise), test = noisy_rows(200, 4, same_noise);
  const FittedModel model = trained(varying(), rows);
  const FittedModel even = trained(of_one_size(varying()), rows);
  EXPECT_EQ(model.noise_model, nullptr);
  EXPECT_FALSE(model.recipe.noise.varies);
  EXPECT_EQ(to_json(model.training)["noise"]["reason"], "no gain");
  EXPECT_EQ(model.predict(test.view()).distribution().variance(), even.predict(test.view()).distribution().variance());
  EXPECT_EQ(FittedModel::load(model.save()).recipe, model.recipe);
}

TEST(LeftOutNoise, FewLeftOutRowsSayNothingOfIt) {
  const FittedModel model = trained(varying("held-out"), noisy_rows(500, 5));
  EXPECT_EQ(model.noise_model, nullptr);
  EXPECT_EQ(to_json(model.training)["noise"]["rows"], 50);
  EXPECT_EQ(to_json(model.training)["noise"]["reason"], "too few rows");
}

TEST(LeftOutNoise, RowsFollowFromTheOperations) {
  for (const Index rows : {150, 299, 300, 999, 1000, 5000}) {
    const double flops = left_out_noise_flops(rows, 8);
    EXPECT_EQ(left_out_noise_rows(rows, 8, flops), rows);
    EXPECT_LT(left_out_noise_rows(rows, 8, 0.9 * flops), rows);
    EXPECT_LE(left_out_noise_flops(left_out_noise_rows(rows, 8, 0.9 * flops), 8), 0.9 * flops);
    EXPECT_GT(left_out_noise_flops(rows, 20), flops);
  }
  EXPECT_EQ(left_out_noise_rows(5000, 8, 0), 0);
  EXPECT_EQ(left_out_noise_rows(5000, 8, -1), 0);
}

// Exact kernels, mixtures on four fifths and mixtures on halves.
TEST(LeftOutNoise, IsFoundOnFewRows) {
  for (const Index rows : {280, 700}) {
    const Dataset test = noisy_rows(2000, 17);
    Json recipe = varying();
    const FittedModel uneven = trained(recipe, noisy_rows(rows, 16));
    ASSERT_NE(uneven.noise_model, nullptr) << rows;
    EXPECT_EQ(uneven.noise_model->members.front().recipe.model == "exact-ard", rows < 300);
    EXPECT_LT(scored(uneven, test).nlpd, scored(trained(of_one_size(recipe), noisy_rows(rows, 16)), test).nlpd - 0.1);
  }
}

TEST(LeftOutNoise, FarFromTheRowsStaysWithinWhatTheyShowed) {
  const FittedModel model = trained(varying(), noisy_rows(1000, 6));
  ASSERT_NE(model.noise_model, nullptr);
  EXPECT_LT(model.log_noise_range.low, model.log_noise_range.high);
  const double scale = model.standardizer.target_scale();
  const double one_size = model.members[0].posterior->noise_variance() * scale * scale;
  Matrix far = Matrix::Constant(3, 2, 1e3);
  far.row(1) *= -1;
  far(2, 0) = 7;
  const Matrix noise = model.noise_variances(far);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_GE(noise(i, 0), one_size * std::exp(model.log_noise_range.low) * (1 - 1e-12));
    EXPECT_LE(noise(i, 0), one_size * std::exp(model.log_noise_range.high) * (1 + 1e-12));
  }
}

TEST(LeftOutNoise, IsSavedAndLoadedWithItsRange) {
  const Dataset test = noisy_rows(50, 8);
  const FittedModel model = trained(varying(), noisy_rows(1000, 7));
  ASSERT_NE(model.noise_model, nullptr);
  const FittedModel loaded = FittedModel::load(parse_bundle(serialize_bundle(model.save()), "model"));
  const Prediction all = model.predict(test.view());
  EXPECT_EQ(loaded.predict(test.view()).distribution().variance(), all.distribution().variance());
  OneRowWorkspace workspace = loaded.one_row_workspace();
  for (const Index i : {0, 20, 49}) {
    const double variance = loaded.predict_one(test.inputs.row(i).transpose(), workspace).variance;
    EXPECT_NEAR(variance, all.distribution().variance()[i], 1e-8 * variance);
  }
  for (const Json& wrong : {Json{1, -1}, Json{-31, 0}, Json{0, 31}, Json{0}, Json("wide"), Json{nullptr, 2}}) {
    ModelFile file = model.save();
    file.document["log_noise_range"] = wrong;
    EXPECT_THROW(static_cast<void>(FittedModel::load(file)), IoError) << wrong;
  }
}

// The posterior has one noise for its rows: further rows get the same.
TEST(LeftOutNoise, WeighsNoRowsOfAnUpdate) {
  const Dataset more = noisy_rows(100, 10), at = noisy_rows(20, 11);
  const FittedModel uneven = trained(varying(), noisy_rows(1000, 9));
  ASSERT_NE(uneven.noise_model, nullptr);
  const FittedModel even = trained(of_one_size(varying()), noisy_rows(1000, 9));
  const auto updated = [&](const FittedModel& model) {
    ModelUpdate update(model, {});
    update.add(more);
    return update.finish();
  };
  const FittedModel after = updated(uneven);
  EXPECT_EQ(after.predict(at.view()).distribution().mean(), updated(even).predict(at.view()).distribution().mean());
  EXPECT_EQ(after.noise_variances(at.view()), uneven.noise_variances(at.view()));
}

TEST(LeftOutNoise, OfATimedTrainingIsRepeated) {
  const Dataset rows = noisy_rows(2000, 12);
  Json recipe = varying("held-out");
  recipe["training"]["seconds"] = 20;  // its fits use all iterations
  const FittedModel first = trained(recipe, rows);
  ASSERT_NE(first.noise_model, nullptr);
  FitOptions options;
  options.repeat = &first.training;
  Json again = recipe;
  again["training"]["seconds"] = 0.001;
  const FittedModel repeated = trained(again, rows, options);
  ASSERT_NE(repeated.noise_model, nullptr);
  const Dataset at = noisy_rows(20, 13);
  EXPECT_EQ(repeated.predict(at.view()).distribution().variance(), first.predict(at.view()).distribution().variance());
}

TEST(LeftOutNoise, SaysWhereThereIsNoTimeForIt) {
  Json recipe = varying();
  recipe["training"]["seconds"] = 0.001;
  EXPECT_EQ(to_json(trained(recipe, noisy_rows(2000, 12)).training)["noise"]["reason"], "no time for it");
}

TEST(LeftOutNoise, IsPartOfAutoOnManyRows) {
  const Recipe recipe = parse_registered_recipe({{"model", "auto"}, {"scale", {{"inputs", "zscore"}}}});
  const Recipe many = auto_recipe(recipe, {9000, 8, 0}, 2);
  EXPECT_TRUE(many.noise.varies);
  EXPECT_EQ(many.noise.rounds, 0);
  EXPECT_EQ(many.noise.rows, 900);
  EXPECT_EQ(many.weights, FitWeights::held_out);
  const auto rows_of_noise = [&](double seconds) {
    Recipe timed = recipe;
    timed.training.seconds = seconds;
    const Recipe chosen = auto_recipe(timed, {200000, 8, 0}, 2);
    return chosen.noise.varies ? chosen.noise.rows : 0;
  };
  EXPECT_EQ(rows_of_noise(0.1), 0);
  EXPECT_LT(rows_of_noise(5), rows_of_noise(10));
  EXPECT_EQ(rows_of_noise(100), 10000);
  for (const Index rows : {150, 1500, 5000, 7000})
    EXPECT_TRUE(auto_recipe(recipe, {rows, 8, 0}, 2).noise.varies) << rows;
  EXPECT_FALSE(auto_recipe(recipe, {90, 8, 0}, 2).noise.varies);
  EXPECT_FALSE(auto_recipe(recipe, {9000, 8, 0, true}, 2).noise.varies);      // weights
  EXPECT_FALSE(auto_recipe(recipe, {9000, 8, 0, false, 2}, 2).noise.varies);  // two targets
  Recipe known = recipe;
  known.noise.sd = 1;
  EXPECT_FALSE(auto_recipe(known, {9000, 8, 0}, 2).noise.varies);
  const Recipe counts = parse_registered_recipe({{"model", "auto"}, {"likelihood", "poisson"}});
  EXPECT_FALSE(auto_recipe(apply_likelihood_defaults(counts), {9000, 8, 0}, 2).noise.varies);
}

TEST(LeftOutNoise, IsRefusedWhereItCannotBeLearned) {
  const auto refusal = [](const Json& recipe, const Dataset& rows) -> std::string {
    try {
      static_cast<void>(trained(recipe, rows));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  Dataset weighted = noisy_rows(200, 14);
  weighted.weights = Vector::Constant(200, 2);
  EXPECT_EQ(refusal(varying(), weighted), "/noise/rounds: 0 is not for rows with weights; take 1 or more");
  Json rows = varying();
  rows["noise"] = {{"varies", true}, {"rows", 300}};
  EXPECT_EQ(refusal(rows, noisy_rows(200, 14)), "/noise/rows: means nothing for noise that does not vary by rounds 0");
}

TEST(LeftOutNoise, OfAnInterruptedTrainingIsOfOneSize) {
  const std::atomic<bool> interrupt = true;
  FitOptions options;
  options.interrupt = &interrupt;
  const FittedModel model = trained(varying(), noisy_rows(600, 15), options);
  EXPECT_EQ(model.noise_model, nullptr);
  EXPECT_FALSE(model.recipe.noise.varies);
}

}  // namespace
}  // namespace alacarte
