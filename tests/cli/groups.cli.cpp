// Splits by groups (--group) and in time (--time), through every command that splits rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "program_test.hpp"

namespace alacarte::test {
namespace {

using Json = nlohmann::json;

class Groups : public ProgramTest {
 protected:
  /// Writes ten rows of each of 40 subjects, in no order, whose effects are ten times as large as the noise.
  std::string subjects(const std::string& name, unsigned seed, const std::string& prefix) const {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<std::string> lines;
    for (int subject = 0; subject < 40; ++subject) {
      const double effect = 3 * normal(random);
      for (int row = 0; row < 10; ++row) {
        const double x = normal(random);
        lines.push_back(fmt::format("{}{:02},{},{}\n", prefix, subject, x, x + effect + 0.3 * normal(random)));
      }
    }
    std::shuffle(lines.begin(), lines.end(), random);
    std::string text = "subject,x,y\n";
    for (const std::string& line : lines) text += line;
    return folder_.write(name, text);
  }
  /// Returns arguments with the options that make the subject an input.
  static std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    const bool is_left_out = std::find(more.begin(), more.end(), "--ignore") != more.end();
    const bool has_none = std::find(more.begin(), more.end(), "--dates") != more.end();
    if (!is_left_out && !has_none) arguments.insert(arguments.end(), {"--categorical", "subject", "--unseen", "zero"});
    return arguments;
  }
  Json cv(const std::string& data, const std::vector<std::string>& more) const {
    const std::vector<std::string> arguments{"cv", recipe_, "--data", data, "--json", "--quiet", "--jobs", "1"};
    return Json::parse(must(with(arguments, more)).out)["methods"][0]["scores"];
  }
  std::string train(const std::string& data, const std::vector<std::string>& more) const {
    const std::vector<std::string> arguments{"train",           recipe_,     "--data", data,     "--model",
                                             folder_ / "m.ala", "--threads", "1",      "--quiet"};
    must(with(arguments, more));
    return folder_ / "m.ala";
  }
  Json evaluate(const std::string& model, const std::string& data, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"evaluate", model, "--data", data, "--threads", "1", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Json::parse(must(arguments).out);
  }

