// The race of kinds of members, and of the scales of their inputs, before the fits of "auto".
#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/io/recipe_io.hpp"
#include "alacarte/train/fit.hpp"
#include "model/fit_inputs.hpp"
#include "support/trained_model.hpp"
#include "support/uniform_rows.hpp"
#include "trees/boosting.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

/// Rows of two inputs, the exponentials of 12 times uniform numbers, and a smooth function of these numbers.
Dataset skewed_rows(Index rows, std::uint64_t seed) {
  Dataset data = test::uniform_rows(
      rows, 2, seed, [](const auto& x, double normal) { return x[0] * x[0] + 2 * x[0] * x[1] + 0.05 * normal; });
  data.inputs = (12 * data.inputs.array()).exp();
  return data;
}

/// Asks for networks and learned frequencies, since no sum of exact kernels fits into the model file.
Json asked(const char* scale = "zscore", const Json& trees = false) {
  return {{"model", "auto"},
          {"data", {{"trees", trees}}},
          {"flops", 3e10},
          {"max_model_mb", 8},
          {"scale", {{"target", "zscore"}, {"inputs", scale}}},
          {"noise", {{"shape", "gaussian"}, {"prior_rows", 200}}}};
}

std::vector<Scaling> scales_of_networks(const FittedModel& model) {
  std::vector<Scaling> scales;
  for (const Recipe& member : model.recipe.members)
    if (member.model == "deep") scales.push_back(member.scale_inputs);
  return scales;
}

/// Returns the notes of the race.
std::string notes_of(const FittedModel& model) {
  std::string text;
  for (const std::string& note : model.training.notes.value_or(std::vector<std::string>()))
    if (note.find("dropped after short fits") != std::string::npos) text += note + "\n";
  return text;
}

TEST(MemberRace, DropsTheInputsAsTheyAreWhereTheyHideTheFunction) {
  const Dataset rows = skewed_rows(2500, 1);
  const FittedModel model = test::trained(asked(), rows);
  EXPECT_EQ(scales_of_networks(model), std::vector<Scaling>{Scaling::normal_scores}) << notes_of(model);
  EXPECT_NE(notes_of(model).find("networks on the inputs as they are: dropped"), std::string::npos) << notes_of(model);
  EXPECT_NE(notes_of(model).find("of 250 rows behind networks on normal-scores"), std::string::npos) << notes_of(model);
  const FittedModel again = test::trained(asked(), rows);
  EXPECT_EQ(notes_of(again), notes_of(model));
  EXPECT_EQ(again.predict(rows.view()).distribution().mean(), model.predict(rows.view()).distribution().mean());
}

TEST(MemberRace, KeepsTheScalesThatItDoesNotName) {
  const Dataset rows = test::uniform_rows(
      2500, 3, 3, [](const auto& x, double normal) { return std::sin(6 * x[0]) + x[1] + 0.1 * normal; });
  const FittedModel model = test::trained(asked(), rows);
  const std::vector<Scaling> scales = scales_of_networks(model);
  const bool is_bent = notes_of(model).find("networks on normal-scores: dropped") == std::string::npos;
  EXPECT_EQ(notes_of(model).find("as they are: dropped"), std::string::npos) << notes_of(model);
  EXPECT_EQ(scales.size(), is_bent ? 2U : 1U);
  EXPECT_EQ(scales.front(), Scaling::zscore);
}

TEST(MemberRace, DropsTheKindThatIsFarBehind) {
  const Dataset rows = test::uniform_rows(
      2500, 3, 5, [](const auto& x, double normal) { return std::sin(6 * x[0]) * x[1] + x[2] + 1e-4 * normal; });
  // Networks that have seen few rows are not dropped.
  EXPECT_EQ(notes_of(test::trained(asked(), rows)).find("networks: dropped"), std::string::npos);
  Json longer = asked();
  longer["flops"] = 1.5e11;
  const FittedModel model = test::trained(longer, rows);
  EXPECT_EQ(scales_of_networks(model), std::vector<Scaling>{}) << notes_of(model);
  EXPECT_NE(notes_of(model).find("networks: dropped"), std::string::npos) << notes_of(model);
  EXPECT_NE(notes_of(model).find("behind learned frequencies"), std::string::npos) << notes_of(model);
}

