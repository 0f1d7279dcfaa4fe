// Further rows for trained models with heteroscedastic or known noise, or with calibration.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/model/update.hpp"
#include "alacarte/train/fit.hpp"

namespace alacarte {
namespace {

/// Returns a sine whose noise grows to the right.
Dataset growing_noise(Index rows, std::uint64_t seed) {
  RandomStream stream(seed);
  Dataset data;
  data.inputs.resize(rows, 1);
  data.target.resize(rows);
  for (Index i = 0; i < rows; ++i) {
    const double x = stream.uniform();
    data.inputs(i, 0) = x;
    data.target[i] = 50 + 3 * (std::sin(6 * x) + (0.05 + 0.5 * x * x) * stream.normal());
  }
  return data;
}

FittedModel fit_with(const std::string& model, const std::string& more, const Dataset& rows) {
  const std::string features = model == "ard" ? R"(, "features": {"frequencies": 20})" : "";
  const Recipe recipe = parse_registered_recipe(
      nlohmann::json::parse(R"({"model": ")" + model + '"' + features +
                            R"(, "training": {"starts": 1, "probe_iterations": 3, "iterations": 10})" + more + "}"));
  return fit(recipe, Schema::numbers(1), rows, {});
}

FittedModel updated(const FittedModel& model, const Dataset& rows) {
  ModelUpdate update(model, {});
  update.add(rows);
  return FittedModel::load(parse_bundle(serialize_bundle(update.finish().save()), "model"));
}

// Adding the rows equals teaching them with weights set by hand to the mean function only.
TEST(UpdatedModels, NoiseThatVariesStaysAndWeighsTheRows) {
  const Dataset rows = growing_noise(120, 1), more = growing_noise(60, 2), at = growing_noise(20, 3);
  for (const std::string model : {"exact-rbf", "ard"}) {
    SCOPED_TRACE(model);
    const FittedModel uneven = fit_with(model, R"(, "noise": {"varies": true, "rounds": 1})", rows);
    ASSERT_NE(uneven.noise_model, nullptr);
    const FittedModel after = updated(uneven, more);
    ASSERT_NE(after.noise_model, nullptr);
    const Matrix noise = uneven.noise_variances(at.view());
    EXPECT_EQ(after.noise_variances(at.view()), noise);
    FittedModel mean = FittedModel::load(parse_bundle(serialize_bundle(uneven.save()), "model"));
    mean.noise_model = nullptr;
    mean.recipe.noise.varies = false;
    mean.recipe.noise.rounds = NoiseConfig{}.rounds;
    Dataset weighted = more;
    weighted.weights =
        mean.noise_variances(more.view()).col(0).cwiseQuotient(uneven.noise_variances(more.view()).col(0));
    EXPECT_GT(weighted.weights.maxCoeff(), 2 * weighted.weights.minCoeff());
    const FittedModel by_hand = updated(mean, weighted);
    PredictOptions latent;
    latent.latent = true;
    const Prediction a = after.predict(at.view(), latent), b = by_hand.predict(at.view(), latent);
    EXPECT_LT((a.distribution().mean() - b.distribution().mean()).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((a.distribution().variance() - b.distribution().variance()).cwiseAbs().maxCoeff(), 1e-9);
  }
}

// Calibration on held-out rows holds for one model only.
TEST(UpdatedModels, CalibratedOnesAreRefused) {
  const Dataset rows = growing_noise(80, 1);
  const FittedModel calibrated = fit_with("exact-rbf", R"(, "calibration": {"kind": "conformal"})", rows);
  try {
    ModelUpdate update(calibrated, {});
    FAIL() << "it was not refused";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("calibrated"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("--from"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace alacarte
