// The stages that a plan lists are those that a training runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "alacarte/train/fit.hpp"
#include "data/generators.hpp"
#include "train/fit/one_fit.hpp"
#include "train/fit/training.hpp"

namespace alacarte {
namespace {

using Names = std::vector<std::string>;

struct PlanRecorder : TrainingObserver {
  Names stages;
  void on_plan(const TrainingPlan& plan) override {
    for (const TrainingPlan::Stage& stage : plan.stages) stages.push_back(stage.name);
  }
};

std::shared_ptr<MemoryRows> friedman(Index rows) {
  Dataset data;
  RandomStream stream(3);
  find_problem("friedman1")->generate(rows, stream, data.inputs, data.target);
  return std::make_shared<MemoryRows>(std::move(data));
}

Recipe small_recipe(const std::string& model) {
  Recipe recipe;
  recipe.model = model;
  recipe.features.frequencies = 8;
  recipe.training.starts = 1;
  recipe.training.iterations = 2;
  return recipe;
}

/// Trains a recipe and returns the stages that its plan listed.
Names stages_of_training(const Recipe& recipe, Index rows) {
  PlanRecorder recorder;
  FitOptions options;
  options.observer = &recorder;
  fit(recipe, Schema::numbers(10), friedman(rows), options);
  return recorder.stages;
}

TEST(Stages, OfARecipeByName) {
  EXPECT_EQ(stages_of_training(small_recipe("ard"), 60),
            (Names{"prepare", "noise prior", "fits", "fits: start", "fits: descent", "fits: posterior", "fits: scale",
                   "fits: outcome", "weights"}));
}

TEST(Stages, FollowTheRecipe) {
  Recipe recipe = small_recipe("ard");
  recipe.noise.prior_center = PriorCenter::fixed;
  recipe.training.subsample = 30;
  recipe.training.samples = 2;
  recipe.noise.shape = NoiseDistribution::mixture;
  recipe.calibration.kind = CalibrationKind::conformal;
  EXPECT_EQ(stages_of_training(recipe, 80),
            (Names{"hold out", "prepare", "fits", "fits: start", "fits: subsamples", "fits: descent", "fits: posterior",
                   "fits: scale", "fits: outcome", "fits: samples", "weights", "shape", "calibration"}));
}

TEST(Stages, OfANetworkOnMinibatches) {
  Recipe recipe = small_recipe("deep");
  recipe.features = {};  // its term has them
  recipe.network.widths = {4};
  recipe.network.epochs = 1;
  Recipe term;
  term.model = "ssgpr";
  term.features.frequencies = 4;
  recipe.terms = {term};
  recipe.noise.varies = true;
  recipe.noise.rounds = 0;
  EXPECT_EQ(stages_of_training(recipe, 300),
            (Names{"prepare", "fits", "fits: start", "fits: minibatches", "fits: descent", "fits: posterior",
                   "fits: outcome", "weights", "noise", "shape"}));
}

TEST(Stages, OfAClockDrawRows) {
  Recipe recipe = small_recipe("ard");
  recipe.training.seconds = 30;
  EXPECT_EQ(stages_of_training(recipe, 60).front(), "draw rows");
}

TEST(Stages, EachHasAnIdAndAPurpose) {
  std::set<StageId> ids;
  for (const TrainingStage& stage : training_stages()) {
    EXPECT_TRUE(ids.insert(stage.id).second) << name_of(stage.id);
    EXPECT_FALSE(std::string(stage.purpose).empty());
  }
  for (const FitStage& stage : fit_stages()) {
    EXPECT_TRUE(ids.insert(stage.id).second) << name_of(stage.id);
    EXPECT_FALSE(std::string(stage.purpose).empty());
  }
  std::set<std::string> names;
  for (const StageId id : ids) names.insert(name_of(id));
  EXPECT_EQ(names.size(), ids.size());
  EXPECT_EQ(ids.size(), 23u);
}

}  // namespace
}  // namespace alacarte