TEST(MemberRace, IsAlsoOfNumbersWithOutliers) {
  Json recipe = asked();
  recipe["likelihood"] = "student-t";
  recipe["scale"].erase("target");
  recipe.erase("noise");
  const Dataset rows = skewed_rows(2500, 6), test = skewed_rows(200, 7);
  const FittedModel model = test::trained(recipe, rows);
  const Vector error = model.predict(test.view()).distribution().mean() - test.target;
  EXPECT_LT(std::sqrt(error.squaredNorm() / 200), 0.5);
}

TEST(MemberRace, IsAnnouncedByThePlan) {
  const auto notes = [](const Json& recipe) {
    const auto rows = std::make_shared<MemoryRows>(skewed_rows(2500, 4));
    std::string text;
    for (const std::string& note : plan_training(parse_registered_recipe(recipe), rows, {}).notes) text += note + "\n";
    return text;
  };
  EXPECT_NE(notes(asked()).find("a race of 4 short fits on "), std::string::npos) << notes(asked());
  const Json trees = asked("zscore", "auto");
  EXPECT_NE(notes(trees).find(can_boost() ? "a race of 7 short fits on " : "a race of 4 "), std::string::npos)
      << notes(trees);
  const Json named = {{"model", "ssgpr"}};
  EXPECT_EQ(notes(named).find("race"), std::string::npos) << notes(named);
}

/// Rows of three inputs of which two decide a jump, beside a little noise.
Dataset jumping_rows(Index rows, std::uint64_t seed) {
  return test::uniform_rows(rows, 3, seed, [](const auto& x, double normal) {
    return std::fmod(std::floor(7 * x[0]) + std::floor(9 * x[1]), 2.0) + 0.02 * normal;
  });
}

bool sees_trees(const FittedModel& model) {
  return std::any_of(model.members.begin(), model.members.end(),
                     [](const Member& member) { return view_of(member.recipe).trees != TreeInputs::none; });
}

TEST(MemberRace, KeepsTreesWhereTheTargetJumpsAndDropsThemWhereItIsSmooth) {
  if (!can_boost()) GTEST_SKIP() << "this build trains no trees";
  const FittedModel jumps = test::trained(asked("zscore", "auto"), jumping_rows(2500, 1));
  EXPECT_TRUE(sees_trees(jumps)) << notes_of(jumps);
  const double alone = test::scored(test::trained(asked(), jumping_rows(2500, 1)), jumping_rows(1000, 2)).nlpd;
  EXPECT_LT(test::scored(jumps, jumping_rows(1000, 2)).nlpd, alone - 0.2);
  const auto smooth = [](std::uint64_t seed) {
    return test::uniform_rows(
        2500, 3, seed, [](const auto& x, double normal) { return std::sin(6 * x[0]) * x[1] + x[2] + 1e-3 * normal; });
  };
  const FittedModel waves = test::trained(asked("zscore", "auto"), smooth(3));
  EXPECT_FALSE(sees_trees(waves)) << notes_of(waves);
  EXPECT_NE(notes_of(waves).find("boosted trees: dropped"), std::string::npos) << notes_of(waves);
}

TEST(MemberRace, HasNoCurvesWhereTheRecipeNamesAScale) {
  const FittedModel model = test::trained(asked("asinh"), skewed_rows(2500, 4));
  for (const Recipe& member : model.recipe.members) EXPECT_EQ(member.scale_inputs, Scaling::asinh);
  EXPECT_EQ(notes_of(model).find(" on "), std::string::npos) << notes_of(model);
}

}  // namespace
}  // namespace alacarte
