// Seasons of the rows, and periods that fits have learned, in the messages of train, in inspect and on its page.
#include <cmath>
#include <numbers>

#include "alacarte/core/random.hpp"
#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

using Json = nlohmann::json;

class Seasons : public ProgramTest {
 protected:
  /// Writes 300 rows with columns kind (text), t (a step of half a unit) and y, whose period along t is 12.5.
  std::string table(double amplitude) const {
    RandomStream stream(5);
    std::string rows = "kind,t,y\n";
    for (int i = 0; i < 300; ++i) {
      const double t = 1990 + 0.5 * i, noise = 0.4 * stream.uniform() - 0.2;
      rows += std::string(i * 31 % 7 < 3 ? "a" : "b") + ',' + std::to_string(t) + ',' +
              std::to_string(amplitude * std::sin(2 * std::numbers::pi * t / 12.5) + noise) + '\n';
    }
    return folder_.write("rows.csv", rows);
  }
  RunResult train(const std::string& recipe, double amplitude) const {
    return must({"train", folder_.write("recipe.json", recipe), "--data", table(amplitude), "--model", model_});
  }
  Json inspected() const { return Json::parse(must({"inspect", model_, "--json"}).out); }
  std::string page() const {
    RunOptions options;
    options.environment = {{"ALACARTE_VEGA_DIR", ""}};
    must({"inspect", model_, "--html", folder_ / "page.html", "--quiet"}, options);
    return read_file(folder_ / "page.html");
  }

  const std::string model_ = folder_ / "model.ala";
};

TEST_F(Seasons, ArePrintedInTheUnitOfTheInput) {
  const RunResult trained = train(R"({"model": "exact-periodic", "training": {"starts": 1, "iterations": 30}})", 2);
  EXPECT_TRUE(has(trained.err, "season: t, period 12.")) << trained.err;
  EXPECT_FALSE(has(trained.err, "warning")) << trained.err;
  const Json report = inspected(), season = report["training"]["seasons"];
  ASSERT_EQ(season.size(), 1);
  EXPECT_EQ(season[0]["input"], "t");
  EXPECT_NEAR(season[0]["period"].get<double>(), 12.5, 0.03);
  EXPECT_GT(season[0]["share"].get<double>(), 0.95);
  // The kernel has begun there, and stays.
  for (const Json& input : report["fits"][0]["inputs"]) {
    ASSERT_EQ(input["periods"].size(), 1) << input["name"];
    if (input["name"] == "t") {
      EXPECT_NEAR(input["periods"][0].get<double>(), 12.5, 0.1);
    }
  }
  const std::string text = must({"inspect", model_}).out;
  EXPECT_TRUE(has(text, "season           t, period 12.")) << text;
  EXPECT_TRUE(has(text, "  period         12.")) << text;
  EXPECT_TRUE(has(text, " of t, in its own unit")) << text;
  EXPECT_TRUE(has(page(), "Seasons"));
}

TEST_F(Seasons, SpectraNameThePeriodsOfTheirMeans) {
  train(R"({"model": "gm", "copies": 1, "features": {"frequencies": 16, "components": 2},
            "training": {"starts": 1, "iterations": 20}})",
        2);
  std::vector<double> periods;
  const Json report = inspected();
  for (const Json& input : report["fits"][0]["inputs"]) {
    if (input["name"] == "t") periods = input.value("periods", periods);
  }
  ASSERT_FALSE(periods.empty()) << report["fits"][0]["description"];
  double nearest = 1e9;
  for (const double period : periods) nearest = std::min(nearest, std::abs(period - 12.5));
  EXPECT_LT(nearest, 0.2);
}

TEST_F(Seasons, NoiseHasNone) {
  const RunResult trained = train(R"({"model": "exact-rbf", "training": {"starts": 1, "iterations": 5}})", 0);
  EXPECT_FALSE(has(trained.err, "season")) << trained.err;
  EXPECT_FALSE(inspected()["training"].contains("seasons"));
  const std::string text = must({"inspect", model_}).out;
  EXPECT_FALSE(has(text, "season") || has(text, "period")) << text;
  EXPECT_FALSE(has(page(), "Seasons"));
}

}  // namespace
}  // namespace alacarte::test
