// Targets on a transformed scale (scale.target) through the commands.
#include <fmt/format.h>

#include <cmath>

#include "program_test.hpp"

namespace alacarte::test {
namespace {

using json = nlohmann::json;

class TargetScale : public ProgramTest {
 protected:
  /// Writes prices with errors of some 30 %, one of which has `cell` in its place.
  std::string prices(const std::string& name, const std::string& cell = "") const {
    std::string text = "x,price\n";
    for (int i = 0; i < 150; ++i) {
      const double x = 0.04 * i, error = ((i * 37) % 23 - 11) / 6.6;
      text += i == 40 && !cell.empty() ? fmt::format("{},{}\n", x, cell)
                                       : fmt::format("{},{}\n", x, 100 * std::exp(std::sin(x) + 0.3 * error));
    }
    return folder_.write(name, text);
  }
  RunResult train(const std::string& data, const std::string& scale, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"train",
                                       recipe_,
                                       "--data",
                                       data,
                                       "--model",
                                       model_,
                                       "--quiet",
                                       "--threads",
                                       "1",
                                       "--set",
                                       "/scale/target=" + scale};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  const std::string recipe_ = folder_.write(
      "recipe.json", R"({"model": "exact-rbf", "training": {"starts": 1, "probe_iterations": 3, "iterations": 15}})");
  const std::string model_ = folder_ / "prices.ala";
};

TEST_F(TargetScale, LogIsUndoneInEveryColumn) {
  const std::string data = prices("prices.csv");
  EXPECT_EQ(train(data, "log").code, 0);
  const auto rows = cells_of(must({"predict", model_, "--data", data, "--out", "-", "--quiet", "--quantiles",
                                   "0.01,0.5", "--probability-above", "0"})
                                 .out);
  ASSERT_EQ(rows.size(), 151u);
  const std::vector<std::string> header{"mean",
                                        "sd_observation",
                                        "lower_observation",
                                        "upper_observation",
                                        "quantile_observation(0.01)",
                                        "quantile_observation(0.5)",
                                        "above_observation(0)"};
  for (std::size_t j = 0; j < header.size(); ++j) EXPECT_EQ(rows[0][j], header[j]);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto at = [&](std::size_t j) { return std::stod(rows[i][j]); };
    EXPECT_GT(at(2), 0);
    EXPECT_GT(at(4), 0);
    EXPECT_GT(at(0), at(5));  // a log-normal mean is above its median
    EXPECT_EQ(at(6), 1);
    // Quantiles of a single fit are log-normal: the median is the geometric mean of the bounds.
    EXPECT_NEAR(std::log(at(2)) + std::log(at(3)), 2 * std::log(at(5)), 1e-9);
  }
  const json scores = json::parse(must({"evaluate", model_, "--data", data}).out);
  EXPECT_GT(scores.at("coverage").at("95"), 0.9);
  // Standardised scores are in terms of the deviation of the target itself.
  const double spread = scores.at("rmse").get<double>() / scores.at("standardised").at("rmse").get<double>();
  EXPECT_NEAR(scores.at("crps").get<double>() / scores.at("standardised").at("crps").get<double>(), spread, 1e-9);
  EXPECT_GT(spread, 20);
  EXPECT_TRUE(has(must({"inspect", model_}).out, "after log"));
  EXPECT_EQ(json::parse(must({"inspect", model_, "--json"}).out).at("target_transform"), "log");
  EXPECT_TRUE(has(must({"explain", model_, "--data", data, "--quiet"}).out, "of the target after its transform (log)"));
}

TEST_F(TargetScale, IsComparedInTheUnitOfTheTarget) {
  const std::string data = prices("prices.csv");
  const auto folds = [&](const std::string& scale) {
    const json all = json::parse(must({"cv", recipe_, "--data", data, "--set", "/scale/target=" + scale, "--folds", "3",
                                       "--json", "--quiet", "--threads", "1"})
                                     .out);
    return all.at("methods").at(0).at("scores").at("nlpd").at("mean").get<double>();
  };
  EXPECT_LT(folds("log"), folds("zscore"));
}

TEST_F(TargetScale, RefusesInOneLine) {
  const std::string with_zero = prices("zero.csv", "0");
  expect_failure(train(with_zero, "log"), 3, {"scale.target 'log'", "the smallest is 0, in row 41"});
  EXPECT_EQ(train(with_zero, "yeo-johnson").code, 0);
  const std::string data = prices("prices.csv");
  expect_failure(run({"export", model_, "--c", folder_ / "m.c"}), 2, {"scale.target 'yeo-johnson'"});
  expect_failure(run({"predict", model_, "--data", data, "--out", folder_ / "p.csv", "--gradient"}), 2,
                 {"scale.target 'yeo-johnson'"});
  expect_failure(
      run({"predict", model_, "--data", data, "--out", folder_ / "p.csv", "--covariance", folder_ / "c.npy"}), 2,
      {"/scale/target"});
  expect_failure(train(data, "log", {"--set", "/noise/sd=1"}), 2, {"/noise/sd", "scale.target 'log'"});
  expect_failure(train(data, "logarithm"), 2, {"/scale/target"});
}

TEST_F(TargetScale, AutoSaysWhatItChose) {
  const std::string data = prices("prices.csv");
  must({"train", "auto", "--data", data, "--model", model_, "--quiet", "--seconds", "3", "--threads", "1"});
  const json inspected = json::parse(must({"inspect", model_, "--json"}).out);
  EXPECT_EQ(inspected.at("target_transform"), "log");
  EXPECT_EQ(inspected.at("recipe").at("scale").at("target"), "log");
  EXPECT_TRUE(has(must({"inspect", model_}).out, "scale.target is log"));
}

}  // namespace
}  // namespace alacarte::test
