// A column of many levels through the commands: random effects in training, reports, predictions and pages.
#include <cmath>
#include <fstream>
#include <random>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

class LevelsOfTables : public ProgramTest {
 protected:
  /// Writes 240 rows of 30 subjects, whose names begin with `subject`.
  std::string table(const std::string& name, const std::string& subject) const {
    std::ofstream file(folder_ / name);
    file << "x,subject,y\n";
    for (int i = 0; i < 240; ++i) {
      const int level = (7 * i) % 30;
      const double x = 0.05 * ((13 * i) % 41) - 1, effect = std::sin(5.0 * level), error = 0.2 * std::sin(77.0 * i);
      file << x << ',' << subject << level << ',' << x + effect + error << '\n';
    }
    return folder_ / name;
  }

  std::string model(const std::string& recipe) const {
    std::string path = folder_ / (recipe + ".ala");
    must({"train", recipe, "--data", table("train.csv", "s"), "--target", "y", "--model", path, "--set",
          recipe == "ard" ? "/features/frequencies=16" : "/training/iterations=30"});
    return path;
  }
};

TEST_F(LevelsOfTables, CommandsTellTheEffectFromTheOtherInputs) {
  for (const std::string recipe : {"exact-ard", "ard"}) {
    const std::string path = model(recipe);
    const std::string text = must({"inspect", path}).out;
    EXPECT_TRUE(has(text, "subject: 30 levels, sd ")) << text;
    must({"inspect", path, "--html", folder_ / "page.html"});
    EXPECT_TRUE(has(read_file(folder_ / "page.html"), "<th scope=\"row\">x</th>"));
    const auto scores = [&](const std::string& data) {
      return nlohmann::json::parse(must({"evaluate", path, "--data", data}).out);
    };
    const nlohmann::json known = scores(folder_ / "train.csv"), unknown = scores(table("new.csv", "other"));
    EXPECT_LT(known["rmse"], 0.2);
    EXPECT_GT(unknown["rmse"], 0.5);
    EXPECT_GE(unknown["coverage"]["95"], 0.9) << "the effect of an unknown subject is in the intervals";
    must({"explain", path, "--data", folder_ / "train.csv"});
    const RunResult refused = run({"export", path, "--c", folder_ / "mean.c"});
    EXPECT_NE(refused.code, 0);
    EXPECT_TRUE(has(refused.err, "random effects of levels")) << refused.err;
  }
}

TEST_F(LevelsOfTables, IntervalsHoldRowsOfUnknownSubjects) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const auto table_of = [&](const std::string& name, int first, int subjects, int rows) {
    std::ofstream file(folder_ / name);
    file << "x,subject,y\n";
    for (int k = 0; k < subjects; ++k) {
      const double effect = normal(random);
      for (int i = 0; i < rows; ++i) {
        const double x = normal(random);
        file << x << ",s" << first + k << ',' << std::sin(x) + effect + 0.3 * normal(random) << '\n';
      }
    }
    return folder_ / name;
  };
  const std::string train = table_of("train.csv", 0, 60, 8), rows = table_of("new.csv", 1000, 400, 1);
  for (const std::string recipe : {"exact-ard", "ard"}) {
    const std::string path = folder_ / (recipe + ".ala");
    must({"train", recipe, "--data", train, "--model", path, "--set", "/training/iterations=30"});
    const auto scores = nlohmann::json::parse(must({"evaluate", path, "--data", rows}).out);
    EXPECT_GE(scores["coverage"]["95"], 0.9) << recipe;
    EXPECT_LE(scores["coverage"]["95"], 0.99) << recipe;
  }
}

TEST_F(LevelsOfTables, LevelsMayBeTheOnlyInput) {
  std::string train = "subject,y\n";
  for (int i = 0; i < 240; ++i)
    train +=
        "s" + std::to_string(i % 30) + "," + std::to_string(std::sin(5.0 * (i % 30)) + 0.2 * std::sin(77.0 * i)) + "\n";
  const std::string table = folder_.write("train.csv", train);
  const std::string rows = folder_.write("new.csv", "subject\ns3\nother\n");
  for (const std::string recipe : {"exact-ard", "ard", "linear"}) {
    const std::string path = folder_ / (recipe + ".ala");
    must({"train", recipe, "--data", table, "--model", path, "--set", "/training/iterations=30"});
    const auto cells = cells_of(must({"predict", path, "--data", rows, "--out", "-"}).out);
    ASSERT_EQ(cells.size(), 3u);
    EXPECT_NEAR(std::stod(cells[1][0]), std::sin(15.0), 0.2) << recipe;
    EXPECT_LT(std::stod(cells[1][1]), 0.3) << recipe;
    EXPECT_GT(std::stod(cells[2][1]), 0.6) << recipe << ": the effect of an unknown subject";
  }
}

}  // namespace
}  // namespace alacarte::test
