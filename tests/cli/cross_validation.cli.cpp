// alacarte cv and compare, and experiments on user tables.
#include <cmath>
#include <filesystem>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class CrossValidation : public ProgramTest {
 protected:
  CrossValidation() : recipe_(quick_recipe()), data_(friedman(90, 1, "rows.csv")) {}

  Json scores(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"cv", recipe_, "--data", data_, "--json", "--quiet", "--jobs", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Json::parse(must(arguments).out);
  }

  std::string recipe_, data_;
};

TEST_F(CrossValidation, FoldsAreTrainAndEvaluateOfThatFold) {
  const std::string predictions = folder_ / "out-of-fold.csv";
  const Json result = scores({"--folds", "3", "--seed", "4", "--predictions", predictions});
  EXPECT_EQ(result["rows"], 90);
  EXPECT_EQ(result["inputs"], 10);
  const Json& rmse = result["methods"][0]["scores"]["rmse"];
  ASSERT_EQ(rmse["folds"].size(), 3u);
  double sum = 0, squares = 0;
  for (int k = 0; k < 3; ++k) {
    const std::string model = folder_ / "fold.model";
    must({"train", recipe_, "--data", data_, "--folds", "3", "--fold", std::to_string(k), "--seed", "4", "--threads",
          "1", "--model", model, "--quiet"});
    const Json own =
        Json::parse(must({"evaluate", model, "--data", data_, "--held-out", "--threads", "1", "--quiet"}).out);
    EXPECT_EQ(rmse["folds"][static_cast<std::size_t>(k)], own["rmse"]) << k;
    EXPECT_EQ(result["methods"][0]["scores"]["nlpd"]["folds"][static_cast<std::size_t>(k)], own["nlpd"]) << k;
    sum += own["rmse"].get<double>();
    squares += own["rmse"].get<double>() * own["rmse"].get<double>();
  }
  EXPECT_NEAR(rmse["mean"].get<double>(), sum / 3, 1e-12);
  EXPECT_NEAR(rmse["standard_error"].get<double>(), std::sqrt((squares - sum * sum / 3) / 2 / 3), 1e-9);

  const auto table = cells_of(read_file(predictions));
  ASSERT_EQ(table.size(), 91u);
  EXPECT_EQ(table[0], (std::vector<std::string>{"row", "fold", "target", "mean", "sd_observation", "lower_observation",
                                                "upper_observation"}));
  double squared[3] = {}, count[3] = {};
  const auto rows = cells_of(read_file(data_));
  for (std::size_t i = 1; i < table.size(); ++i) {
    EXPECT_EQ(table[i][0], std::to_string(i));
    EXPECT_EQ(std::stod(table[i][2]), std::stod(rows[i].back()));
    const std::size_t fold = std::stoul(table[i][1]);
    ASSERT_LT(fold, 3u);
    squared[fold] += std::pow(std::stod(table[i][2]) - std::stod(table[i][3]), 2);
    ++count[fold];
  }
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(std::sqrt(squared[k] / count[k]), rmse["folds"][k].get<double>(), 1e-9);
}

TEST_F(CrossValidation, GoesOnWhereItStopped) {
  const std::string out = folder_ / "kept";
  const Json first = scores({"--folds", "3", "--out", out});
  fs::remove(out + "/results/rows." + "quick.f1.s0.json");
  std::map<std::string, fs::file_time_type> before;
  for (const auto& file : fs::directory_iterator(out + "/results")) before[file.path()] = file.last_write_time();
  fs::remove_all(out + "/logs");
  EXPECT_EQ(scores({"--folds", "3", "--out", out})["methods"][0]["scores"]["rmse"],
            first["methods"][0]["scores"]["rmse"]);
  for (const auto& [file, time] : before) EXPECT_EQ(fs::last_write_time(file), time) << file;
  // Results without predictions are recomputed if predictions are requested.
  scores({"--folds", "3", "--out", out, "--predictions", folder_ / "p.csv"});
  EXPECT_EQ(lines_of(read_file(folder_ / "p.csv")).size(), 91u);
  must({"report", out, "--format", "md", "--quiet"});
}

TEST_F(CrossValidation, PredictionsAreThoseOfTheSettings) {
  const std::string out = folder_ / "kept", first = folder_ / "p1.csv", second = folder_ / "p2.csv";
  const std::vector<std::string> loud = {"--set", "/noise/sd=50", "--set", "/noise/trained=false"};
  scores({"--folds", "3", "--out", out, "--predictions", first});
  std::vector<std::string> changed = {"--folds", "3", "--out", out};
  changed.insert(changed.end(), loud.begin(), loud.end());
  scores(changed);
  changed.insert(changed.end(), {"--predictions", second});
  scores(changed);
  EXPECT_GT(std::stod(cells_of(read_file(second)).at(1).at(4)), 10);
  EXPECT_LT(std::stod(cells_of(read_file(first)).at(1).at(4)), 10);
  // A folder rejects folds of another partition.
  expect_failure(run({"cv", recipe_, "--data", data_, "--folds", "4", "--out", out, "--quiet"}), 2,
                 {"--out", "another experiment", "3 folds"});
}

