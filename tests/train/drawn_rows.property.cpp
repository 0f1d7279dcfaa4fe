// training.drawn_rows: optimiser steps on rows that are drawn anew each time.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "io/documents.hpp"
#include "support/trained_model.hpp"
#include "support/uniform_rows.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

Dataset wave(Index rows, std::uint64_t seed) {
  return test::uniform_rows(rows, 3, seed, [](const auto& x, double normal) {
    return std::sin(9 * x[0]) * std::cos(7 * x[1]) + x[2] + 0.1 * normal;
  });
}

Json recipe_of(Index drawn, Index steps, Index iterations, const Json& more = Json::object()) {
  Json recipe = {
      {"model", "ssgpr"},
      {"features", {{"frequencies", 24}}},
      {"training", {{"starts", 1}, {"iterations", iterations}, {"drawn_rows", drawn}, {"drawn_steps", steps}}}};
  recipe.update(more);
  return recipe;
}

Vector variances(const FittedModel& model, const Dataset& at) {
  return model.predict(at.view()).distribution().variance();
}

TEST(DrawnRows, LeadOnBeforeAllRowsAreSeen) {
  const Dataset rows = wave(4000, 1), at = wave(1000, 2);
  const double without = test::scored(test::trained(recipe_of(0, 1, 2), rows), at).nlpd;
  EXPECT_LT(test::scored(test::trained(recipe_of(200, 300, 2), rows), at).nlpd, without - 0.3);
}

TEST(DrawnRows, OfOneSeedGiveTheSameBits) {
  const Dataset rows = wave(600, 3), at = wave(20, 4);
  const Json recipe = recipe_of(100, 30, 2);
  EXPECT_EQ(variances(test::trained(recipe, rows), at), variances(test::trained(recipe, rows), at));
  FitOptions other;
  other.seed = 1;
  EXPECT_NE(variances(test::trained(recipe, rows), at), variances(test::trained(recipe, rows, other), at));
}

TEST(DrawnRows, AreNotDrawnFromFewerThanTwiceAsMany) {
  const Dataset rows = wave(150, 5), at = wave(20, 6);
  EXPECT_EQ(variances(test::trained(recipe_of(76, 30, 4), rows), at),
            variances(test::trained(recipe_of(0, 1, 4), rows), at));
}

/// Rows that are read like those of a file.
class OfAFile : public RowSource {
 public:
  explicit OfAFile(Dataset rows) : rows_(std::move(rows)) {}
  Index rows() const override { return rows_.rows(); }
  Index inputs() const override { return rows_.inputs(); }
  double scratch_bytes(Index count) const override { return rows_.scratch_bytes(count); }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override {
    return rows_.read(first, count, scratch);
  }

 private:
  MemoryRows rows_;
};

TEST(DrawnRows, ThatAreElsewhereAreDrawnFromThoseThatFit) {
  const Dataset rows = wave(600, 11), at = wave(20, 12);
  const auto trained = [&](const std::shared_ptr<RowSource>& source) {
    return variances(fit(parse_registered_recipe(recipe_of(100, 30, 2)), Schema::numbers(3), source, {}), at);
  };
  const Vector of_memory = trained(std::make_shared<MemoryRows>(rows));
  EXPECT_LT((trained(std::make_shared<OfAFile>(rows)) - of_memory).norm(), 1e-6 * of_memory.norm());
}

/// Requests a stop at the first report of the steps.
class StopsAtSteps : public TrainingObserver {
 public:
  void on_progress(const Progress& progress) override { flag = flag || progress.stage == "rows drawn anew"; }
  std::atomic<bool> flag = false;
};

TEST(DrawnRows, ThatAreCutShortAreRepeated) {
  const Dataset rows = wave(600, 7), at = wave(20, 8);
  StopsAtSteps observer;
  FitOptions options;
  options.observer = &observer;
  options.interrupt = &observer.flag;
  const FittedModel cut = test::trained(recipe_of(100, 200, 5), rows, options);
  EXPECT_EQ(to_json(cut.training)["work"]["ssgpr: drawn steps made"], 1);
  Json timed = recipe_of(100, 200, 5);
  timed["training"]["seconds"] = 2;
  const FittedModel brief = test::trained(timed, rows);
  EXPECT_GT(to_json(brief.training)["work"]["ssgpr: drawn steps made"], 4);
  for (const auto& [model, recipe] : {std::pair(&cut, recipe_of(100, 200, 5)), std::pair(&brief, timed)}) {
    FitOptions again;
    again.repeat = &model->training;
    EXPECT_EQ(variances(test::trained(recipe, rows, again), at), variances(*model, at));
  }
}

TEST(DrawnRows, KeepTheirWeights) {
  Dataset rows = wave(400, 9);
  rows.weights = Vector::Constant(400, 2);
  rows.weights.head(200).setOnes();
  const FittedModel model = test::trained(recipe_of(100, 60, 5, {{"data", {{"weights", "w"}}}}), rows);
  EXPECT_LT(test::scored(model, wave(200, 10)).rmse, 0.4);
}

}  // namespace
}  // namespace alacarte
