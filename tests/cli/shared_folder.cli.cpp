// Several runners of alacarte run over one folder, on this machine and as if on others: killed, stopped, warned.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <random>
#include <set>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class SharedFolder : public ProgramTest {
 protected:
  void SetUp() override {
    friedman(120, 3, "toy.csv");
    write_experiment(R"([{"baseline": "mean"}])", 100, "0, 1");
  }

  void write_experiment(const std::string& recipes, int folds, const std::string& seeds) const {
    folder_.write("experiment.json", R"({"name": "toys", "datasets": [{"file": "toy.csv", "folds": )" +
                                         std::to_string(folds) + R"(}], "recipes": )" + recipes + R"(, "seeds": [)" +
                                         seeds + "]}");
  }

  /// Writes one endless unit per fold.
  void write_endless(int folds) const {
    folder_.write("endless.json", R"({"model": "ssgpr", "features": {"frequencies": 200000}, "priors": false,
      "training": {"starts": 1, "iterations": 100000, "gradient_tolerance": 1e-300, "objective_tolerance": 0}})");
    write_experiment(R"([{"label": "Endless", "recipe": "endless.json"}])", folds, "0");
  }

  std::vector<std::string> arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> list{"run",  folder_ / "experiment.json", "--out", out_, "--jobs", "1", "--log",
                                  "json", "--lease-seconds",           "2"};
    list.insert(list.end(), more.begin(), more.end());
    return list;
  }

  /// Starts a runner; in its own process namespace it knows others only by their heartbeats, as on another machine.
  std::unique_ptr<RunningProgram> start(bool elsewhere) const {
    if (!elsewhere) return std::make_unique<RunningProgram>(program_path(), arguments());
    std::vector<std::string> words = unshare_;
    words.push_back(program_path());
    for (const std::string& word : arguments()) words.push_back(word);
    // Uses a process group, since --kill-child leaves the runner alive if unshare dies right after its fork.
    RunOptions options;
    options.own_group = true;
    return std::make_unique<RunningProgram>("/usr/bin/unshare", words, options);
  }

  bool can_stand_elsewhere() const {
    std::vector<std::string> words = unshare_;
    words.push_back("/bin/true");
    return fs::exists("/usr/bin/unshare") && run_program("/usr/bin/unshare", words).code == 0;
  }

  std::size_t entries(const char* below) const {
    if (!fs::exists(out_ + "/" + below)) return 0;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(out_ + "/" + below), {}));
  }

  void expect_nothing_left() const {
    EXPECT_EQ(entries("leases"), 0u);
    EXPECT_EQ(entries("runners"), 0u);
    for (const auto& entry : fs::recursive_directory_iterator(out_))
      EXPECT_EQ(entry.path().filename().string().find(".tmp"), std::string::npos) << entry.path();
  }

  /// Counts how often each unit was reported done.
  static void count_done(const std::string& messages, std::map<std::string, int>& counts) {
    for (const std::string& line : lines_of(messages)) {
      const Json record = Json::parse(line, nullptr, false);  // the last line of a killed runner may be cut
      if (record.is_object() && record.value("event", "") == "unit") ++counts[record["unit"].get<std::string>()];
    }
  }

  void three_runners_with_kills(bool elsewhere) const {
    std::mt19937 random(22);
    std::vector<std::unique_ptr<RunningProgram>> runners(3);
    std::map<std::string, int> done;
    int kills = 0;
    // Runner 0 stays; the others are killed and restarted.
    for (std::size_t k = 0; k < runners.size(); ++k) runners[k] = start(elsewhere && k > 0);
    while (entries("results") < 195 && kills < 400) {
      ::usleep(static_cast<useconds_t>(20000 + random() % 180000));
      const std::size_t victim = 1 + random() % 2;
      runners[victim]->send(SIGKILL);
      count_done(runners[victim]->wait().err, done);
      ++kills;
      runners[victim] = start(elsewhere);
    }
    for (const auto& runner : runners) {
      const RunResult result = runner->wait();
      EXPECT_EQ(result.code, 0) << result.err;
      count_done(result.err, done);
    }
    EXPECT_GE(kills, 10);
    EXPECT_EQ(entries("results"), 200u);
    EXPECT_LE(done.size(), 200u);
    // a runner may be killed between result and message
    EXPECT_GE(done.size() + static_cast<std::size_t>(kills), 200u);
    for (const auto& [unit, count] : done) EXPECT_EQ(count, 1) << unit;
    for (const auto& file : fs::directory_iterator(out_ + "/results"))
      EXPECT_EQ(Json::parse(read_file(file.path().string()))["status"], "done") << file.path();
    expect_nothing_left();
    const RunResult again = must(arguments());
    EXPECT_NE(again.err.find("\"run\":0"), std::string::npos) << again.err;
    RecordProperty("kills", kills);
  }

  /// Shared memory is separate too, as on another machine: clang's OpenMP run time registers processes there by number,
  /// and the numbers coincide.
  const std::string own_memory_ = R"(mount -t tmpfs none /dev/shm; exec "$0" "$@")";
  const std::vector<std::string> unshare_{"--user",       "--map-root-user", "--pid", "--fork",   "--kill-child",
                                          "--mount-proc", "/bin/sh",         "-c",    own_memory_};
  std::string out_ = folder_ / "out";
};

TEST_F(SharedFolder, EachOf200UnitsIsCountedOnceWhateverIsKilled) { three_runners_with_kills(false); }