TEST_F(CrossValidation, ClassesMayHaveLineBreaks) {
  std::string rows = "x,kind\n";
  for (int i = 0; i < 30; ++i) rows += std::to_string(i) + (i % 2 == 0 ? ",\"hot\nside\"\n" : ",cold\n");
  const std::string predictions = folder_ / "p.csv", data = folder_.write("kinds.csv", rows);
  must({"cv", "linear", "--data", data, "--folds", "3", "--set", "/likelihood=\"logit\"", "--predictions", predictions,
        "--quiet"});
  const std::string text = read_file(predictions);
  EXPECT_TRUE(has(text, "row,fold,target,label,p(cold),\"p(hot\nside)\"\n1,")) << text.substr(0, 200);
  EXPECT_TRUE(has(text, ",\"hot\nside\",")) << text.substr(0, 200);
}

TEST_F(CrossValidation, WritesOverNoneOfItsFiles) {
  const std::string before = read_file(recipe_);
  expect_failure(run({"cv", recipe_, "--data", data_, "--folds", "3", "--predictions", recipe_}), 1, {"written over"});
  EXPECT_EQ(read_file(recipe_), before);
}

TEST_F(CrossValidation, ComparesOnTheSameFolds) {
  const std::vector<std::string> arguments = {"compare", recipe_,   "linear", "mean",   "--data",
                                              data_,     "--folds", "4",      "--quiet"};
  const std::string text = must(arguments).out;
  EXPECT_TRUE(has(text, "rows: 90 rows, 10 inputs, 4 folds")) << text;
  EXPECT_TRUE(has(text, "*")) << text;
  auto with_json = arguments;
  with_json.push_back("--json");
  const Json all = Json::parse(must(with_json).out);
  ASSERT_EQ(all["methods"].size(), 3u);
  int best = 0;
  for (const Json& method : all["methods"]) {
    const Json& rmse = method["scores"]["rmse"];
    best += rmse["best"].get<bool>();
    EXPECT_EQ(rmse["best"].get<bool>(), rmse["p_value"].is_null());
  }
  EXPECT_EQ(best, 1);
  const Json& mean = all["methods"][2];
  EXPECT_EQ(mean["recipe"], "mean");
  EXPECT_LT(mean["scores"]["rmse"]["p_value"].get<double>(), 0.05);
  EXPECT_EQ(all["methods"][0]["scores"]["rmse"]["folds"],
            scores({"--folds", "4"})["methods"][0]["scores"]["rmse"]["folds"]);
}

TEST_F(CrossValidation, OfClassesAndCounts) {
  std::string classes = "a,b,kind\n", counts = "a,b,n\n";
  for (int i = 0; i < 60; ++i) {
    const int x = i % 10, z = (7 * i) % 11;
    classes += std::to_string(x) + "," + std::to_string(z) + (x < 5 ? ",low\n" : ",high\n");
    counts += std::to_string(x) + "," + std::to_string(z) + "," + std::to_string(x / 2) + "\n";
  }
  const std::string predictions = folder_ / "p.csv";
  const std::vector<std::string> small = {"--set",         "/features/frequencies=16",
                                          "--set",         "/training/iterations=5",
                                          "--folds",       "3",
                                          "--json",        "--quiet",
                                          "--predictions", predictions};
  std::vector<std::string> arguments = {"cv", "classify-two", "--data", folder_.write("classes.csv", classes)};
  arguments.insert(arguments.end(), small.begin(), small.end());
  const Json accuracy = Json::parse(must(arguments).out)["methods"][0]["scores"]["accuracy"];
  EXPECT_GT(accuracy["mean"].get<double>(), 0.8);
  const auto table = cells_of(read_file(predictions));
  ASSERT_EQ(table.size(), 61u);
  EXPECT_EQ(table[0], (std::vector<std::string>{"row", "fold", "target", "label", "p(high)", "p(low)"}));
  EXPECT_EQ(table[1][2], "low");
  arguments[1] = "counts";
  arguments[3] = folder_.write("counts.csv", counts);
  EXPECT_TRUE(Json::parse(must(arguments).out)["methods"][0]["scores"].contains("nlpd"));
}

