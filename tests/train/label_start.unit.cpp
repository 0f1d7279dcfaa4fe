// training.start "labels": classification fits that start from a regression on the class indicators.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"
#include "io/documents.hpp"
#include "support/class_target.hpp"
#include "support/cosine_map.hpp"

namespace alacarte {
namespace {

struct LabelRows {
  Schema schema;
  Dataset rows;

  explicit LabelRows(Index count, std::uint64_t seed = 3) {
    DataConfig config;
    config.labels = true;
    const auto reader =
        open_table_from_memory("t.csv", "a,b,y\n1,2,k0\n1,2,k1\n1,2,k2\n3,4,k0\n3,4,k1\n3,4,k2\n", config);
    Schema::prepare(*reader, config);
    schema = Schema::learn(*reader, read_all(*reader), config, {});
    rows.inputs = normal_matrix(count, 2, seed);
    rows.target = class_target(*find_likelihood("softmax"), rows.inputs, seed + 1);
  }
};

Recipe label_recipe(const std::string& model, Index iterations) {
  nlohmann::json json = {
      {"model", model},
      {"likelihood", "softmax"},
      {"training",
       {{"start", "labels"}, {"starts", 2}, {"probe_iterations", 3}, {"iterations", iterations}, {"start_rows", 120}}}};
  if (model.rfind("exact-", 0) != 0) json["features"]["frequencies"] = 16;
  return parse_registered_recipe(json);
}

double log_loss(const FittedModel& model, const LabelRows& test) {
  return score_classes(model.predict(test.rows.inputs).classes().values, test.rows.target).log_loss;
}

TEST(LabelStart, WithoutAnyIterationItIsBetterThanAStartFromTheRanges) {
  const LabelRows data(300), test(600, 30);
  for (const char* model : {"ssgpr", "ard", "exact-ard"}) {
    Recipe plain = label_recipe(model, 0);
    plain.training.start = StartPoint::range;
    plain.training.starts = 1;
    const FittedModel labels = fit(label_recipe(model, 0), data.schema, data.rows, {});
    EXPECT_LT(log_loss(labels, test), log_loss(fit(plain, data.schema, data.rows, {}), test) + 0.01) << model;
    const nlohmann::json summary = to_json(labels.members.front().summary);
    EXPECT_EQ(summary.at("iterations"), 0) << model;
    EXPECT_EQ(summary.at("evaluations"), 1) << model;  // softmax on all rows
  }
}

TEST(LabelStart, HasTheSameBitsForTheSameSeed) {
  const LabelRows data(300);
  FitOptions options;
  options.seed = 5;
  const Recipe recipe = label_recipe("ssgpr", 2);
  const FittedModel one = fit(recipe, data.schema, data.rows, options);
  EXPECT_EQ(one.members.front().theta, fit(recipe, data.schema, data.rows, options).members.front().theta);
  options.seed = 6;
  EXPECT_NE(one.members.front().theta, fit(recipe, data.schema, data.rows, options).members.front().theta);
}

TEST(LabelStart, AnInterruptKeepsTheBestSoFar) {
  struct Stopper : TrainingObserver {
    std::atomic<bool> stop = false;
    std::vector<std::string> fits;
    void on_progress(const Progress& progress) override {
      fits.push_back(progress.fit);
      stop = true;
    }
  } stopper;
  const LabelRows data(300);
  FitOptions options;
  options.observer = &stopper;
  options.interrupt = &stopper.stop;
  const FittedModel model = fit(label_recipe("ssgpr", 50), data.schema, data.rows, options);
  EXPECT_EQ(stopper.fits.front(), "ssgpr on the labels of 120 rows");
  EXPECT_EQ(model.members.size(), 1U);
  EXPECT_EQ(to_json(model.training).at("cut_short"), true);
  EXPECT_TRUE(model.predict(data.rows.inputs).classes().values.allFinite());
}

TEST(LabelStart, IsOfClassesAlone) {
  const auto refusal = [](const nlohmann::json& json) -> std::string {
    try {
      apply_likelihood_defaults(parse_registered_recipe(json));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  const nlohmann::json training = {{"start", "labels"}};
  EXPECT_EQ(refusal({{"model", "ard"}, {"training", training}}),
            "/training/start: 'labels' means nothing for a target that is no class");
  EXPECT_EQ(refusal({{"model", "ard"}, {"likelihood", "poisson"}, {"training", training}}),
            "/training/start: 'labels' means nothing for a target that is no class");
  EXPECT_EQ(refusal({{"model", "ard"}, {"likelihood", "logit"}, {"training", training}}), "nothing was thrown");
}

}  // namespace
}  // namespace alacarte
