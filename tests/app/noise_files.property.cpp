// Noise and calibration from files: drawing, training, predicting and scoring.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "alacarte/app/evaluate_file.hpp"
#include "alacarte/app/predict_file.hpp"
#include "alacarte/app/train_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "app/generate.hpp"
#include "io/documents.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

Recipe noise_file_recipe(const std::string& more) {
  return parse_registered_recipe(Json::parse(
      R"({"model": "ard", "features": {"frequencies": 30},
          "training": {"starts": 1, "probe_iterations": 3, "iterations": 10})" +
      more + "}"));
}

class NoiseFiles : public testing::Test {
 protected:
  std::string draw(const Recipe& recipe, Index rows, std::uint64_t seed, const std::string& name) const {
    KernelDrawOptions options;
    options.rows = rows;
    options.seed = seed;
    generate_kernel_draw(recipe, options, folder_ / name);
    return folder_ / name;
  }
  std::string header_of(const std::string& path) const {
    const std::string text = test::read_file(path);
    return text.substr(0, text.find('\n'));
  }
  test::TemporaryFolder folder_;
};

TEST_F(NoiseFiles, EveryLikelihoodOfNumbersAndCountsIsDrawnTrainedPredictedAndScored) {
  for (const std::string likelihood : {"gaussian", "student-t", "poisson", "negative-binomial"}) {
    SCOPED_TRACE(likelihood);
    const Recipe recipe = noise_file_recipe(R"(, "likelihood": ")" + likelihood + '"');
    const std::string data = draw(recipe, 150, 4, likelihood + ".csv");
    const TrainedFile trained = train_from_file(recipe, data, {});
    PredictFileOptions options;
    options.out = folder_ / "out.csv";
    options.quantiles = {0.1, 0.9};
    options.thresholds = {0.5};
    EXPECT_EQ(predict_file(trained.model, data, options), 150);
    EXPECT_EQ(
        header_of(options.out),
        "mean,sd_observation,lower_observation,upper_observation,quantile_observation(0.1),quantile_observation(0.9),"
        "above_observation(0.5),share_outside");
    const Json scores = to_json(evaluate_file(trained.model, data), trained.model);
    EXPECT_TRUE(scores["nlpd"].is_number());
    EXPECT_FALSE(scores.contains("conformal"));
  }
}

TEST_F(NoiseFiles, CountsHaveNoNoiseToSet) {
  KernelDrawOptions options;
  options.rows = 10;
  options.noise_sd = 0.1;
  EXPECT_THROW(generate_kernel_draw(noise_file_recipe(R"(, "likelihood": "poisson")"), options, folder_ / "x.csv"),
               ConfigError);
  options.noise_sd.reset();
  EXPECT_THROW(generate_kernel_draw(noise_file_recipe(R"(, "likelihood": "softmax")"), options, folder_ / "x.csv"),
               ConfigError);
}

TEST_F(NoiseFiles, CalibratedIntervalsAreWrittenAndScored) {
  const Recipe recipe = noise_file_recipe(R"(, "calibration": {"kind": "conformal", "share": 0.4})");
  const std::string data = draw(noise_file_recipe(""), 100, 5, "d.csv");
  const TrainedFile trained = train_from_file(recipe, data, {});
  EXPECT_EQ(trained.model.calibration.rows, 40);
  const Scores scores = evaluate_file(trained.model, data);
  ASSERT_EQ(scores.conformal.size(), 3u);
  EXPECT_GT(scores.conformal[2].mean_width, scores.conformal[0].mean_width);
  const Json json = to_json(scores, trained.model);
  EXPECT_GE(json["conformal"]["90"]["coverage"], 0.8);
  PredictFileOptions options;
  options.out = folder_ / "out.csv";
  options.interval = 0.99;
  try {
    predict_file(trained.model, data, options);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "--interval: 0.99 takes at least 99 calibration rows, and the model has 40");
  }
}

}  // namespace
}  // namespace alacarte
