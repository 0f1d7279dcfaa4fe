// A fault on one rank ends the job with one line and the documented exit code; killed trainings can resume.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>

#include "mpi/ranks_test.hpp"

namespace alacarte::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Faults : public RanksTest {
 protected:
  std::vector<std::string> training(const std::string& data, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"train",       recipe("ard"), "--data", data,     "--model",
                                       folder_ / "m", "--threads",   "1",      "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  /// Writes four parts of 400 rows.
  std::string parts() const {
    must({"convert", friedman(400, 1, "f.csv"), "--parts", "4", "--out", folder_ / "part-*.rows", "--quiet"});
    return folder_ / "part-*.rows";
  }
  /// Returns the arguments of a training that would take hours, on the rows of f.rows.
  std::vector<std::string> endless(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{
        "train", endless_recipe(), "--data", folder_ / "f.rows", "--model", folder_ / "m", "--threads",
        "1",     "--log",          "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  /// Returns the processes whose command line names this test's model; mpirun's own are excluded.
  std::vector<pid_t> running_ranks() const {
    std::vector<pid_t> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
      const std::string command = read_file((entry.path() / "cmdline").string());
      if (command.starts_with(program_path()) && has(command, folder_ / "m"))
        found.push_back(std::stoi(entry.path().filename().string()));
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  bool all_end(double seconds) const {
    for (double waited = 0; waited < seconds; waited += 0.1) {
      if (running_ranks().empty()) return true;
      ::usleep(100 * 1000);
    }
    return false;
  }
};

// Each process would hold all rows and write the same model.
TEST_F(Faults, ProcessesThatDoNotFindEachOtherAreRefused) {
  const std::vector<std::string> arguments = training(rows_of(friedman(100, 1, "f.csv")));
  RunOptions of_another = as_root();
  of_another.environment["PMI_SIZE"] = "2";
  of_another.environment["PMI_RANK"] = "0";
  expect_one_line(run_program(program_path(), arguments, of_another), 1, {"2 processes were started together"});
  EXPECT_FALSE(fs::exists(folder_ / "m"));
  RunOptions of_slurm = as_root();
  of_slurm.environment["SLURM_STEP_NUM_TASKS"] = "2";
  of_slurm.environment["SLURM_PROCID"] = "0";
  const RunResult alone = run_program(program_path(), arguments, of_slurm);
  EXPECT_EQ(alone.code, 0);
  EXPECT_TRUE(has(alone.err, "each does all of the work")) << alone.err;
  of_slurm.environment["SLURM_PROCID"] = "1";
  EXPECT_EQ(run_program(program_path(), arguments, of_slurm).err, "");
}

TEST_F(Faults, APartThatIsMissingIsNamed) {
  const std::string pattern = parts();
  fs::remove(folder_ / "part-3.rows");
  expect_one_line(ranks(3, training(pattern)), 3, {"part-", "part 3 is missing"});
  expect_one_line(run(training(pattern)), 3, {"part-", "part 3 is missing"});
  expect_one_line(ranks(2, training(folder_ / "none-*.rows")), 4, {"none-*.rows", "matches no file"});
}

TEST_F(Faults, APartThatIsDamagedIsNamed) {
  const std::string pattern = parts(), path = folder_ / "part-4.rows";
  const std::string whole = read_file(path);
  std::string damaged = whole;
  damaged[100] ^= 1;
  std::ofstream(path, std::ios::binary) << damaged;
  const auto began = std::chrono::steady_clock::now();
  expect_one_line(ranks(4, training(pattern)), 3, {"part-4.rows", "is damaged"});
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
  std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() / 2);
  expect_one_line(ranks(4, training(pattern)), 3, {"part-4.rows", "cut short"});
}

TEST_F(Faults, APartOfAnotherSchemaIsNamed) {
  const std::string pattern = parts();
  const std::string other = folder_.write("s.csv", "a,b,y\n1,2,3\n2,3,4\n3,1,2\n");
  must({"convert", other, "--out", folder_ / "part-5.rows", "--quiet"});
  expect_one_line(ranks(3, training(pattern)), 3, {"part-5.rows", "another schema"});
}

TEST_F(Faults, WhatNeedsAllRowsIsRefused) {
  const std::string table = friedman(400, 1, "f.csv"), rows = rows_of(table);
  expect_one_line(ranks(2, training(table)), 3, {"f.csv", "convert"});
  expect_one_line(ranks(2, {"inspect", "model"}), 1, {"inspect runs in one process"});
  expect_one_line(ranks(2, training(rows, {"--target", "x1,y"})), 2, {"several targets"});
  expect_one_line(ranks(2, training(rows, {"--set", "/noise/varies=true"})), 2, {"/noise/varies", "one process"});
  const std::string svm = folder_.write("l.json", R"({"model": "linear", "learner": {"kind": "svm"}})");
  const std::string classes = rows_of(folder_.write("c.csv", "x,y\n1,a\n2,b\n3,a\n4,b\n"), {"--recipe", svm});
  expect_one_line(ranks(2, {"train", svm, "--data", classes, "--model", folder_ / "m", "--quiet"}), 2,
                  {"/learner/kind", "one process"});
  EXPECT_FALSE(fs::exists(folder_ / "m"));
}

TEST_F(Faults, AWarningBeforeTheTimeLimitKeepsTheBestModel) {
  rows_of(friedman(1500, 1, "f.csv"));
  RunningProgram program(kLauncher, words(2, endless()), as_root());
  ASSERT_TRUE(program.wait_for("\"final\"", 60)) << program.err_so_far();
  program.send(SIGUSR1);
  const RunResult result = program.wait();
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_TRUE(has(result.err, "the best model so far is saved in")) << result.err;
  EXPECT_TRUE(has(must({"inspect", folder_ / "m"}).out, "interrupted"));
}

TEST_F(Faults, AWarningAmongMinibatchesKeepsTheBestRound) {
  rows_of(friedman(1500, 1, "f.csv"));
  const std::string deep = folder_.write("d.json", R"({"model": "deep", "noise": {"prior_center": "fixed"},
      "terms": [{"model": "ssgpr", "features": {"frequencies": 20}}], "network": {"widths": [16], "epochs": 1000000}})");
  RunningProgram program(kLauncher,
                         words(2, {"train", deep, "--data", folder_ / "f.rows", "--model", folder_ / "m", "--threads",
                                   "1", "--log", "json"}),
                         as_root());
  ASSERT_TRUE(program.wait_for("\"minibatches\"", 60)) << program.err_so_far();
  program.send(SIGUSR1);
  const RunResult result = program.wait();
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_TRUE(has(result.err, "passes over 1350 rows")) << result.err;
  EXPECT_TRUE(has(must({"inspect", folder_ / "m"}).out, "interrupted"));
}

TEST_F(Faults, AKilledJobGoesOnWithAnyNumberOfRanks) {
  rows_of(friedman(600, 1, "f.csv"));
  const std::string recipe = folder_.write("r.json", R"({"model": "ard", "features": {"frequencies": 64},
      "copies": 12, "noise": {"prior_center": "fixed"},
      "training": {"starts": 2, "probe_iterations": 5, "iterations": 200, "objective_tolerance": 0}})");
  const std::vector<std::string> arguments{"train",       recipe,      "--data", folder_ / "f.rows", "--model",
                                           folder_ / "m", "--threads", "1",      "--checkpoint",     folder_ / "ck",
                                           "--resume",    "--log",     "json"};
  last_ = run(arguments);
  const double optimum = event("fitted")["objective"];
  fs::remove(folder_ / "m");
  std::mt19937 random(1);
  int killed = 0;
  for (int count : {2, 3, 2, 4, 3, 2}) {
    RunningProgram program(kLauncher, words(count, arguments), as_root());
    // mpirun of OpenMPI 4.1 may wait forever if a rank is killed while joining.
    if (!program.wait_for("\"plan\"", 60)) break;
    ::usleep(static_cast<useconds_t>(random() % 600) * 1000);  // before the job can end
    const std::vector<pid_t> own = running_ranks();
    if (own.empty()) continue;
    ::kill(own[random() % own.size()], SIGKILL);
    const RunResult result = program.wait();
    if (result.code == 0) break;  // finished before the kill
    ++killed;
    EXPECT_TRUE(all_end(10));
    if (fs::exists(folder_ / "m")) break;  // killed after the model was saved: checked below
  }
  EXPECT_GT(killed, 0);
  if (!fs::exists(folder_ / "m")) {
    last_ = ranks(3, arguments);
    ASSERT_EQ(last_.code, 0) << last_.err;
    EXPECT_NEAR(event("fitted")["objective"].get<double>(), optimum, 1e-3 * std::abs(optimum));
  }
  must({"inspect", folder_ / "m"});
}

TEST_F(Faults, RanksEndWithTheirLauncher) {
  rows_of(friedman(1500, 1, "f.csv"));
  {
    RunningProgram program(kLauncher, words(2, endless()), as_root());
    ASSERT_TRUE(program.wait_for("\"final\"", 60)) << program.err_so_far();
    program.send(SIGKILL);
    program.wait();
  }
  EXPECT_TRUE(all_end(20));
  EXPECT_FALSE(fs::exists(folder_ / "m"));
}

}  // namespace
}  // namespace alacarte::test