  const std::string recipe_ = folder_.write("linear.json", R"({"model": "linear"})");
};

TEST_F(Groups, TellTheErrorOnNewSubjects) {
  const std::string data = subjects("s.csv", 1, "s"), others = subjects("t.csv", 2, "t");
  const double random = cv(data, {"--folds", "5"})["rmse"]["mean"];
  const double grouped = cv(data, {"--folds", "5", "--group", "subject"})["rmse"]["mean"];
  const double on_others = evaluate(train(data, {"--group", "subject"}), others)["rmse"];
  EXPECT_LT(random, 0.5);
  EXPECT_GT(grouped, 5 * random);
  EXPECT_NEAR(grouped / on_others, 1, 0.25);
  // The scores of the training rows say so too, and the groups are those even if they are no input.
  const auto left_out = [&](std::vector<std::string> more) {
    const std::string model = train(data, std::move(more));
    return Json::parse(must({"inspect", model, "--json"}).out)["training"]["leave_one_out"]["rmse"].get<double>();
  };
  EXPECT_LT(left_out({}), 0.5);
  EXPECT_NEAR(left_out({"--group", "subject"}) / on_others, 1, 0.25);
  EXPECT_NEAR(left_out({"--group", "subject", "--ignore", "subject"}) / on_others, 1, 0.25);
}

TEST_F(Groups, AreHeldOutWhole) {
  const std::string data = subjects("s.csv", 3, "s");
  const auto rows = cells_of(read_file(data));
  const std::string predictions = folder_ / "out-of-fold.csv";
  const Json scores = cv(data, {"--folds", "4", "--group", "subject", "--predictions", predictions, "--seed", "3"});
  std::map<std::string, std::set<std::string>> folds;
  const auto table = cells_of(read_file(predictions));
  ASSERT_EQ(table.size(), 401u);
  for (std::size_t i = 1; i < table.size(); ++i) folds[rows[std::stoul(table[i][0])][0]].insert(table[i][1]);
  EXPECT_EQ(folds.size(), 40u);
  for (const auto& [subject, own] : folds) EXPECT_EQ(own.size(), 1u) << subject;
  // Evaluation finds the rows of a fold and of a share again.
  for (int fold = 0; fold < 4; ++fold) {
    const std::string model =
        train(data, {"--folds", "4", "--fold", std::to_string(fold), "--group", "subject", "--seed", "3"});
    const Json own = evaluate(model, data, {"--held-out"});
    EXPECT_EQ(own["n"], 100);
    EXPECT_EQ(own["rmse"], scores["rmse"]["folds"][static_cast<std::size_t>(fold)]);
  }
  const std::string model = train(data, {"--holdout", "0.25", "--group", "subject"});
  const Json inspected = Json::parse(must({"inspect", model, "--json"}).out);
  EXPECT_EQ(inspected["training"]["held_out"]["group"], "subject");
  EXPECT_EQ(inspected["training"]["rows"], 300);
  EXPECT_EQ(evaluate(model, data, {"--held-out"})["n"], 100);
  EXPECT_GT(evaluate(model, data, {"--held-out"})["rmse"].get<double>(), 1.5);
}

TEST_F(Groups, CalibrateIntervalsForNewSubjects) {
  // Each subject is at a place of its own; the kernel, given by hand, takes their effects for three times as small.
  const auto at_places = [&](const std::string& name, unsigned seed, int shift) {
    std::string text = "place,x,y\n";
    const auto rows = cells_of(read_file(subjects(name, seed, "s")));
    for (std::size_t i = 1; i < rows.size(); ++i)
      text += fmt::format("{},{},{}\n", 10 * std::stoi(rows[i][0].substr(1)) + shift, rows[i][1], rows[i][2]);
    return folder_.write(name, text);
  };
  const std::string data = at_places("s.csv", 4, 0), others = at_places("t.csv", 5, 5);
  const std::string recipe = folder_.write("given.json", R"({"model": "exact-rbf", "priors": false,
      "scale": {"inputs": "none", "target": "none"},
      "kernel": {"lengthscale": [1], "amplitude": 1, "trained": false},
      "noise": {"sd": 0.3, "trained": false, "prior_center": "fixed"}, "training": {"starts": 1, "iterations": 0},
      "calibration": {"kind": "conformal", "share": 0.4}})");
  const auto coverage = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"train", recipe, "--data", data, "--model", folder_ / "m.ala", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    must(arguments);
    return evaluate(folder_ / "m.ala", others)["conformal"]["95"]["coverage"].get<double>();
  };
  EXPECT_LT(coverage({}), 0.75);
  EXPECT_GT(coverage({"--group", "place"}), 0.85);
}

TEST_F(Groups, AreKeysOfExperimentsAndCompare) {
  const std::string data = subjects("s.csv", 6, "s");
  const Json options = {{"group", "subject"}, {"categorical", {"subject"}}, {"unseen", "zero"}};
  const Json experiment = {{"name", "grouped"},
                           {"datasets", {{{"file", data}, {"folds", 4}, {"data", options}}}},
                           {"recipes", {{{"label", "linear"}, {"recipe", recipe_}}}},
                           {"seeds", {0}}};
  must({"run", folder_.write("e.json", experiment.dump()), "--out", folder_ / "runs", "--jobs", "1", "--quiet"});
  const Json compared = Json::parse(must(with({"compare", recipe_, "mean", "--data", data, "--folds", "4", "--group",
                                               "subject", "--json", "--quiet", "--jobs", "1"},
                                              {}))
                                        .out);
  const Json& folds = compared["methods"][0]["scores"]["rmse"]["folds"];
  EXPECT_EQ(folds, cv(data, {"--folds", "4", "--group", "subject"})["rmse"]["folds"]);
  must({"report", folder_ / "runs", "--format", "csv", "--quiet"});
  const std::string report = read_file(folder_ / "runs/report.csv");
  double sum = 0;
  for (const Json& fold : folds) sum += fold.get<double>();
  EXPECT_TRUE(has(report, fmt::format("{:.17g}", sum / 4).substr(0, 10))) << report;
}

class Times : public Groups {
 protected:
  /// Writes 200 days in no order of a walk.
  std::string walk() const {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    std::vector<std::string> lines;
    double level = 0;
    for (int day = 0; day < 200; ++day) {
      level += normal(random);
      lines.push_back(fmt::format("2023-{:02}-{:02},{},{}\n", 1 + day / 28, 1 + day % 28, normal(random), level));
    }
    std::shuffle(lines.begin(), lines.end(), random);
    std::string text = "day,x,y\n";
    for (const std::string& line : lines) text += line;
    return folder_.write("walk.csv", text);
  }
};

