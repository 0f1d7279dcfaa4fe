// alacarte run in use: resumed, killed, shared, changed data, failing units.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "alacarte/core/version.hpp"
#include "cli/program_test.hpp"
#include "experiment/experiment.hpp"
#include "train/version.hpp"

namespace alacarte::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class RunExperiment : public ProgramTest {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "data/toy");
    friedman(60, 3, "data/toy/data.csv.gz");
    fs::create_directories(folder_ / "configs");
    Json toy = {{"name", "toy"},
                {"title", "Toy"},
                {"folder", "toy"},
                {"group", "small"},
                {"task", "regression"},
                {"rows", 60},
                {"inputs", 10},
                {"target", {{"name", "y"}, {"transform", "none"}, {"identified", "known"}, {"sd", nullptr}}},
                {"sha256", nullptr},
                {"mask_sha256", nullptr},
                {"verified", false},
                {"split", {{"kind", "folds"}, {"folds", 3}}},
                {"licence", "none"},
                {"source", "generated"},
                {"original", "friedman1"},
                {"conversion", "none"},
                {"fetch", nullptr},
                {"notes", Json::array()}};
    folder_.write("configs/datasets.json", Json{{"format", 1}, {"datasets", {toy}}}.dump());
    options_.environment = {{"ALACARTE_DATA_DIR", folder_ / "data"}, {"ALACARTE_CONFIG_DIR", folder_ / "configs"}};
    quick_recipe();
    experiment_ = write_experiment(R"([{"label": "ARD", "recipe": "quick.json"}, {"label": "Mean", "baseline": "mean"},
                                       {"label": "kNN", "baseline": "knn"}])");
  }

  std::string write_experiment(const std::string& recipes, const std::string& more = "") const {
    return folder_.write("experiment.json",
                         R"({"name": "toys", "datasets": ["toy"], "recipes": )" + recipes + more + "}");
  }

  /// Writes hours of work for a test to interrupt.
  void write_endless() const {
    folder_.write("endless.json", R"({"model": "ssgpr", "features": {"frequencies": 200000}, "priors": false,
      "training": {"starts": 1, "iterations": 100000, "gradient_tolerance": 1e-300, "objective_tolerance": 0}})");
  }

  std::vector<std::string> arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> list{"run", experiment_, "--out", out_, "--jobs", "2"};
    list.insert(list.end(), more.begin(), more.end());
    return list;
  }

  std::map<std::string, Json> results() const {
    std::map<std::string, Json> found;
    for (const auto& file : fs::directory_iterator(out_ + "/results"))  // a killed unit may leave a temporary name
      if (file.path().extension() == ".json")
        found[file.path().stem().string()] = Json::parse(read_file(file.path().string()));
    return found;
  }

  RunOptions options_;
  std::string out_ = folder_ / "out", experiment_;
};

TEST_F(RunExperiment, RunsWhatIsMissingAndNothingElse) {
  const RunResult first = must(arguments(), options_);
  EXPECT_NE(first.err.find("9 of 9 units done, 0 failed, 9 run now"), std::string::npos) << first.err;
  const auto all = results();
  ASSERT_EQ(all.size(), 9u);
  const Json& ard = all.at("toy.ARD.f1.s0");
  EXPECT_EQ(ard["status"], "done");
  EXPECT_EQ(ard["data"]["train_rows"], 40);
  EXPECT_EQ(ard["data"]["test_rows"], 20);
  EXPECT_EQ(ard["test"]["n"], 20);
  EXPECT_EQ(ard["predictions"]["mean"].size(), 20u);
  EXPECT_GT(ard["peak_mb"], 1);
  EXPECT_TRUE(ard["training"]["fits"][0]["parameters"].contains("ard.log_lengthscale"));
  EXPECT_EQ(ard["recipe"]["model"], "ard");
  EXPECT_LT(ard["test"]["rmse"], all.at("toy.Mean.f1.s0")["test"]["rmse"]);
  EXPECT_EQ(ard["program"]["commit"], build_info().commit);
  EXPECT_EQ(ard["trainer"], trainer_version("ard"));
  const RunResult second = must(arguments(), options_);
  EXPECT_NE(second.err.find("9 of 9 units done, 0 failed, 0 run now"), std::string::npos) << second.err;
  EXPECT_EQ(results(), all);
}

