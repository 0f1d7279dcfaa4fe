// alacarte predict --gradient and alacarte explain.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

class Explain : public ProgramTest {
 protected:
  /// Returns a model's mean for the rows of a CSV text.
  std::vector<double> means(const std::string& model, const std::string& table) const {
    std::vector<double> column;
    for (const auto& row :
         cells_of(must({"predict", model, "--data", folder_.write("rows.csv", table), "--out", "-", "--quiet"}).out))
      if (row[0] != "mean") column.push_back(std::stod(row[0]));
    return column;
  }
  std::string line_model() const {
    std::string table = "a,colour,b,y\n";
    for (int i = 0; i < 60; ++i) {
      const double a = 0.1 * (i % 13), b = 50 + (i * 7) % 11;
      table += std::to_string(a) + (i % 2 == 0 ? ",red," : ",blue,") + std::to_string(b) + "," +
               std::to_string(4 * a + (i % 2) * 2) + "\n";
    }
    must({"train", "linear", "--data", folder_.write("line.csv", table), "--categorical", "colour", "--model",
          folder_ / "line.ala", "--quiet"});
    return folder_ / "line.ala";
  }
};

TEST_F(Explain, GradientsAreThoseOfThePredictions) {
  const std::string model = line_model();
  const auto table =
      cells_of(must({"predict", model, "--data", folder_ / "line.csv", "--out", "-", "--gradient", "--quiet"}).out);
  EXPECT_EQ(fmt::format("{}", fmt::join(table[0], ",")),
            "mean,sd_observation,lower_observation,upper_observation,gradient(a),gradient_sd(a),gradient(b),"
            "gradient_sd(b),share_outside,unseen");
  const auto two = means(model, "a,colour,b\n0.2,red,52\n1.2,red,52\n");
  EXPECT_NEAR(std::stod(table[5][4]), two[1] - two[0], 1e-9);
  EXPECT_NEAR(std::stod(table[5][4]), 4, 0.1);
  EXPECT_GT(std::stod(table[5][5]), 0);
  EXPECT_LT(std::abs(std::stod(table[5][6])), 4 * std::stod(table[5][7]) + 1e-3);
}

TEST_F(Explain, GradientsAreRefusedWhereThereAreNone) {
  const std::string data = friedman(60, 1, "d.csv"), model = folder_ / "m.ala";
  const std::string recipe = folder_.write("gcws.json", R"({"model": "gcws", "scale": {"inputs": "none"},
    "features": {"samples": 16, "bits": 2}, "training": {"iterations": 2}})");
  must({"train", recipe, "--data", data, "--model", model, "--quiet"});
  expect_failure(run({"predict", model, "--data", data, "--out", folder_ / "p.csv", "--gradient"}), 2,
                 {"m.ala", "the map 'gcws' is not smooth"});
}

TEST_F(Explain, GradientsNameTheRowThatIsTooFarOut) {
  const std::string data = friedman(60, 1, "d.csv"), model = folder_ / "m.ala";
  must({"train", "ard", "--data", data, "--model", model, "--set", "/features/frequencies=16", "--set",
        "/training/iterations=2", "--quiet"});
  std::string rows = "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10\n";
  for (const char* first : {"0.5", "1e17", "0.5"}) rows += std::string(first) + ",0,0,0,0,0,0,0,0,0\n";
  expect_failure(
      run({"predict", model, "--data", folder_.write("far.csv", rows), "--out", folder_ / "p.csv", "--gradient"}), 5,
      {"row 2", "derivative"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "p.csv"));
}

TEST_F(Explain, CountsRowsByTheirWeights) {
  std::string table = "a,w,y\n";
  for (int i = 0; i < 60; ++i) table += fmt::format("{},{},{}\n", 0.1 * i, i % 3, 0.2 * i + (i * 37) % 11);
  const std::string data = folder_.write("w.csv", table), model = folder_ / "w.ala";
  must({"train", "linear", "--data", data, "--weights", "w", "--model", model, "--quiet"});
  const auto scores = nlohmann::json::parse(must({"evaluate", model, "--data", data, "--quiet"}).out);
  const auto all = nlohmann::json::parse(must({"explain", model, "--data", data, "--json", "--quiet"}).out);
  EXPECT_EQ(all["rows"], 40) << "a row of weight 0 is as if absent";
  EXPECT_NEAR(all["importance"]["rmse"].get<double>(), scores["rmse"].get<double>(), 1e-12);
}

