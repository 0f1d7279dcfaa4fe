#include <signal.h>
#include <unistd.h>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Signals : public ProgramTest {
 protected:
  /// Returns the arguments of a training that would take hours.
  std::vector<std::string> endless(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{
        "train", endless_recipe(), "--data", friedman(1500, 1, "d.csv"), "--model", model(), "--threads",
        "1",     "--log",          "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  std::string model() const { return folder_ / "model.ala"; }
};

TEST_F(Signals, InterruptKeepsTheBestModel) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    RunningProgram program(program_path(), endless());
    ASSERT_TRUE(program.wait_for("\"final\"", 30)) << program.err_so_far();
    program.send(signal);
    const RunResult result = program.wait();
    EXPECT_EQ(result.code, 130) << result.err;
    EXPECT_EQ(result.signal, 0);
    EXPECT_NE(result.err.find("the best model so far is saved in"), std::string::npos) << result.err;
    const json scores = json::parse(must({"evaluate", model(), "--data", folder_ / "d.csv", "--quiet"}).out);
    EXPECT_LT(scores["rmse"].get<double>(), 5);
    EXPECT_NE(must({"inspect", model()}).out.find("interrupted"), std::string::npos);
    fs::remove(model());
  }
  expect_no_leftovers();
}

TEST_F(Signals, ACheckpointSurvivesAKill) {
  const std::string checkpoint = folder_ / "state";
  double first_objective = 0;
  {
    RunningProgram program(program_path(), endless({"--checkpoint", checkpoint}));
    ASSERT_TRUE(program.wait_for("\"final\"", 30)) << program.err_so_far();
    for (const std::string& line : lines_of(program.err_so_far())) {
      const json record = json::parse(line, nullptr, false);
      if (record.value("event", "") != "progress") continue;
      first_objective = record["objective"];
      break;
    }
    // On a busy machine the checkpoint may lag behind the messages.
    for (int i = 0; i < 600 && read_file(checkpoint).find("\"in_final\":true") == std::string::npos; ++i)
      ::usleep(50 * 1000);
    program.send(SIGKILL);
    EXPECT_EQ(program.wait().signal, SIGKILL);
  }
  EXPECT_FALSE(fs::exists(model()));
  ASSERT_TRUE(fs::exists(checkpoint));

  RunningProgram resumed(program_path(), endless({"--checkpoint", checkpoint, "--resume"}));
  ASSERT_TRUE(resumed.wait_for("\"final\"", 30)) << resumed.err_so_far();
  EXPECT_EQ(resumed.err_so_far().find("\"probe"), std::string::npos) << "the probes ran again";
  resumed.send(SIGINT);
  const RunResult result = resumed.wait();
  EXPECT_EQ(result.code, 130) << result.err;
  const json inspected = json::parse(must({"inspect", model(), "--json"}).out);
  EXPECT_LT(inspected["fits"][0]["summary"]["objective"].get<double>(), first_objective);

  const std::vector<std::string> other =
      endless({"--checkpoint", checkpoint, "--resume", "--set", "/features/frequencies=16", "--quiet"});
  const RunResult refused = run(other);
  EXPECT_EQ(refused.code, 4);
  EXPECT_NE(refused.err.find("another recipe"), std::string::npos) << refused.err;
}

TEST_F(Signals, AKilledTrainingGoesOnToTheSameModel) {
  const std::string recipe =
      folder_.write("long.json", R"({"model": "ssgpr", "features": {"frequencies": 64}, "copies": 4,
    "training": {"starts": 1, "iterations": 150, "gradient_tolerance": 1e-300, "objective_tolerance": 0}})");
  const std::string checkpoint = folder_ / "state", data = friedman(1000, 1, "d.csv");
  const auto training = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"train",        recipe,      "--data", data,     "--model",
                                       folder_ / name, "--threads", "1",      "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  const auto predictions = [&](const std::string& name) {
    return must({"predict", folder_ / name, "--data", data, "--out", "-", "--threads", "1", "--quiet"}).out;
  };
  must(training("whole", {}));
  {
    RunningProgram program(program_path(), training("killed", {"--checkpoint", checkpoint}));
    for (int i = 0;
         i < 60000 && (!fs::exists(checkpoint) || read_file(checkpoint).find("\"in_final\":true") == std::string::npos);
         ++i)
      ::usleep(5 * 1000);
    program.send(SIGKILL);
    ASSERT_EQ(program.wait().signal, SIGKILL) << "the training ended before it was killed";
  }
  ASSERT_FALSE(fs::exists(folder_ / "killed"));
  const RunResult refused = run(training("killed", {"--checkpoint", checkpoint}));
  EXPECT_EQ(refused.code, 4);
  EXPECT_NE(refused.err.find("go on from it with --resume, or remove it"), std::string::npos) << refused.err;
  must(training("killed", {"--checkpoint", checkpoint, "--resume"}));
  EXPECT_EQ(predictions("killed"), predictions("whole"));
}

TEST_F(Signals, AFinishedTrainingLeavesNoCheckpoint) {
  const std::string checkpoint = folder_ / "state";
  must({"train", quick_recipe(), "--data", friedman(60, 1, "d.csv"), "--model", model(), "--checkpoint", checkpoint,
        "--resume", "--quiet"});
  EXPECT_FALSE(fs::exists(checkpoint));
}

TEST_F(Signals, AClosedPipeEndsTheProgramQuietly) {
  const std::string program = std::string("'") + program_path() + "'", err = folder_ / "err", code = folder_ / "code";
  for (const std::string arguments : {" generate friedman1 --rows 200000 --out -", " check --schema"}) {
    // The reader exits before the first byte arrives.
    const std::string command =
        "{ sleep 0.2; " + program + arguments + " 2>'" + err + "'; echo $? >'" + code + "'; } | true";
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(read_file(err), "") << arguments;
    EXPECT_EQ(read_file(code), "141\n") << arguments;
  }
}

}  // namespace
}  // namespace alacarte::test
