// Given kernels and noise, as recipes say them, against the formulas of textbooks (file from golden/make_textbook.py).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"
#include "io/documents.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

Vector textbook_vector(const Json& json) {
  const auto values = json.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

Matrix textbook_matrix(const Json& json) {
  Matrix matrix(static_cast<Index>(json.size()), static_cast<Index>(json.at(0).size()));
  for (Index i = 0; i < matrix.rows(); ++i)
    matrix.row(i) = textbook_vector(json.at(static_cast<std::size_t>(i))).transpose();
  return matrix;
}

Json textbook_cases() {
  std::ifstream file(std::string(ALACARTE_SOURCE_DIR) + "/tests/train/golden/textbook.json");
  return Json::parse(file);
}

Dataset rows_of(const Json& one) {
  Dataset data;
  data.inputs = textbook_matrix(one["x"]);
  data.target = textbook_vector(one["y"]);
  return data;
}

/// Calls body(case) for each case that has the key; returns their number.
template <class Body>
int for_each_with(const char* key, const Body& body) {
  const Json cases = textbook_cases();
  int count = 0;
  for (const auto& [name, expected] : cases.items()) {
    if (!expected.contains(key)) continue;
    SCOPED_TRACE(name);
    ++count;
    body(expected);
  }
  return count;
}

TEST(Textbook, NumbersHaveTheGivenPosterior) {
  const int count = for_each_with("mean", [](const Json& expected) {
    const FittedModel model = fit(parse_registered_recipe(expected["recipe"]), Schema(), rows_of(expected), {});
    const Matrix x_new = textbook_matrix(expected["x_new"]);
    const Prediction prediction = model.predict(x_new, {.latent = true});
    const Vector mean = prediction.distribution().mean(), sd = prediction.distribution().variance().cwiseSqrt();
    const Vector right_mean = textbook_vector(expected["mean"]), right_sd = textbook_vector(expected["sd"]);
    for (Index i = 0; i < mean.size(); ++i) {
      EXPECT_NEAR(mean[i], right_mean[i], 1e-6 * right_sd[i]) << i;
      EXPECT_NEAR(sd[i] / right_sd[i], 1, 1e-6) << i;
    }
    if (!expected.contains("log_evidence")) return;
    EXPECT_NEAR(model.members.front().summary.log_evidence.value(), expected["log_evidence"].get<double>(), 1e-6);
  });
  EXPECT_GE(count, 11);
}

TEST(Textbook, ClassesHaveTheGivenModeAndEvidence) {
  const int count = for_each_with("mode", [](const Json& expected) {
    const Recipe recipe = parse_registered_recipe(expected["recipe"]);
    const FittedModel model = fit(recipe, Schema::numbers(1, {"no", "yes"}), rows_of(expected), {});
    EXPECT_NEAR(model.members.front().summary.log_evidence.value(), expected["log_evidence"].get<double>(), 1e-6);
    // Predictions take a variational step from the mode, which the posterior shows without it.
    const auto rows = std::make_shared<MemoryRows>(rows_of(expected));
    prepare_rows(recipe, rows, 1);
    InferenceOptions options;
    options.likelihood = likelihood_of(recipe);
    options.classes = 2;
    options.mean = recipe.mean;
    options.variational_step = false;
    const auto inference = make_inference(model.members.front().prior, rows, options);
    const auto posterior = inference->posterior(model.members.front().theta);
    const Vector mode = textbook_vector(expected["mode"]);
    Vector mean(mode.size()), variance;
    posterior->as_function()->predict(rows->x(), mean, variance);
    EXPECT_LT((mean - mode).cwiseAbs().maxCoeff(), 1e-6);
  });
  EXPECT_EQ(count, 2);
}

}  // namespace
}  // namespace alacarte