TEST_F(Explain, PairsAreOfTheInputsThatAreShown) {
  const std::string data = friedman(60, 1, "d.csv"), model = folder_ / "m.ala";
  must({"train", "linear", "--data", data, "--model", model, "--quiet"});
  const auto shown = nlohmann::json::parse(
      must({"explain", model, "--data", data, "--inputs", "2", "--interactions", "4", "--json", "--quiet"}).out);
  EXPECT_EQ(shown["partial_dependence"].size(), 2u);
  EXPECT_EQ(shown["interactions"].size(), 1u);
}

TEST_F(Explain, TextNamesWhatItShows) {
  const std::string model = line_model();
  const std::string text = must({"explain", model, "--data", folder_ / "line.csv", "--row", "3", "--quiet"}).out;
  for (const char* part : {"target y, 60 rows", "importance: increase of the RMSE", "partial dependence",
                           "interactions", "Shapley values of row 3, by sampling", "colour = red", "at blue"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

TEST_F(Explain, JsonAddsUpAndIsRepeatable) {
  const std::string model = line_model();
  const std::vector<std::string> arguments{"explain", model,    "--data", folder_ / "line.csv", "--row", "7", "--json",
                                           "--quiet", "--seed", "5"};
  const std::string out = must(arguments).out;
  EXPECT_EQ(out, must(arguments).out);
  const auto json = nlohmann::json::parse(out);
  double sum = 0;
  for (const auto& input : json["shapley"]["inputs"]) sum += input["shapley"].get<double>();
  EXPECT_NEAR(sum, json["shapley"]["prediction"].get<double>() - json["shapley"]["average"].get<double>(), 1e-9);
  EXPECT_EQ(json["partial_dependence"].size(), 3u);
  EXPECT_EQ(json["interactions"].size(), 3u);
  EXPECT_LT(json["interactions"][0]["strength"].get<double>(), 1e-9);
  EXPECT_EQ(json["importance"]["inputs"][0]["input"], "a");
  EXPECT_LT(std::abs(json["importance"]["inputs"][2]["increase"].get<double>()), 0.05);
}

TEST_F(Explain, WritesAPage) {
  RunOptions options;
  options.environment = {{"ALACARTE_VEGA_DIR", ""}};
  EXPECT_EQ(must({"explain", line_model(), "--data", folder_ / "line.csv", "--row", "3", "--html", folder_ / "why.html",
                  "--quiet"},
                 options)
                .out,
            "");
  const std::string page = read_file(folder_ / "why.html");
  for (const char* name : {"partial-dependence", "importance", "shapley"})
    EXPECT_TRUE(has(page, std::string("id=\"chart-") + name + "\"")) << name;
  EXPECT_TRUE(has(page, "<h1>Explanation of line.ala</h1>"));
  EXPECT_FALSE(has(page, "nan") || has(page, "inf\""));
  expect_no_leftovers();
}

TEST_F(Explain, RefusesInALine) {
  const std::string model = line_model(), data = folder_ / "line.csv";
  expect_failure(run({"explain", model, "--data", data, "--row", "61"}), 3, {"line.csv", "has no row 61"});
  expect_failure(run({"explain", model}), 1, {"--data"});
  expect_failure(run({"explain", model, "--data", data, "--repeats", "1"}), 1, {"--repeats"});
  expect_failure(run({"explain", model, "--data", data, "--vega", "x"}), 1, {"--html"});
  // Without the target, all except the importance is available.
  const std::string rows = folder_.write("new.csv", "a,colour,b\n0.1,red,52\n0.4,blue,55\n");
  EXPECT_TRUE(has(must({"explain", model, "--data", rows, "--quiet"}).out, "the rows have no target"));
}

}  // namespace
}  // namespace alacarte::test