TEST_F(Times, TrainOnThePast) {
  const std::string data = walk(), predictions = folder_ / "out-of-fold.csv";
  const auto rows = cells_of(read_file(data));
  const std::vector<std::string> options{"--time", "day", "--dates", "day"};
  std::vector<std::string> of_cv = options;
  of_cv.insert(of_cv.end(), {"--folds", "4", "--predictions", predictions});
  const Json scores = cv(data, of_cv);
  std::map<std::string, std::pair<std::string, std::string>> windows;
  const auto table = cells_of(read_file(predictions));
  ASSERT_EQ(table.size(), 161u);  // the first of five parts is never tested
  for (std::size_t i = 1; i < table.size(); ++i) {
    const std::string& day = rows[std::stoul(table[i][0])][0];
    auto& window = windows.emplace(table[i][1], std::pair{day, day}).first->second;
    window = {std::min(window.first, day), std::max(window.second, day)};
  }
  ASSERT_EQ(windows.size(), 4u);
  for (auto next = std::next(windows.begin()); next != windows.end(); ++next)
    EXPECT_LT(std::prev(next)->second.second, next->second.first);
  for (int fold = 0; fold < 4; ++fold) {
    std::vector<std::string> own = options;
    own.insert(own.end(), {"--folds", "4", "--fold", std::to_string(fold)});
    const std::string model = train(data, own);
    const Json inspected = Json::parse(must({"inspect", model, "--json"}).out);
    EXPECT_EQ(inspected["training"]["rows"], 40 * (fold + 1));  // the past, not all but the window
    EXPECT_EQ(evaluate(model, data, {"--held-out"})["rmse"], scores["rmse"]["folds"][static_cast<std::size_t>(fold)]);
  }
  std::vector<std::string> share = options;
  share.insert(share.end(), {"--holdout", "0.1"});
  const std::string model = train(data, share);
  EXPECT_EQ(evaluate(model, data, {"--held-out"})["n"], 20);
  EXPECT_EQ(Json::parse(must({"inspect", model, "--json"}).out)["training"]["held_out"]["time"], "day");
}

TEST_F(Times, AndGroupsThatCannotSplitAreOneLine) {
  const std::string data =
      folder_.write("t.csv", "g,same,t,word,x,y\n1,1,1,a,1,1\n1,1,,a,2,2\n2,1,3,b,3,2\n2,1,4,b,4,5\n");
  const auto with_data = [&](std::vector<std::string> arguments, const std::string& file,
                             const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), {"--data", file, "--quiet", "--ignore", "word", "--missing", "mean"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const auto train_with = [&](const std::vector<std::string>& more, const std::string& file) {
    return with_data({"train", recipe_, "--model", folder_ / "no.ala"}, file, more);
  };
  expect_failure(train_with({"--group", "same"}, data), 2, {"/data/group", "1 group"});
  expect_failure(train_with({"--time", "same"}, data), 2, {"/data/time", "one time"});
  expect_failure(train_with({"--time", "t"}, data), 3, {"row 3, column 3", "without a time"});
  expect_failure(train_with({"--time", "word"}, data), 3, {"row 2, column 4", "no number and no date"});
  expect_failure(train_with({"--group", "grp"}, data), 2, {"/data/group", "grp"});
  expect_failure(train_with({"--group", "g", "--time", "x"}, data), 2, {"not by both"});
  expect_failure(train_with({"--group", "word", "--folds", "3", "--fold", "0"}, data), 2, {"3 folds of 2 groups"});
  expect_failure(train_with({"--time", "x", "--folds", "4", "--fold", "0"}, data), 2, {"more distinct times than 4"});
  expect_failure(with_data({"cv", recipe_}, data, {"--group", "g", "--folds", "3"}), 2, {"3 folds of 2 groups"});
  expect_failure(train_with({"--group", "g"}, "-"), 3, {"standard input", "cannot be read twice"});
  const std::string rows = folder_ / "t.rows";
  must({"convert", data, "--out", rows, "--ignore", "word", "--missing", "mean", "--quiet"});
  expect_failure(run({"train", recipe_, "--model", folder_ / "no.ala", "--data", rows, "--group", "g", "--quiet"}), 3,
                 {"t.rows", "keeps no column"});
}

}  // namespace
}  // namespace alacarte::test
