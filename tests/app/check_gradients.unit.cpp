// `check` differentiates the objective that a training follows.
#include "app/check_gradients.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"

namespace alacarte {
namespace {

std::vector<GradientCheckEntry> entries_of(const std::string& text, Dataset rows = {}) {
  const Recipe recipe = apply_likelihood_defaults(parse_registered_recipe(nlohmann::json::parse(text)));
  if (rows.rows() == 0) rows = rows_to_check(recipe, 3);
  std::vector<GradientCheckEntry> entries;
  const GradientAgreement agreement =
      check_gradients(recipe, rows, 3, [&](const ModelGradientCheck& result) { entries = result.check.entries; });
  EXPECT_TRUE(agreement.holds()) << agreement.worst;
  return entries;
}

const GradientCheckEntry& entry(const std::vector<GradientCheckEntry>& entries, const std::string& name) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.name == name; });
  EXPECT_NE(found, entries.end()) << name;
  return *found;
}

TEST(CheckedObjective, WeighsClasses) {
  const std::string model = R"({"model": "linear", "likelihood": "logit", "learner": {"class_weights": ")";
  Dataset rows;  // three quarters of the first class
  RandomStream stream(5);
  rows.inputs.resize(200, 3);
  for (double& x : rows.inputs.reshaped()) x = stream.normal();
  rows.target = ((rows.inputs.col(0) + rows.inputs.col(1)).array() > 0.9).cast<double>();
  const auto plain = entries_of(model + R"(none"}})", rows), balanced = entries_of(model + R"(balanced"}})", rows);
  const std::string name = "linear.log_amplitude";
  EXPECT_GT(std::abs(entry(plain, name).analytic - entry(balanced, name).analytic),
            1e-3 * std::abs(entry(plain, name).analytic));
}

TEST(CheckedObjective, TakesThePrecisionOfTheRecipe) {
  const auto doubles = entries_of(R"({"model": "ard"})"),
             floats = entries_of(R"({"model": "ard", "precision": "mixed"})");
  ASSERT_EQ(doubles.size(), floats.size());
  const double exact = entry(doubles, "ard.log_amplitude").analytic,
               mixed = entry(floats, "ard.log_amplitude").analytic;
  EXPECT_NE(exact, mixed);
  EXPECT_NEAR(exact, mixed, 1e-3 * (1 + std::abs(exact)));
}

// The initial noise of a training is a share of the target's spread, in any unit.
TEST(CheckedObjective, BeginsWithTheNoiseOfATraining) {
  const Recipe recipe;
  Dataset rows = rows_to_check(recipe, 3), large = rows;
  large.target *= 1000;
  const std::string unscaled = R"({"model": "linear", "scale": {"target": "none"}})";
  const double small = entry(entries_of(unscaled, rows), "noise.log_sd").analytic;
  // d evidence / d log noise is dimensionless: equal where noise and amplitude are the same shares of the target.
  EXPECT_NEAR(entry(entries_of(unscaled, large), "noise.log_sd").analytic, small, 1e-3 * std::abs(small));
}

}  // namespace
}  // namespace alacarte