TEST_F(RunExperiment, AUnitIsTrainAndEvaluateOfTheSameFold) {
  must(arguments({"--only", "toy,ARD,2"}), options_);
  const auto all = results();
  ASSERT_EQ(all.size(), 1u);
  const std::string model = folder_ / "model", data = folder_ / "data/toy/data.csv.gz";
  must({"train", folder_ / "quick.json", "--data", data, "--folds", "3", "--fold", "2", "--seed", "0", "--threads", "1",
        "--model", model, "--quiet"});
  const Json scores =
      Json::parse(must({"evaluate", model, "--data", data, "--held-out", "--threads", "1", "--quiet"}).out);
  const Json& test = all.begin()->second["test"];
  for (const char* key : {"n", "rmse", "mae", "r2", "nlpd", "crps", "coverage", "standardised"})
    EXPECT_EQ(test[key], scores[key]) << key;
}

TEST_F(RunExperiment, TrainsOnNoMoreRowsThanAsked) {
  write_experiment(R"([{"label": "ARD", "recipe": "quick.json"}])",
                   R"(, "train_rows": 25, "folds": [0], "seeds": [0, 1])");
  must(arguments(), options_);
  const auto found = results();
  ASSERT_EQ(found.size(), 2u);
  for (const auto& [name, result] : found) {
    EXPECT_EQ(result["data"]["train_rows"], 25) << name;
    EXPECT_EQ(result["data"]["test_rows"], 20) << name;
    EXPECT_EQ(result["train"]["n"], 25) << name;
  }
  write_experiment(R"([{"label": "ARD", "recipe": "quick.json"}])",
                   R"(, "train_rows": 30, "folds": [0], "seeds": [0])");
  must(arguments(), options_);
  EXPECT_EQ(results().at("toy.ARD.f0.s0")["data"]["train_rows"], 30);
}

TEST_F(RunExperiment, GoesOnFromStoredResults) {
  must(arguments(), options_);
  must({"report", out_, "--store", folder_ / "stored.json"});
  const auto before = results();
  out_ = folder_ / "again";
  const RunResult plan = must(arguments({"--stored", folder_ / "stored.json", "--dry-run"}), options_);
  EXPECT_NE(plan.out.find("stored"), std::string::npos);
  EXPECT_EQ(plan.out.find("to run"), std::string::npos);
  EXPECT_NE(plan.err.find("0 of 9 units are missing"), std::string::npos) << plan.err;
  EXPECT_FALSE(fs::exists(out_));
  const RunResult nothing_left = must(arguments({"--stored", folder_ / "stored.json"}), options_);
  EXPECT_NE(nothing_left.err.find("9 results taken over"), std::string::npos) << nothing_left.err;
  EXPECT_NE(nothing_left.err.find("0 run now"), std::string::npos) << nothing_left.err;
  for (const auto& [name, result] : results())
    EXPECT_NEAR(result["test"]["rmse"].get<double>(), before.at(name)["test"]["rmse"].get<double>(), 1e-4) << name;
  // Changed runs are executed again.
  fs::remove_all(out_);
  quick_recipe("{}", R"(, "copies": 2)");
  EXPECT_NE(must(arguments({"--stored", folder_ / "stored.json"}), options_).err.find("3 run now"), std::string::npos);
  const RunResult wrong = run(arguments({"--stored", folder_ / "experiment.json"}), options_);
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("experiment.json"), std::string::npos);
}

