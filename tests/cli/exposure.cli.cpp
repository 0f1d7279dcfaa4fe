// Counts of rows with exposures (data.exposure) through the commands.
#include <fmt/format.h>

#include <cmath>

#include "program_test.hpp"

namespace alacarte::test {
namespace {

using json = nlohmann::json;

/// Returns the exposure of a row, in an order without a season.
double years_of(std::size_t i) { return 1 + static_cast<double>((i * 2654435761U >> 16) % 40); }

class ExposureColumn : public ProgramTest {
 protected:
  /// Writes counts of rate exp(sin x) and exposures of 1 to 40, rounded; every ninth exposure is a gap if `gaps`.
  std::string table(const std::string& name, bool exposed = true, bool gaps = false) const {
    std::string text = exposed ? "x,years,claims\n" : "x,claims\n";
    for (int i = 0; i < 200; ++i) {
      const double x = 0.03 * i, years = years_of(static_cast<std::size_t>(i));
      const double claims = std::round(years * std::exp(std::sin(x)) + ((i * 53) % 11 - 5) / 5.0);
      const std::string cell = gaps && i % 9 == 4 ? "" : fmt::format("{}", years);
      text += exposed ? fmt::format("{},{},{}\n", x, cell, std::max(0.0, claims))
                      : fmt::format("{},{}\n", x, std::max(0.0, claims));
    }
    return folder_.write(name, text);
  }
  std::string train(const std::string& name, const std::string& data,
                    std::vector<std::string> more = {"--exposure", "years"}) const {
    std::vector<std::string> arguments{"train",  recipe_, "--data",  data,        "--model", folder_ / name,
                                       "--seed", "1",     "--quiet", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    must(arguments);
    return folder_ / name;
  }
  /// Returns the numbers of a column of the predictions.
  std::vector<double> predicted(const std::string& model, const std::string& data, const std::string& column,
                                std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"predict", model, "--data", data, "--out", "-", "--quiet", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto cells = cells_of(must(arguments).out);
    const auto place = std::find(cells[0].begin(), cells[0].end(), column) - cells[0].begin();
    std::vector<double> numbers;
    for (std::size_t i = 1; i < cells.size(); ++i)
      numbers.push_back(std::stod(cells[i].at(static_cast<std::size_t>(place))));
    return numbers;
  }

  const std::string recipe_ = folder_.write("recipe.json", R"({"model": "exact-rbf", "likelihood": "poisson",
      "training": {"starts": 1, "iterations": 20}})");
};

TEST_F(ExposureColumn, MultipliesTheRateOfPredictions) {
  const std::string data = table("t.csv"), model = train("m.ala", data);
  const std::vector<double> counts = predicted(model, data, "mean");
  const std::vector<double> rates = predicted(model, table("bare.csv", false), "mean");
  const std::vector<double> latent = predicted(model, data, "mean", {"--latent"});
  const std::vector<double> spread = predicted(model, data, "sd_observation");
  ASSERT_EQ(counts.size(), 200u);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double years = years_of(static_cast<std::size_t>(i)), truth = std::sin(0.03 * static_cast<double>(i));
    EXPECT_NEAR(counts[i], years * rates[i], 1e-9 * counts[i]);
    EXPECT_NEAR(latent[i], truth, 0.3);
    EXPECT_NEAR(latent[i], std::log(rates[i]), 0.05) << "without the exposure";
    EXPECT_GE(spread[i], std::sqrt(counts[i])) << "at least that of a Poisson count";
  }
  const json scores = json::parse(must({"evaluate", model, "--data", data, "--quiet"}).out);
  EXPECT_LT(scores["nlpd"], 4);
  const std::string ignored = train("ignored.ala", data, {"--ignore", "years"});
  const json worse = json::parse(must({"evaluate", ignored, "--data", data, "--quiet"}).out);
  EXPECT_LT(scores["nlpd"].get<double>(), worse["nlpd"].get<double>() - 1);
}

TEST_F(ExposureColumn, GoesThroughRowsFilesAndFolds) {
  const std::string data = table("t.csv"), rows = folder_ / "t.rows";
  must({"convert", data, "--exposure", "years", "--out", rows, "--quiet"});
  const std::string model = train("m.ala", data), again = train("again.ala", rows, {});
  EXPECT_EQ(predicted(model, data, "mean"), predicted(again, rows, "mean"));
  const json folds = json::parse(
      must({"cv", recipe_, "--data", data, "--exposure", "years", "--folds", "3", "--json", "--quiet", "--jobs", "1"})
          .out);
  EXPECT_TRUE(has(folds.dump(), "nlpd"));
}

TEST_F(ExposureColumn, MayHaveGaps) {
  const std::string data = table("gaps.csv", true, true), model = train("m.ala", data);
  const json inspected = json::parse(must({"inspect", model, "--json"}).out);
  EXPECT_EQ(inspected["training"]["rows"], 178) << "rows without an exposure are left out";
  const std::vector<double> counts = predicted(model, data, "mean"), unseen = predicted(model, data, "unseen"),
                            rates = predicted(model, table("bare.csv", false), "mean");
  EXPECT_NEAR(counts[4], rates[4], 1e-12 * rates[4]);
  EXPECT_EQ(unseen[4], 1);
  EXPECT_EQ(unseen[5], 0);
}

TEST_F(ExposureColumn, RefusesInOneLine) {
  const std::string data = table("t.csv"), model = train("m.ala", data), gaps = table("gaps.csv", true, true);
  const auto refused = [&](std::vector<std::string> more, int code, const std::vector<std::string>& parts,
                           const std::string& file) {
    std::vector<std::string> arguments{"train", recipe_, "--data", file, "--model", folder_ / "x", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_failure(run(arguments), code, parts);
  };
  refused({"--exposure", "months"}, 2, {"/data/exposure", "no column 'months'"}, data);
  refused({"--exposure", "claims"}, 2, {"/data/exposure", "already the target"}, data);
  refused({"--exposure", "years", "--set", "/likelihood=gaussian"}, 2, {"/data/exposure", "poisson"}, data);
  refused({"--exposure", "years", "--strict"}, 3, {"gaps.csv: row 6, column 2: 'years' is missing"}, gaps);
  const std::string zero = folder_.write("zero.csv", "x,years,claims\n1,1,1\n2,0,2\n3,1,1\n");
  refused({"--exposure", "years"}, 3, {"zero.csv: row 3, column 2: 'years' is an exposure of 0", "above 0"}, zero);
  const std::string out = folder_ / "out.csv";
  expect_failure(run({"predict", model, "--data", zero, "--out", out, "--quiet"}), 3, {"zero.csv: row 3, column 2"});
  expect_failure(run({"evaluate", model, "--data", table("bare.csv", false), "--quiet"}), 3,
                 {"bare.csv", "'years' with the exposures is missing"});
}

}  // namespace
}  // namespace alacarte::test