TEST_F(SharedFolder, EachOf200UnitsIsCountedOnceAcrossMachines) {
  if (!can_stand_elsewhere()) GTEST_SKIP() << "no space of processes of its own can be made here (unshare)";
  three_runners_with_kills(true);
}

TEST_F(SharedFolder, AUnitIsGivenBackAtOnceOnSIGTERM) {
  write_endless(2);
  RunningProgram first(program_path(), arguments());
  for (int polls = 0; entries("leases") == 0 && polls < 4000; ++polls) ::usleep(5000);
  ASSERT_EQ(entries("leases"), 1u);
  EXPECT_NE(must(arguments({"--dry-run"})).out.find("runs by "), std::string::npos);
  first.send(SIGTERM);
  first.send(SIGTERM);  // Slurm and the job's script
  const RunResult result = first.wait();
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_EQ(entries("results"), 0u);
  expect_nothing_left();
}

TEST_F(SharedFolder, AfterSIGUSR1NoFurtherUnitIsBegun) {
  folder_.write("short.json", R"({"model": "ssgpr", "features": {"frequencies": 200},
    "training": {"starts": 1, "iterations": 300, "gradient_tolerance": 1e-300, "objective_tolerance": 0}})");
  write_experiment(R"([{"label": "Short", "recipe": "short.json"}])", 50, "0");
  RunningProgram first(program_path(), arguments());
  for (int polls = 0; entries("logs") == 0 && polls < 4000; ++polls) ::usleep(5000);
  first.send(SIGSTOP);  // fixes the set of units begun before the signal, however late it is
  const std::size_t begun = entries("logs");
  ASSERT_GE(begun, 1u);
  ASSERT_LT(begun, 50u);
  first.send(SIGUSR1);
  first.send(SIGCONT);
  first.send(SIGUSR1);
  const RunResult result = first.wait();
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_EQ(entries("logs"), begun);
  EXPECT_EQ(entries("results"), begun);
  EXPECT_NE(result.err.find(fmt::format("no further unit was begun: {} of 50 units done, 0 failed", begun)),
            std::string::npos)
      << result.err;
  expect_nothing_left();
}

TEST_F(SharedFolder, AfterSIGUSR1NothingIsLeftWhereAnotherRunnerHasCompletedTheRest) {
  folder_.write("short.json", R"({"model": "ssgpr", "features": {"frequencies": 2000}, "priors": false,
    "training": {"starts": 1, "iterations": 100000, "gradient_tolerance": 1e-300, "objective_tolerance": 0,
                 "seconds": 3}})");
  write_experiment(R"([{"label": "Short", "recipe": "short.json"}])", 2, "0");
  RunningProgram first(program_path(), arguments()), second(program_path(), arguments());
  for (int polls = 0; entries("leases") < 2 && polls < 4000; ++polls) ::usleep(5000);
  ASSERT_EQ(entries("leases"), 2u);
  first.send(SIGUSR1);
  second.send(SIGUSR1);
  const RunResult one = first.wait(), other = second.wait();
  // The last runner finds that the other has done the rest.
  EXPECT_TRUE(one.code == 0 || other.code == 0) << one.err << other.err;
  EXPECT_EQ(entries("results"), 2u);
  expect_nothing_left();
}

TEST_F(SharedFolder, ASignalToAllProcessesOfTheJobFailsNoUnit) {
  // Small steps let a unit end soon after its signal.
  folder_.write("endless.json", R"({"model": "ssgpr", "features": {"frequencies": 64}, "priors": false,
    "training": {"starts": 1, "iterations": 100000000, "gradient_tolerance": 1e-300, "objective_tolerance": 0}})");
  write_experiment(R"([{"label": "Endless", "recipe": "endless.json"}])", 2, "0");
  const auto unit_process = [&] {
    std::string found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string words = read_file((entry.path() / "cmdline").string());
      if (words.find(out_) != std::string::npos && words.find(std::string("\0unit\0", 6)) != std::string::npos)
        found = entry.path().filename().string();
    }
    return found;
  };
  const auto state_of = [](const std::string& process) {
    const std::string words = read_file("/proc/" + process + "/stat");
    return words.substr(words.rfind(')') + 2, 1);
  };
  // The units have their own process groups; a batch system signals every process.
  for (const int signal : {SIGTERM, SIGUSR1}) {
    RunningProgram runner(program_path(), arguments());
    std::string process;
    for (int polls = 0; process.empty() && polls < 6000; ++polls) {
      ::usleep(10000);
      process = unit_process();
    }
    ASSERT_FALSE(process.empty());
    ::usleep(200000);  // training has begun
    if (signal == SIGTERM) {
      // The unit is signalled first, and ends before the runner is signalled.
      runner.send(SIGSTOP);
      ::kill(std::stoi(process), SIGTERM);
      for (int polls = 0; state_of(process) != "Z" && polls < 6000; ++polls) ::usleep(10000);
      ASSERT_EQ(state_of(process), "Z");
      runner.send(SIGTERM);
      runner.send(SIGCONT);
    } else {
      ::kill(std::stoi(process), SIGUSR1);
      runner.send(SIGUSR1);
      ::usleep(300000);
      EXPECT_EQ(unit_process(), process) << "the unit goes on after the warning";
      runner.send(SIGTERM);
    }
    const RunResult result = runner.wait();
    EXPECT_EQ(result.code, 130) << result.err;
    EXPECT_EQ(entries("results"), 0u) << signal;
    expect_nothing_left();
  }
}

}  // namespace
}  // namespace alacarte::test
