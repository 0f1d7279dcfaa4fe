// Rows with known noise (data.noise_sd) through the commands; scores of weighted rows in alacarte cv.
#include <fmt/format.h>

#include <cmath>

#include "program_test.hpp"

namespace alacarte::test {
namespace {

using json = nlohmann::json;

class KnownNoise : public ProgramTest {
 protected:
  /// Writes a sine with noise alternating between 0.25 and 2; `as_weights`: 1 / sd^2 in place of sd, exact here.
  std::string table(const std::string& name, double unit, bool as_weights, int first = 0, int rows = 120) const {
    std::string text = "x,s,y\n";
    for (int i = first; i < first + rows; ++i) {
      const double x = 0.05 * (i % 120), sd = i % 2 ? 2 : 0.25, error = ((i * 37) % 23 - 11) / 6.6;
      text += fmt::format("{},{},{}\n", x, as_weights ? 1 / (sd * sd) : sd * unit, unit * (std::sin(x) + sd * error));
    }
    return folder_.write(name, text);
  }
  std::string train(const std::string& name, const std::string& data, std::vector<std::string> more) const {
    std::vector<std::string> arguments{"train", recipe_, "--data", data, "--model", folder_ / name, "--quiet"};
    arguments.insert(arguments.end(), {"--threads", "1"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    must(arguments);
    return folder_ / name;
  }
  std::vector<std::vector<double>> predict(const std::string& model, const std::string& data,
                                           std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"predict", model, "--data", data, "--out", "-", "--quiet", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::vector<std::vector<double>> numbers;
    for (const auto& row : cells_of(must(arguments).out)) {
      if (numbers.empty() && row[0] == "mean") continue;
      numbers.emplace_back();
      for (const std::string& cell : row) numbers.back().push_back(std::stod(cell));
    }
    return numbers;
  }

  const std::string recipe_ = folder_.write(
      "recipe.json", R"({"model": "exact-rbf", "priors": false, "training": {"starts": 1, "iterations": 10}})");
};

TEST_F(KnownNoise, IsHeldAndAddedRowByRow) {
  const std::string data = table("known.csv", 1, false), model = train("known.ala", data, {"--noise-sd", "s"});
  const auto observed = predict(model, data), latent = predict(model, data, {"--latent"});
  ASSERT_EQ(observed.size(), 120u);
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double sd = i % 2 ? 2 : 0.25;
    EXPECT_NEAR(observed[i][1] * observed[i][1] - latent[i][1] * latent[i][1], sd * sd, 1e-9);
    EXPECT_EQ(observed[i][0], latent[i][0]);
  }
  // Weights 1 / sd^2 with noise 1 are equivalent.
  const std::string weighted = train("weighted.ala", table("weights.csv", 1, true),
                                     {"--weights", "s", "--set", "/noise/sd=1", "--set", "/noise/trained=false"});
  EXPECT_EQ(predict(weighted, data, {"--latent"}), latent);
  EXPECT_TRUE(has(must({"inspect", model}).out, "times that of the row, which is known"));
}

// The floor of learned noise (noise.floor) must not affect known noise, in any unit.
TEST_F(KnownNoise, IsInTheUnitOfTheTarget) {
  const std::string data = table("one.csv", 1, false), other = table("unit.csv", 1e6, false);
  const auto one = predict(train("one.ala", data, {"--noise-sd", "s"}), data);
  const auto unit = predict(train("unit.ala", other, {"--noise-sd", "s"}), other);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_NEAR(unit[i][0], 1e6 * one[i][0], 1);
    EXPECT_NEAR(unit[i][1], 1e6 * one[i][1], 1);
  }
  train("hand.ala", other, {"--ignore", "s", "--set", "/noise/sd=50", "--set", "/noise/trained=false"});
  const json inspected = json::parse(must({"inspect", folder_ / "hand.ala", "--json"}).out);
  EXPECT_NEAR(inspected["fits"][0]["noise_sd"].get<double>(), 50, 1e-6);
}

// With noise.sd, a factor of the known noise is learned: here the file states half of the truth.
TEST_F(KnownNoise, MayBeRightUpToAFactor) {
  std::string text = "x,s,y\n";
  for (const auto& row : cells_of(read_file(table("known.csv", 1, false))))
    if (row[0] != "x") text += fmt::format("{},{},{}\n", row[0], std::stod(row[1]) / 2, row[2]);
  const std::string model =
      train("factor.ala", folder_.write("half.csv", text), {"--noise-sd", "s", "--set", "/noise/sd=1"});
  const json inspected = json::parse(must({"inspect", model, "--json"}).out);
  EXPECT_NEAR(inspected["fits"][0]["noise_sd"].get<double>(), 2, 0.4);
}

TEST_F(KnownNoise, GoesThroughRowsFilesScoresUpdatesAndFolds) {
  const std::string data = table("known.csv", 1, false), more = table("more.csv", 1, false, 120, 60);
  const std::string model = train("known.ala", data, {"--noise-sd", "s"}), rows = folder_ / "known.rows";
  must({"convert", data, "--noise-sd", "s", "--out", rows, "--quiet"});
  const std::string again = train("again.ala", rows, {});
  EXPECT_EQ(predict(again, rows), predict(model, data));
  const json scores = json::parse(must({"evaluate", model, "--data", more, "--quiet"}).out);
  EXPECT_GT(scores["coverage"]["95"], 0.85);
  EXPECT_LT(scores["coverage"]["50"], 0.75) << "each row by its own noise";
  must({"update", model, "--data", more, "--out", folder_ / "updated.ala", "--quiet"});
  EXPECT_LT(predict(folder_ / "updated.ala", data, {"--latent"})[0][1], predict(model, data, {"--latent"})[0][1]);
  const json folds = json::parse(
      must({"cv", recipe_, "--data", data, "--noise-sd", "s", "--folds", "3", "--json", "--quiet", "--jobs", "1"}).out);
  EXPECT_TRUE(has(folds.dump(), "nlpd"));
}

TEST_F(KnownNoise, RefusesInOneLine) {
  const std::string data = table("known.csv", 1, false), model = train("known.ala", data, {"--noise-sd", "s"});
  const std::string bare = folder_.write("bare.csv", "x,y\n1,2\n2,3\n");
  const auto refused = [&](std::vector<std::string> more, int code, const std::vector<std::string>& parts,
                           const std::string& file = "known.csv") {
    std::vector<std::string> arguments{"train", recipe_, "--data", folder_ / file, "--model", folder_ / "x", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_failure(run(arguments), code, parts);
  };
  folder_.write("zero.csv", "x,s,y\n1,1,1\n2,0,2\n3,1,1\n");
  folder_.write("gap.csv", "x,s,y\n1,1,1\n2,,2\n3,1,1\n");
  refused({"--noise-sd", "s"}, 3, {"zero.csv: row 3, column 2: 's' is a noise of 0", "above 0"}, "zero.csv");
  refused({"--noise-sd", "s", "--strict"}, 3, {"gap.csv: row 3, column 2: 's' is missing and is the known noise"},
          "gap.csv");
  folder_.write("large.csv", "x,s,y\n1,1,1\n2,1e200,2\n3,1e-200,1\n");
  refused({"--noise-sd", "s"}, 3, {"large.csv: row 3, column 2: 's' is a noise of 1e", "range of a double"},
          "large.csv");
  refused({"--noise-sd", "t"}, 2, {"/data/noise_sd", "no column 't'"});
  refused({"--noise-sd", "s", "--weights", "x"}, 2, {"/data/noise_sd", "not both"});
  refused({"--noise-sd", "s", "--set", "/likelihood=student-t"}, 2, {"/data/noise_sd", "student-t"});
  refused({"--noise-sd", "s", "--set", "/noise/varies=true"}, 2, {"/noise/varies", "data.noise_sd"});
  refused({"--noise-sd", "s", "--target", "x,y"}, 2, {"/data/noise_sd", "several"});
  const std::string both = "/targets=independent";
  refused({"--noise-sd", "s", "--target", "x,y", "--set", both}, 2, {"/data/noise_sd", "several"});
  refused({"--target", "x,y", "--set", both, "--set", "/noise/sd=1"}, 2, {"/noise/sd", "several"});
  const std::string out = folder_ / "out.csv";
  expect_failure(run({"predict", model, "--data", bare, "--out", out, "--quiet"}), 3, {"bare.csv", "'s'", "--latent"});
  must({"predict", model, "--data", bare, "--out", out, "--quiet", "--latent"});
  must({"predict", model, "--data", folder_ / "gap.csv", "--out", out, "--quiet", "--latent"});
  EXPECT_EQ(lines_of(read_file(out)).size(), 4u);
  expect_failure(run({"predict", model, "--data", data, "--out", out, "--covariance", folder_ / "c.npy", "--quiet"}), 2,
                 {"--covariance", "--latent"});
  expect_failure(run({"evaluate", model, "--data", bare, "--quiet"}), 3, {"bare.csv", "'s'", "known noise"});
  expect_failure(run({"update", model, "--data", bare, "--out", folder_ / "u.ala", "--quiet"}), 3, {"bare.csv", "'s'"});
}

// Half of the rows are wrong and have weight 0: fold scores follow the others, as in evaluate.
TEST_F(KnownNoise, FoldsAreScoredByTheWeightsOfRows) {
  std::string text = "x,w,y\n";
  for (int i = 0; i < 120; ++i)
    text += fmt::format("{},{},{}\n", 0.05 * i, i % 2 ? 1e-9 : 1.0, std::sin(0.05 * i) + (i % 2 ? 50 : 0));
  const std::string data = folder_.write("half.csv", text);
  const auto rmse = [&](const std::string& recipe) {
    const json all = json::parse(
        must({"cv", recipe, "--data", data, "--weights", "w", "--folds", "3", "--json", "--quiet", "--jobs", "1"}).out);
    return all["methods"][0]["scores"]["rmse"]["mean"].get<double>();
  };
  EXPECT_LT(rmse(recipe_), 0.1);
  EXPECT_GT(rmse("mean"), 10) << "baselines learn without weights";
  const std::string model = train("weighted.ala", data, {"--weights", "w"});
  const std::string bare = folder_.write("bare.csv", "x,y\n1,2\n2,3\n");
  expect_failure(run({"update", model, "--data", bare, "--out", folder_ / "u.ala", "--quiet"}), 3,
                 {"bare.csv", "'w'", "weights of rows"});
}

TEST_F(KnownNoise, UpdatedModelsCanBeRead) {
  const std::string data = table("known.csv", 1, false), out = folder_ / "updated.ala";
  const std::string uneven =
      train("uneven.ala", data, {"--ignore", "s", "--set", "/noise/varies=true", "--set", "/training/iterations=3"});
  must({"update", uneven, "--data", data, "--out", out, "--quiet"});
  EXPECT_EQ(predict(out, data).size(), 120u);
  const std::string sure = train("sure.ala", data, {"--ignore", "s", "--calibrate", "conformal"});
  expect_failure(run({"update", sure, "--data", data, "--out", out, "--quiet"}), 2,
                 {"sure.ala", "calibrated", "--from"});
}

// Wrong models, gaps and words are rejected and named.
TEST_F(KnownNoise, MistakesAreNamed) {
  const std::string data = table("known.csv", 1, false), model = train("m.ala", data, {});
  for (const std::string command : {"train", "cv", "check"}) {
    std::vector<std::string> arguments{command, model, "--data", data, "--quiet"};
    if (command == "train") arguments.insert(arguments.end(), {"--model", folder_ / "x"});
    expect_failure(run(arguments), 2, {"m.ala", "is a model file", "--from"});
  }
  EXPECT_TRUE(has(must({"inspect", model}).out, "how fast the function may change"));
}

TEST_F(KnownNoise, CommandsOfOneTargetSayWhichFileHasSeveral) {
  const std::string data = table("known.csv", 1, false), model = train("both.ala", data, {"--target", "s,y"});
  for (const std::string command : {"explain", "export"}) {
    std::vector<std::string> arguments{command, model, "--quiet"};
    if (command == "explain") arguments.insert(arguments.end(), {"--data", data});
    if (command == "export") arguments.insert(arguments.end(), {"--c", folder_ / "m.c"});
    expect_failure(run(arguments), 2, {"both.ala", "several targets (s, y)", "--target s"});
  }
  expect_failure(run({"train", "--from", model, "--data", data, "--model", folder_ / "x", "--quiet"}), 2,
                 {"both.ala", "several targets"});
  expect_failure(run({"cv", recipe_, "--data", data, "--target", "s,y", "--quiet"}), 2, {"--target", "one target"});
}

}  // namespace
}  // namespace alacarte::test