TEST_F(CrossValidation, BadInputIsOneLine) {
  const auto cv = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"cv", recipe_, "--data", data_, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  expect_failure(cv({"--target", "price"}), 2, {"/data/target", "price"});
  expect_failure(cv({"--folds", "91"}), 2, {"--folds", "91 folds of 90 rows"});
  expect_failure(cv({"--folds", "3", "--mask", data_}), 1, {"--mask", "--folds"});
  expect_failure(cv({"--set", "/features/frequencis=3"}), 2, {"frequencis", "frequencies"});
  expect_failure(cv({"--predictions", data_}), 1, {"rows.csv"});
  expect_failure(cv({"--mask", folder_.write("mask.csv", "0\n1\n")}), 3, {"mask.csv", "the mask has 2 rows"});
  expect_failure(run({"cv", "gmm", "--data", data_, "--quiet"}), 4, {"gmm", "gm"});
  expect_failure(run({"cv", "gm", "--data", "-", "--quiet"}), 1, {"--data needs a file"});
  must({"convert", data_, "--out", folder_ / "rows.rows", "--quiet"});
  expect_failure(run({"cv", "gm", "--data", folder_ / "rows.rows", "--quiet"}), 3, {"rows.rows: is a rows file"});
  expect_failure(run({"cv", "gm", "--data", folder_ / "row*.csv", "--quiet"}), 1, {"--data takes one table"});
  expect_failure(run({"cv", "gm", "--data", folder_.write("text.csv", "a,y\n1,2\nx,3\n4,5\n"), "--quiet", "--strict"}),
                 3, {"text.csv: row 3", "'x' is not a number"});
  expect_failure(run({"compare", "gm", "gm", "--data", data_, "--quiet"}), 2, {"/recipes", "twice"});
}

class OwnTableExperiment : public ProgramTest {
 protected:
  RunResult run_on(const std::string& table) {
    folder_.write(
        "own.json",
        R"({"name": "own", "recipes": [{"recipe": "quick.json"}, {"baseline": "mean"}], "datasets": [)" + table + "]}");
    return run({"run", folder_ / "own.json", "--out", folder_ / "out", "--jobs", "1"});
  }
};

TEST_F(OwnTableExperiment, TakesAPathAndTheDataSectionOfRecipes) {
  quick_recipe();
  std::string rows = "id,x,colour,y,spare\n", mask;
  for (int i = 0; i < 30; ++i) {
    rows += std::to_string(i) + "," + std::to_string((7 * i) % 13) + (i % 2 == 0 ? ",red," : ",blue,") +
            std::to_string(i % 5) + (i == 4 ? ",\n" : ",1." + std::to_string(i % 7) + "\n");
    mask += i % 3 == 0 ? "1,0\n" : "0,1\n";
  }
  folder_.write("houses.csv", rows);
  folder_.write("folds.csv", mask);
  const std::string section = R"("data": {"target": "y", "ignore": ["id"], "missing": "mean"})";
  const RunResult first = run_on(R"({"file": "houses.csv", "folds": 3, )" + section + "}");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(has(first.err, "6 of 6 units done")) << first.err;
  const Json result = Json::parse(read_file(folder_ / "out/results/houses.quick-json.f0.s0.json"));
  EXPECT_EQ(result["data"]["inputs"], 4);  // x, two colours, spare
  EXPECT_EQ(result["recipe"]["data"]["missing"], "mean");
  EXPECT_EQ(Json::parse(read_file(folder_ / "out/results/houses.mean.f0.s0.json"))["data"]["inputs"], 4);
  EXPECT_TRUE(has(run_on(R"({"file": "houses.csv", "folds": 3, )" + section + "}").err, "0 run now"));
  const RunResult masked = run_on(R"({"name": "m", "file": "houses.csv", "mask": "folds.csv", )" + section + "}");
  EXPECT_TRUE(has(masked.err, "4 of 4 units done")) << masked.err;
}

TEST_F(OwnTableExperiment, AnInputOfOneValueHasNoRelevance) {
  quick_recipe();
  std::string rows = "x,one,y\n";
  for (int i = 0; i < 30; ++i) rows += std::to_string((7 * i) % 13) + ",1," + std::to_string((3 * i) % 7) + "\n";
  folder_.write("flat.csv", rows);
  EXPECT_EQ(run_on(R"({"file": "flat.csv", "folds": 3, "data": {"strict": true}})").code, 0);
  const Json result = Json::parse(read_file(folder_ / "out/results/flat.quick-json.f0.s0.json"));
  const Json& relevance = result["training"]["fits"][0]["relevance"];
  EXPECT_GT(relevance[0].get<double>(), 0);
  EXPECT_EQ(relevance[1], 0);
}

TEST_F(OwnTableExperiment, RefusalsAreOneLine) {
  quick_recipe();
  folder_.write("houses.csv", "a,y\n1,2\n2,3\n4,5\n");
  const auto refused = [&](const std::string& table, int code, const std::vector<std::string>& parts) {
    expect_failure(run_on(table), code, parts);
  };
  refused(R"({"file": "hauses.csv"})", 4, {"hauses.csv"});
  expect_failure(run({"cv", "mean", "--data", folder_ / "houses.csv", "--seed", "9223372036854775808", "--quiet"}), 2,
                 {"/seeds", "9223372036854775807"});
  refused(R"({"path": "houses.csv"})", 2, {"/datasets/0", "\"file\""});
  refused(R"({"file": "houses.csv", "folds": 1})", 2, {"/datasets/0/folds", "2"});
  refused(R"({"file": "houses.csv", "folds": 2, "mask": "m.csv"})", 2, {"/datasets/0/folds", "mask"});
  refused(R"({"file": "houses.csv", "data": {"taget": "y"}})", 2, {"/datasets/0/data", "taget", "target"});
  refused(R"(17)", 2, {"/datasets/0", "catalogue", "file"});
}

}  // namespace
}  // namespace alacarte::test
