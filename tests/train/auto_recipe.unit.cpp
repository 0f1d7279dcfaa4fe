// The recipe "auto": its expansion by the size of the table and the time.
#include "train/plan/auto_recipe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"
#include "data/generators.hpp"
#include "io/documents.hpp"
#include "train/plan/cost_model.hpp"

namespace alacarte {
namespace {

Recipe asked(const nlohmann::json& more = nlohmann::json::object()) {
  nlohmann::json json = {{"model", "auto"}, {"scale", {{"inputs", "zscore"}}}};
  json.update(more);
  return parse_registered_recipe(json);
}

std::vector<std::string> models_of(const std::vector<Recipe>& members) {
  std::vector<std::string> models;
  for (const Recipe& member : members) models.push_back(member.model);
  return models;
}
std::vector<std::string> models_of(const Recipe& recipe) { return models_of(recipe.members); }

TEST(AutoRecipe, RefusesWhatItSetsItself) {
  for (const nlohmann::json& training : std::vector<nlohmann::json>{{{"iterations", 3}},
                                                                    {{"starts", 2}},
                                                                    {{"start", "ard"}},
                                                                    {{"subsample", 500}},
                                                                    {{"carry_curvature", true}},
                                                                    {{"samples", 20}}}) {
    const std::string key = training.items().begin().key();
    try {
      auto_recipe(asked({{"training", training}}), {900, 8, 0}, 2);
      ADD_FAILURE() << key;
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.pointer(), "/training/" + key);
    }
  }
  EXPECT_NO_THROW(auto_recipe(asked({{"training", {{"seconds", 3}, {"history", 5}}}}), {900, 8, 0}, 2));
}

TEST(AutoRecipe, OfABudgetBeyondAllWholeNumbersIsThatOfALargeOne) {
  for (const Index rows : {900, 20000})
    for (const Index classes : {0, 3}) {
      Recipe large = asked(), larger = asked();
      if (classes > 0) large.likelihood = larger.likelihood = "softmax";
      large.flops = 1e20;
      larger.flops = 1e300;
      const Recipe expected = auto_recipe(large, {rows, 8, classes}, 2),
                   found = auto_recipe(larger, {rows, 8, classes}, 2);
      EXPECT_EQ(found.members, expected.members);
    }
}

TEST(AutoRecipe, LeavesOtherRecipesAlone) {
  const Recipe recipe = parse_registered_recipe({{"model", "ard"}});
  EXPECT_EQ(auto_recipe(recipe, {1000, 3, 0}, 2), recipe);
}

/// Returns the size of a table whose race dropped nothing.
TableSize undecided(Index rows, Index inputs) {
  TableSize size{rows, inputs};
  size.race.was_run = true;
  return size;
}

TEST(AutoRecipe, TakesExactKernelsOnFewRowsAndWhatIsLeftOfTheRaceOnMore) {
  const Recipe few = auto_recipe(asked(), {900, 8, 0}, 2), more = auto_recipe(asked(), undecided(7000, 8), 2);
  const Recipe many = auto_recipe(asked(), {7000, 8, 0}, 2);
  EXPECT_EQ(few.model, "mixture");
  EXPECT_EQ(models_of(few), (std::vector<std::string>{"exact-sum", "exact-sum", "exact-sum"}));
  EXPECT_EQ(models_of(more), (std::vector<std::string>{"deep", "deep", "ssgpr", "ssgpr", "fsgbard"}));
  EXPECT_EQ(models_of(many), (std::vector<std::string>{"deep", "deep"}));
  EXPECT_EQ(few.weights, FitWeights::leave_one_out);
  EXPECT_EQ(more.weights, FitWeights::held_out);
  EXPECT_EQ(many.weights, FitWeights::held_out);
  EXPECT_EQ(few.scale_inputs, Scaling::zscore);
  for (std::size_t k = 2; k < more.members.size(); ++k) EXPECT_EQ(more.members[k].training.start, StartPoint::ard);
  const Recipe counts = auto_recipe(apply_likelihood_defaults(asked({{"likelihood", "poisson"}})), {7000, 8, 0}, 2);
  EXPECT_EQ(counts.members.back().training.start, StartPoint::range);  // no noise, so no ARD fit
}

TEST(AutoRecipe, FrequenciesGrowWithRowsAndTimeAndStayBelowTheRows) {
  const auto frequencies = [](Index rows, Index inputs, double seconds) {
    Recipe recipe = asked();
    recipe.training.seconds = seconds;
    return auto_recipe(recipe, {rows, inputs, 0, true}, 2).members.back().features.frequencies;  // no networks
  };
  EXPECT_LT(frequencies(7000, 8, 1), frequencies(7000, 8, 60));
  EXPECT_LT(frequencies(6100, 30, 1200), frequencies(400000, 30, 6000));
  for (const Index inputs : {2, 20, 100})
    EXPECT_LE(frequencies(6100, inputs, 600) * inputs, std::max<Index>(6100, 32 * inputs));
  for (const Index rows : {7000, 100000, 100000000})
    for (const double seconds : {0.0, 0.01, 1e6}) EXPECT_GE(frequencies(rows, 5, seconds), 32);
}

TEST(AutoRecipe, TakesNetworksWhereTimeAndRowsSufficeAndMinibatchesCanBeHad) {
  const auto networks = [](const TableSize& size, double seconds,
                           const nlohmann::json& more = nlohmann::json::object()) {
    Recipe recipe = asked(more);
    recipe.training.seconds = seconds;
    const Recipe chosen = auto_recipe(apply_likelihood_defaults(recipe), size, 2);
    if (chosen.members.front().model != "deep") return Recipe{};
    // The other kinds differ only in the scale of the inputs, and in their number; kernels follow on few rows.
    Recipe all = chosen.members.front();
    const Index most = all.copies;
    EXPECT_EQ(all.scale_inputs, Scaling::zscore);
    for (std::size_t k = 1; k < chosen.members.size() && chosen.members[k].model == "deep"; ++k) {
      Recipe other = chosen.members[k];
      const bool are_few = size.classes > 0 && size.rows <= 2000;  // inputs with heavy tails alone are bent
      EXPECT_EQ(other.network.inputs, are_few ? NetworkInputs::asinh : NetworkInputs::standard);
      EXPECT_EQ(other.scale_inputs, are_few ? Scaling::zscore : k == 1 ? Scaling::normal_scores : Scaling::asinh);
      EXPECT_LE(most - other.copies, 1);
      all.copies += other.copies;
      other.scale_inputs = Scaling::zscore;
      other.network.inputs = NetworkInputs::standard;
      other.copies = most;
      EXPECT_EQ(other, chosen.members.front());
    }
    EXPECT_GE(all.copies, 2);
    EXPECT_EQ(models_of(chosen.members).back() == "deep", size.classes == 0 || size.rows > 2000);
    return all;
  };
  EXPECT_EQ(networks({200000, 8, 0}, 10).copies, 2);
  EXPECT_EQ(networks({9000, 8, 0}, 300).copies, 16);
  EXPECT_EQ(networks({15000, 8, 0}, 30).copies, 8);
  EXPECT_EQ(networks({36000, 8, 0}, 100).copies, 8);  // more only if each of eight has all its passes
  EXPECT_LE(networks({9000, 8, 0}, 0).copies, 4);
  // With less time, each of more than four networks would have too few passes.
  for (const Index rows : {9000, 15000}) EXPECT_LE(networks({rows, 8, 0}, 10).copies, 4);
  EXPECT_EQ(networks({60000, 8, 3}, 3, {{"likelihood", "softmax"}}).copies, 2);
  EXPECT_EQ(networks({9000, 8, 3}, 3, {{"likelihood", "softmax"}}).copies, 4);
  // More networks if there is time, unless the posteriors of many classes take it.
  EXPECT_EQ(networks({3000, 8, 3}, 10, {{"likelihood", "softmax"}}).copies, 8);
  EXPECT_EQ(networks({3000, 8, 3}, 0, {{"likelihood", "softmax"}}).copies, 4);
  EXPECT_EQ(networks({16000, 16, 26}, 10, {{"likelihood", "softmax"}}).copies, 2);
  EXPECT_LT(networks({200000, 8, 0}, 10).network.epochs, networks({200000, 8, 0}, 20).network.epochs);
  EXPECT_EQ(networks({7000, 8, 0}, 3).model, "deep");
  EXPECT_NE(networks({7000, 8, 0}, 0.02).model, "deep");
  EXPECT_NE(networks({1000000, 8, 0}, 20).model, "deep");
  EXPECT_NE(networks({10000000, 8, 0}, 20).model, "deep");
  EXPECT_NE(networks({9000, 8, 0, true}, 20).model, "deep");
  // Rows of a batch have an indicator of each level.
  EXPECT_EQ(networks({.rows = 9000, .inputs = 8, .levels = 1000}, 20).model, "deep");
  EXPECT_NE(networks({.rows = 9000, .inputs = 8, .levels = 1001}, 20).model, "deep");
  EXPECT_EQ(networks({9000, 8, 0}, 60, {{"likelihood", "poisson"}}).model, "deep");
  EXPECT_NE(networks({7000, 8, 0}, 60, {{"likelihood", "poisson"}}).model, "deep");
  EXPECT_EQ(networks({900, 8, 3}, 10, {{"likelihood", "softmax"}}).model, "deep");
  EXPECT_NE(networks({200, 8, 3}, 10, {{"likelihood", "softmax"}}).model, "deep");
}

TEST(AutoRecipe, NetworksAreSmallWhereFewRowsCanBeSeen) {
  const auto widths = [](Index rows, double seconds, const nlohmann::json& more = nlohmann::json::object()) {
    Recipe recipe = asked(more);
    recipe.training.seconds = seconds;
    const Index classes = recipe.likelihood == "softmax" ? 3 : 0;
    return auto_recipe(apply_likelihood_defaults(recipe), {rows, 8, classes}, 2).members.front().network.widths;
  };
  const std::vector<Index> narrow = {64, 64, 64}, wide = {128, 128, 64};
  EXPECT_EQ(widths(36000, 3), narrow);
  for (const double seconds : {0, 3}) EXPECT_EQ(widths(3000, seconds, {{"likelihood", "softmax"}}), narrow) << seconds;
  EXPECT_EQ(widths(3000, 10, {{"likelihood", "softmax"}}), wide);
  EXPECT_EQ(widths(36000, 10), wide);
  EXPECT_EQ(widths(7000, 3), narrow);
  EXPECT_EQ(widths(200000, 10), wide);
  EXPECT_EQ(widths(36000, 10, {{"likelihood", "poisson"}}), NetworkConfig{}.widths);
}

TEST(AutoRecipe, KindsThatAreLeftOfTheRaceShareTheOperations) {
  const auto models = [](TableSize size, const std::vector<Entrant>& dropped, double seconds = 0) {
    size.race.dropped = dropped;
    Recipe recipe = asked();
    recipe.training.seconds = seconds;
    return models_of(auto_recipe(recipe, size, 2));
  };
  const std::string networks = "networks", frequencies = "learned frequencies";
  const FitView plain{Scaling::none}, scores{Scaling::normal_scores};
  for (const Index rows : {7000, 90'000}) {
    const TableSize size = undecided(rows, 8);
    EXPECT_EQ(models(size, {}), (std::vector<std::string>{"deep", "deep", "ssgpr", "ssgpr", "fsgbard"}));
    EXPECT_EQ(models(size, {{networks, plain}}), (std::vector<std::string>{"deep", "ssgpr", "ssgpr", "fsgbard"}));
    EXPECT_EQ(models(size, {{frequencies, scores}}), (std::vector<std::string>{"deep", "deep", "ssgpr", "fsgbard"}));
    EXPECT_EQ(models(size, {{frequencies, plain}, {frequencies, scores}}), (std::vector<std::string>{"deep", "deep"}));
    EXPECT_EQ(models(size, {{networks, plain}, {networks, scores}}),
              (std::vector<std::string>{"ssgpr", "ssgpr", "fsgbard"}));
  }
  // Half of the time is enough for no network: the frequencies have the whole of it.
  EXPECT_EQ(models(undecided(7000, 8), {}, 0.08), (std::vector<std::string>{"ssgpr", "ssgpr", "fsgbard"}));
  const auto epochs = [&](const std::vector<Entrant>& dropped) {
    Recipe recipe = asked();
    recipe.flops = 1e11;
    TableSize size = undecided(90'000, 8);
    size.race.dropped = dropped;
    return static_cast<double>(auto_recipe(recipe, size, 2).members.front().network.epochs);
  };
  EXPECT_NEAR(2 * epochs({}), epochs({{frequencies, plain}, {frequencies, scores}}), 2);
}

TEST(AutoRecipe, KindsThatWonButHaveNoTimeOnAllRowsLeaveItToTheOthers) {
  Recipe recipe = asked();
  recipe.training.seconds = 0.03;
  TableSize size = undecided(7000, 8);
  size.race.dropped = {{"learned frequencies", {Scaling::none}}, {"learned frequencies", {Scaling::normal_scores}}};
  const Recipe chosen = auto_recipe(recipe, size, 2);
  ASSERT_FALSE(chosen.members.empty());
  EXPECT_EQ(chosen.members.front().model, "ssgpr");
}

TEST(AutoRecipe, RacesOneMemberOfEachKindAndScale) {
  const RacePlan race = plan_race(asked(), {20'000, 8, 0}, 2);
  EXPECT_EQ(models_of(race.recipe), (std::vector<std::string>{"deep", "deep", "ssgpr", "ssgpr"}));
  ASSERT_EQ(race.entrants.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(race.recipe.members[k].copies, 1);
    EXPECT_EQ(race.entrants[k].view, view_of(race.recipe.members[k]));
    EXPECT_EQ(race.entrants[k].kind, k < 2 ? "networks" : "learned frequencies");
  }
  EXPECT_EQ(race.rows, 10'000);
  EXPECT_EQ(race.held_rows, 2000);
  EXPECT_EQ(plan_race(asked(), {4'000'000, 8, 0}, 2).rows, 10'000);
  EXPECT_EQ(plan_race(asked(), {7000, 8, 0}, 2).rows, 6300);
  // The ARD fits before it take too much of little time where inputs are many.
  Recipe hasty = asked();
  hasty.training.seconds = 3;
  EXPECT_EQ(plan_race(hasty, {20'000, 8, 0}, 2).entrants.size(), 4U);
  EXPECT_TRUE(plan_race(hasty, {20'000, 100, 0}, 2).entrants.empty());
  // Sums of exact kernels suit, or rows are few.
  for (const Index rows : {900, 3000}) EXPECT_TRUE(plan_race(asked(), {rows, 8, 0}, 2).entrants.empty()) << rows;
  EXPECT_TRUE(plan_race(parse_registered_recipe({{"model", "ssgpr"}}), {20'000, 8, 0}, 2).entrants.empty());
  // Rows with weights have no networks, and rows whose scale is given no second one.
  EXPECT_EQ(plan_race(asked(), {20'000, 8, 0, true}, 2).entrants.size(), 2U);
  EXPECT_EQ(plan_race(asked({{"scale", {{"inputs", "asinh"}}}}), {20'000, 8, 0}, 2).entrants.size(), 2U);
  // Laplace's approximation of classes is too dear for frequencies.
  const RacePlan classes = plan_race(apply_likelihood_defaults(asked({{"likelihood", "softmax"}})), {20'000, 8, 3}, 2);
  EXPECT_EQ(models_of(classes.recipe), (std::vector<std::string>{"deep", "deep", "deep"}));
}

TEST(AutoRecipe, RacesTreesBesideTheBestScaleOfEachKindInARoundOfTheirOwn) {
  const Entrant plain{"networks", {Scaling::none}}, scores{"networks", {Scaling::normal_scores}};
  const Entrant of_frequencies{"learned frequencies", {Scaling::none}};
  TableSize size{20'000, 8};
  size.race = {true, {scores, plain, of_frequencies}, {plain}};
  EXPECT_TRUE(plan_race(asked(), size, 2).entrants.empty()) << "trees cannot be had";
  size.may_boost = true;
  const RacePlan race = plan_race(asked(), size, 2);
  EXPECT_EQ(models_of(race.recipe), (std::vector<std::string>{"deep", "ssgpr", "linear"}));
  EXPECT_EQ(race.entrants[0].view, (FitView{Scaling::normal_scores, TreeInputs::beside}));
  EXPECT_EQ(race.entrants[1].view, (FitView{Scaling::none, TreeInputs::beside}));
  EXPECT_EQ(race.entrants[2].view, (FitView{Scaling::none, TreeInputs::alone}));
  EXPECT_GT(race.tree_flops, 0);
  EXPECT_TRUE(plan_race(asked({{"data", {{"trees", false}}}}), size, 2).entrants.empty());

  // Views that are left share the fits of their kind, the best first, and leave a part of the operations to the trees.
  const Recipe without = auto_recipe(asked(), size, 2);
  size.race.ranked.insert(size.race.ranked.begin(), race.entrants.begin(), race.entrants.end());
  const Recipe with = auto_recipe(asked(), size, 2);
  EXPECT_EQ(models_of(with), (std::vector<std::string>{"deep", "deep", "ssgpr", "ssgpr", "fsgbard", "linear"}));
  EXPECT_EQ(view_of(with.members[0]), race.entrants[0].view);
  EXPECT_EQ(view_of(with.members[1]), scores.view);
  EXPECT_EQ(view_of(with.members[2]), race.entrants[1].view);
  EXPECT_LT(with.members[0].network.epochs, without.members[0].network.epochs);
  size.race.dropped.insert(size.race.dropped.end(), race.entrants.begin(), race.entrants.end());
  EXPECT_EQ(auto_recipe(asked(), size, 2).members, without.members);
}

TEST(AutoRecipe, SumsOfExactKernelsHaveTreesBesideThem) {
  TableSize size{3000, 8};
  EXPECT_EQ(models_of(auto_recipe(asked(), size, 2)), (std::vector<std::string>{"exact-sum", "exact-sum"}));
  size.may_boost = true;
  const Recipe with = auto_recipe(asked(), size, 2);
  EXPECT_EQ(models_of(with), (std::vector<std::string>{"exact-sum", "exact-sum", "linear"}));
  EXPECT_EQ(with.members.back().trees, TreeInputs::alone);
  size.seasons = 1;
  EXPECT_EQ(models_of(auto_recipe(asked(), size, 2)), (std::vector<std::string>{"exact-sum"}));
}

TEST(AutoRecipe, MembersOnFewRowsFollowTheTime) {
  const auto choose = [](Index rows, double seconds) {
    Recipe recipe = asked();
    recipe.training.seconds = seconds;
    return auto_recipe(recipe, {rows, 8, 0}, 2).members;
  };
  EXPECT_EQ(choose(1000, 0.01).size(), 1U);  // one sum of kernels
  const std::vector<Recipe> usual = choose(1000, 0);
  ASSERT_EQ(usual.size(), 3U);
  EXPECT_EQ(usual[0].terms.size(), 3U);
  EXPECT_EQ(usual[0].training.start, StartPoint::ard);
  EXPECT_EQ(usual[0].training.subsample, 500);
  EXPECT_TRUE(usual[0].training.carry_curvature);
  Recipe bent = usual[0];
  bent.scale_inputs = Scaling::normal_scores;
  EXPECT_EQ(usual[1], bent);
  EXPECT_EQ(usual[2].training.start, StartPoint::range);
  EXPECT_EQ(usual[2].scale_inputs, Scaling::zscore);
  EXPECT_EQ(usual[2].copies, 1);
  const std::vector<Recipe> longer = choose(1000, 300);
  ASSERT_EQ(longer.size(), 4U);
  EXPECT_EQ(longer[2].copies, 3);
  EXPECT_EQ(longer[3].model, "exact-rq");
  EXPECT_EQ(choose(700, 0).front().training.subsample, 0);
  // The last iterations are worthwhile for few rows, or for smaller subsamples.
  EXPECT_LT(choose(700, 0).back().training.iterations, choose(400, 0).front().training.iterations * 42 / 30);
  const std::vector<Recipe> fewer = choose(300, 0);
  ASSERT_EQ(fewer.size(), 5U);
  EXPECT_EQ(fewer[3].training.start, StartPoint::range);
  EXPECT_EQ(fewer[4].training.start, StartPoint::ard);
  EXPECT_EQ(fewer[4].features.frequencies, 64);
  const std::vector<Recipe> hasty = choose(300, 1);
  ASSERT_EQ(hasty.back().model, "gm");
  EXPECT_LT(hasty.back().features.frequencies, 64);
}

TEST(AutoRecipe, SamplesHyperparametersOnTheFewestRows) {
  const auto choose = [](Index rows, double seconds) {
    Recipe recipe = asked();
    recipe.training.seconds = seconds;
    return auto_recipe(recipe, {rows, 8, 0}, 2).members;
  };
  const std::vector<Recipe> usual = choose(150, 0);
  EXPECT_EQ(models_of(usual), (std::vector<std::string>{"exact-sum", "exact-sum", "exact-matern", "gm"}));
  for (std::size_t k = 0; k < usual.size(); ++k) EXPECT_EQ(usual[k].training.samples, k < 3 ? 20 : 10) << k;
  for (const Recipe& member : choose(300, 0)) EXPECT_EQ(member.training.samples, 0);
  EXPECT_EQ(choose(200, 0.01).front().training.samples, 0);  // no time for any
  for (const nlohmann::json& more : std::vector<nlohmann::json>{{{"priors", false}}, {{"max_model_mb", 5}}})
    for (const Recipe& member : auto_recipe(asked(more), {150, 8, 0}, 2).members)
      EXPECT_EQ(member.training.samples, 0) << more;
}

TEST(AutoRecipe, ASumOfKernelsPredictsFromAllRowsWhereTimeAndMemorySuffice) {
  const auto choose = [](TableSize size, double seconds, double model_mb) {
    Recipe recipe = asked();
    recipe.training.seconds = seconds;
    recipe.max_model_mb = model_mb;
    return auto_recipe(recipe, size, 2).members;
  };
  const std::vector<Recipe> one = choose({5800, 20, 0}, 8, 512);
  ASSERT_EQ(models_of(one), (std::vector<std::string>{"exact-sum"}));
  EXPECT_EQ(one[0].scale_inputs, Scaling::zscore);
  const std::vector<Recipe> both = choose({3000, 8, 0}, 0, 512);
  ASSERT_EQ(models_of(both), (std::vector<std::string>{"exact-sum", "exact-sum"}));
  EXPECT_EQ(both[1].scale_inputs, Scaling::normal_scores);
  EXPECT_EQ(both[0].training.subsample, 1200);
  EXPECT_GT(choose({5800, 20, 0}, 300, 512)[0].training.iterations, one[0].training.iterations);
  EXPECT_EQ(choose({3000, 8, 0}, 0.8, 512).front().model, "deep");
  EXPECT_EQ(choose({5300, 20, 0}, 7, 512).front().model, "exact-sum");  // at a machine's speed
  Recipe nominal = asked();
  nominal.flops = 7 * 2 * kNominalFlops;
  EXPECT_EQ(auto_recipe(nominal, {5300, 20, 0}, 2).members.front().model, "deep");
  EXPECT_EQ(choose({3000, 8, 0}, 0, 10).front().model, "deep");
  EXPECT_EQ(choose({3000, 8, 0, false, 1, 3e8}, 0, 512).front().model, "deep");
  EXPECT_EQ(choose({7000, 8, 0}, 0, 512).front().model, "deep");
}

TEST(AutoRecipe, ASumOfKernelsThatSuitsSuitsWithMoreOperations) {
  for (const Index inputs : {8, 100}) {
    bool suits = false;
    for (double flops = 1e9; flops < 1e14; flops *= 1.1) {
      Recipe recipe = asked();
      recipe.flops = flops;
      const bool is_sum = auto_recipe(recipe, {3000, inputs, 0}, 2).members.front().model == "exact-sum";
      EXPECT_GE(is_sum, suits) << flops;
      suits = is_sum;
    }
    EXPECT_TRUE(suits);
  }
}

TEST(AutoRecipe, HasNoCurvesWhereMemoryDoesNotHoldTheirRows) {
  for (const double bytes : {0.0, 1e8, 8e6}) {
    SCOPED_TRACE(bytes);
    const TableSize size{.rows = 20'000, .inputs = 8, .memory_bytes = bytes, .row_bytes = 1.4e6};
    const std::vector<Recipe> members = auto_recipe(asked(), size, 2).members;
    const bool has_curves = std::any_of(members.begin(), members.end(),
                                        [](const Recipe& m) { return m.scale_inputs == Scaling::normal_scores; });
    EXPECT_EQ(has_curves, bytes != 8e6);
  }
}

TEST(AutoRecipe, OfClassesTakesKernelsOnFewRowsAndNetworksBesideThem) {
  const auto choose = [](Index rows, Index classes, double seconds = 0) {
    Recipe recipe = asked({{"likelihood", "softmax"}});
    recipe.training.seconds = seconds;
    return auto_recipe(apply_likelihood_defaults(recipe), {rows, 8, classes}, 2);
  };
  const Recipe few = choose(200, 2), more = choose(900, 3), many = choose(3000, 3);
  EXPECT_EQ(models_of(few), (std::vector<std::string>{"exact-matern", "exact-rbf", "ssgpr", "fsgbard"}));
  EXPECT_EQ(models_of(more), (std::vector<std::string>{"deep", "deep", "matern", "rbf"}));
  EXPECT_EQ(models_of(many), (std::vector<std::string>{"deep", "deep", "deep"}));
  EXPECT_EQ(few.weights, FitWeights::folds);
  EXPECT_EQ(more.weights, FitWeights::folds);
  EXPECT_EQ(many.weights, FitWeights::held_out);
  for (const Recipe& member : more.members) EXPECT_EQ(member.likelihood, "softmax");
  // One row more changes nothing but the networks.
  const std::vector<std::string> below = models_of(choose(299, 2)), above = models_of(choose(300, 2));
  EXPECT_EQ(std::vector<std::string>(above.end() - 4, above.end()), below);
  // Frequencies follow the operations, down to learned ones in place of kernels.
  EXPECT_LT(choose(900, 3, 6).members.back().features.frequencies, more.members.back().features.frequencies);
  EXPECT_EQ(choose(250, 26, 0.001).members.front().model, "ssgpr");
}

TEST(AutoRecipe, OfLearnersIsRefused) {
  Recipe svm = asked();
  svm.learner.kind = LearnerKind::svm;
  EXPECT_THROW(auto_recipe(svm, {900, 8, 3}, 2), ConfigError);
}

TEST(AutoRecipe, IsTrainedAndWrittenIntoTheModelAsTheMixtureThatItWas) {
  Dataset rows;
  RandomStream stream = RandomStreams(3).stream("rows");
  find_problem("friedman1")->generate(120, stream, rows.inputs, rows.target);
  Recipe recipe = asked();
  recipe.flops = 3e10;
  const FittedModel model = fit(recipe, Schema(), rows, {});
  EXPECT_EQ(model.recipe.model, "mixture");
  EXPECT_EQ(to_json(model.training)["fits"], 4);
  const FittedModel again = fit(model.recipe, Schema(), rows, {});
  for (std::size_t k = 0; k < model.members.size(); ++k) EXPECT_EQ(model.members[k].theta, again.members[k].theta) << k;
}

// Frequencies from shares of the inputs' ranges learned nothing here: RMSE 1.0, in target units.
TEST(AutoRecipe, FindsTheInputsThatMatterAmongManyRows) {
  constexpr Index kRows = 6500, kInputs = 32;
  RandomStream stream = RandomStreams(3).stream("rows");
  Dataset rows;
  const auto draw = [&](Index n, Matrix& inputs, Vector& function) {
    inputs.resize(n, kInputs);
    for (double& value : inputs.reshaped()) value = 2 * stream.uniform() - 1;
    function = 1.4 * (3 * inputs.col(4).array()).sin() * (1 + inputs.col(17).array());
  };
  draw(kRows, rows.inputs, rows.target);
  for (double& value : rows.target) value += 0.2 * stream.normal();
  Matrix inputs;
  Vector function;
  draw(500, inputs, function);
  for (const auto& [flops, first] : {std::pair(1e9, "ssgpr"), std::pair(1e10, "deep")}) {
    Recipe recipe = asked();
    recipe.flops = flops;
    const FittedModel model = fit(recipe, Schema(), rows, {});
    EXPECT_EQ(model.recipe.members.front().model, first);
    const Vector mean = model.predict(inputs).distribution().mean();
    EXPECT_LT(std::sqrt((mean - function).squaredNorm() / 500), 0.1) << first;
  }
}

TEST(AutoRecipe, ObeysTheClock) {
  Dataset rows;
  RandomStream stream = RandomStreams(3).stream("rows");
  find_problem("friedman1")->generate(3000, stream, rows.inputs, rows.target);
  Recipe recipe = asked();
  recipe.training.seconds = 2;
  FitOptions options;
  options.seconds_before = 1.9;  // reading took most of it
  const FittedModel model = fit(recipe, Schema(), rows, options);
  EXPECT_TRUE(to_json(model.training)["cut_short"].get<bool>());
  EXPECT_LT(to_json(model.training)["seconds"].get<double>(), 30);  // of a machine as slow as any
}

}  // namespace
}  // namespace alacarte