TEST_F(RunExperiment, SaysWhereStoredResultsAreOfAnotherTrainer) {
  const std::string stored = folder_ / "stored.json", recipes = R"([{"label": "ARD", "recipe": "quick.json"}])";
  must(arguments({"--only", ",ARD,0"}), options_);
  must({"report", out_, "--store", stored});
  Json json = Json::parse(read_file(stored));
  const Json unit = Json::parse(read_file(out_ + "/units/toy.ARD.f0.s0.json"));
  json["units"][0]["hash"] = run_from_json(unit).hash("0");
  json["units"][0]["trainer"] = "0";
  folder_.write("stored.json", json.dump());
  out_ = folder_ / "strict";
  const std::string refused = must(arguments({"--only", ",ARD,0", "--stored", stored}), options_).err;
  EXPECT_NE(refused.find("left out are 1 by trainer 0"), std::string::npos) << refused;
  EXPECT_NE(refused.find("1 run now"), std::string::npos) << refused;
  write_experiment(recipes, R"(, "trainers": ["0"])");
  out_ = folder_ / "lenient";
  const std::string mixed = must(arguments({"--only", ",ARD,0", "--stored", stored}), options_).err;
  EXPECT_NE(mixed.find("1 results taken over, of which 1 by trainer 0"), std::string::npos) << mixed;
  EXPECT_NE(mixed.find("0 run now"), std::string::npos) << mixed;
}

TEST_F(RunExperiment, ChangedDataAndRecipesAreRunAgain) {
  must(arguments({"--only", ",Mean,"}), options_);
  friedman(66, 4, "data/toy/data.csv.gz");
  const RunResult again = must(arguments({"--only", ",Mean,"}), options_);
  EXPECT_NE(again.err.find("3 run now"), std::string::npos) << again.err;
  EXPECT_EQ(results().at("toy.Mean.f0.s0")["data"]["rows"], 66);
  must(arguments({"--only", ",ARD,0"}), options_);
  write_experiment(
      R"([{"label": "ARD", "recipe": "quick.json", "overrides": {"small": {"/features/frequencies": 16}}}])");
  const RunResult changed = must(arguments({"--only", ",ARD,0"}), options_);
  EXPECT_NE(changed.err.find("1 run now"), std::string::npos) << changed.err;
  EXPECT_EQ(results().at("toy.ARD.f0.s0")["recipe"]["features"]["frequencies"], 16);
}

TEST_F(RunExperiment, FailedUnitsAreRowsWithTheirReason) {
  write_endless();
  folder_.write("columns.json", R"({"model": "ard", "data": {"inputs": ["nowhere"]}})");
  write_experiment(R"([{"label": "Endless", "recipe": "endless.json"}, {"label": "Columns", "recipe": "columns.json"},
                       {"label": "Mean", "baseline": "mean"}])",
                   R"(, "folds": [0])");
  EXPECT_EQ(run(arguments({"--only", ",Endless,", "--limit-seconds", "1"}), options_).code, 5);
  EXPECT_EQ(run(arguments({}), options_).code, 5);  // the others have no limit that a busy machine could exceed
  const auto all = results();
  EXPECT_EQ(all.at("toy.Mean.f0.s0")["status"], "done");
  EXPECT_EQ(all.at("toy.Endless.f0.s0")["status"], "failed");
  EXPECT_EQ(all.at("toy.Endless.f0.s0")["reason"], "time limit of 1 s");
  EXPECT_NE(all.at("toy.Columns.f0.s0")["reason"].get<std::string>().find("nowhere"), std::string::npos);
  // Failed runs are not repeated without --retry.
  EXPECT_NE(run(arguments({"--limit-seconds", "1"}), options_).err.find("0 run now"), std::string::npos);
  EXPECT_NE(run(arguments({"--limit-seconds", "1", "--retry"}), options_).err.find("2 run now"), std::string::npos);
  const RunResult plan = must(arguments({"--dry-run"}), options_);
  EXPECT_NE(plan.err.find("0 of 3 units are missing, 2 failed (--retry runs them again)"), std::string::npos)
      << plan.err;
}

TEST_F(RunExperiment, TwoRunnersRetryAFailureOnce) {
  write_endless();
  write_experiment(R"([{"label": "Endless", "recipe": "endless.json"}])");
  EXPECT_EQ(run(arguments({"--limit-seconds", "2"}), options_).code, 5);
  const auto leases = [&] { return std::distance(fs::directory_iterator(out_ + "/leases"), fs::directory_iterator()); };
  const auto wait_for_leases = [&](int count) {
    for (int polls = 0; leases() < count && polls < 60000; ++polls) ::usleep(500);
    ASSERT_EQ(leases(), count);
  };
  // Both have read the failures before either retries: the first is stopped until the second works.
  const auto retry = arguments({"--limit-seconds", "2", "--retry"});
  RunningProgram one(program_path(), retry, options_);
  wait_for_leases(2);
  one.send(SIGSTOP);
  RunningProgram two(program_path(), retry, options_);
  wait_for_leases(3);
  one.send(SIGCONT);
  const std::string lines = one.wait().err + two.wait().err;
  std::size_t retried = 0;
  for (auto at = lines.find(": failed ("); at != std::string::npos; at = lines.find(": failed (", at + 1)) ++retried;
  EXPECT_EQ(retried, 3u) << lines;
}

TEST_F(RunExperiment, PeakMemoryIsThatOfTheUnit) {
#ifdef ALACARTE_SANITIZED
  GTEST_SKIP() << "a unit with sanitizers takes as much memory as the file";
#endif
  write_experiment(R"([{"label": "Mean", "baseline": "mean"}])", R"(, "folds": [0])");
  // 60 MB that the runner reads, and a unit does not.
  const std::string stored = R"({"format": 1, "experiment": null, "shared": {}, "units": []})";
  folder_.write("empty.json", std::string(60000000, ' ') + stored);
  must(arguments({"--stored", folder_ / "empty.json"}), options_);
  const double peak = results().at("toy.Mean.f0.s0")["peak_mb"];
  EXPECT_GT(peak, 1);
  EXPECT_LT(peak, 60);
}

TEST_F(RunExperiment, AMemoryLimitIsAReason) {
  write_endless();
  write_experiment(R"([{"label": "Huge", "recipe": "endless.json"}])", R"(, "folds": [0], "memory_mb": 20)");
  EXPECT_EQ(run(arguments(), options_).code, 5);
  EXPECT_EQ(results().at("toy.Huge.f0.s0")["reason"], "memory limit of 20 MB");
}

TEST_F(RunExperiment, KilledTenTimesItLosesOnlyWhatWasInFlight) {
  std::map<std::string, std::string> before;
  // Returns units with a log and no result: running, or killed.
  const auto unfinished = [&] {
    std::vector<fs::path> logs;
    if (!fs::exists(out_ + "/logs")) return logs;
    for (const auto& log : fs::directory_iterator(out_ + "/logs"))
      if (!fs::exists(out_ + "/results/" + log.path().stem().string() + ".json")) logs.push_back(log.path());
    return logs;
  };
  std::size_t inside = 0;
  for (int k = 0; k < 10; ++k) {
    for (const fs::path& log : unfinished()) fs::remove(log);
    RunningProgram program(program_path(), arguments(), options_);
    // Every other kill waits for a unit to run.
    for (int polls = 0; k % 2 == 1 && unfinished().empty() && polls < 4000; ++polls) ::usleep(500);
    ::usleep(static_cast<useconds_t>(k % 2 == 1 ? 1000 * k : 15000 + 12000 * k));
    program.send(SIGKILL);
    program.wait();
    inside += unfinished().size();
    if (!fs::exists(out_ + "/results")) continue;
    for (const auto& file : fs::directory_iterator(out_ + "/results")) {
      const std::string name = file.path().filename().string(), text = read_file(file.path().string());
      if (file.path().extension() != ".json") continue;  // temporary file of the killed unit
      ASSERT_EQ(Json::parse(text)["status"], "done") << name;
      const auto known = before.find(name);
      if (known != before.end()) {
        EXPECT_EQ(known->second, text) << name << " was run twice";
      }
      before[name] = text;
    }
  }
  EXPECT_GT(inside, 0u);
  must(arguments(), options_);
  const auto all = results();
  for (const auto& [name, text] : before) EXPECT_EQ(Json::parse(text), all.at(fs::path(name).stem().string())) << name;
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const auto& r) { return r.second["status"] == "done"; }), 9);
}

TEST_F(RunExperiment, TwoRunnersShareTheWork) {
  RunningProgram one(program_path(), arguments(), options_), two(program_path(), arguments(), options_);
  const RunResult first = one.wait(), second = two.wait();
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(second.code, 0) << second.err;
  const auto run_now = [](const std::string& text) {
    const auto at = text.find(" failed, ");
    return at == std::string::npos ? -1 : std::stoi(text.substr(at + 9));
  };
  EXPECT_EQ(run_now(first.err) + run_now(second.err), 9) << first.err << second.err;
  EXPECT_EQ(results().size(), 9u);
}

TEST_F(RunExperiment, CtrlCStopsAtOnceAndRecordsNothingOfTheUnitInFlight) {
  write_endless();
  write_experiment(R"([{"label": "Mean", "baseline": "mean"}, {"label": "Endless", "recipe": "endless.json"}])",
                   R"(, "folds": [0])");
  RunningProgram program(program_path(), arguments(), options_);
  ASSERT_TRUE(program.wait_for("Mean.f0.s0: done", 60));
  program.send(SIGINT);
  const RunResult result = program.wait();
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_EQ(results().size(), 1u);
}

TEST_F(RunExperiment, DryRunListsAndRunsNothing) {
  const RunResult result = must(arguments({"--dry-run"}), options_);
  EXPECT_EQ(lines_of(result.out).size(), 9u);
  EXPECT_NE(result.out.find("to run"), std::string::npos);
  EXPECT_NE(result.err.find("9 of 9 units are missing"), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(out_));
  fs::remove_all(folder_ / "data/toy");
  const RunResult absent = run(arguments({"--dry-run"}), options_);
  EXPECT_EQ(absent.code, 4);
  EXPECT_NE(absent.err.find("none of its data sets is here"), std::string::npos) << absent.err;
}

TEST_F(RunExperiment, OnlyTakesLabelsWithCommas) {
  write_experiment(R"([{"label": "ARD, quick", "recipe": "quick.json"}, {"label": "Mean", "baseline": "mean"}])");
  const auto lines = [&](const std::string& only) {
    const std::string text = must(arguments({"--dry-run", "--only", only}), options_).out;
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines("toy,ARD, quick,1"), 1);
  EXPECT_EQ(lines("toy,ARD, quick,"), 3);
  EXPECT_EQ(lines(",Mean"), 3);
  EXPECT_EQ(lines("toy"), 6);
  EXPECT_EQ(lines(",,2"), 2);
  EXPECT_EQ(lines(""), 6);
}

TEST_F(RunExperiment, RefusesInOneLine) {
  expect_failure(run(arguments({"--only", "toyy,,"}), options_), 2, {"--only"});
  expect_failure(run(arguments({"--only", "toy,,x"}), options_), 1, {"--only", "x"});
  folder_.write("experiment.json", R"({"name": "toys", "datasets": ["tyo"], "recipes": [{"recipe": "quick.json"}]})");
  expect_failure(run(arguments(), options_), 2, {"tyo", "toy"});
  folder_.write("experiment.json", R"({"name": "toys", "dataset": ["toy"]})");
  expect_failure(run(arguments(), options_), 2, {"/dataset", "[in " + experiment_ + "]"});
  folder_.write("experiment.json", R"({"name": "toys", "datasets": ["toy"]})");
  expect_failure(run(arguments(), options_), 2, {"(root): needs \"recipes\" [in " + experiment_ + "]"});
}

TEST_F(RunExperiment, AFolderOfAnotherExperimentIsLeftAlone) {
  must(arguments({"--only", ",Mean,0"}), options_);
  folder_.write("experiment.json", R"({"name": "others", "datasets": ["toy"], "recipes": [{"baseline": "mean"}]})");
  expect_failure(run(arguments(), options_), 2, {"--out", "toys"});
}

TEST_F(RunExperiment, AFolderThatCannotBeWrittenToIsAnError) {
  folder_.write("file", "");
  expect_failure(run({"run", experiment_, "--out", folder_ / "file/out", "--quiet"}, options_), 4, {"file/out"});
}

}  // namespace
}  // namespace alacarte::test
