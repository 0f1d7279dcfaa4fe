#include <unistd.h>

#include <fstream>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

namespace fs = std::filesystem;

class Errors : public ProgramTest {
 protected:
  RunResult train(const std::string& recipe, const std::string& data, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"train",     recipe, "--data", data, "--model", folder_ / "model.ala",
                                       "--threads", "1",    "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  void expect_no_model() const { EXPECT_FALSE(fs::exists(folder_ / "model.ala")); }
};

TEST_F(Errors, WrongRecipeNamesPlaceAndSpelling) {
  const std::string data = friedman(20, 1, "d.csv");
  const std::string recipe = folder_.write("r.json", R"({"model": "ard", "features": {"frequences": 3}})");
  expect_failure(train(recipe, data), 2, {"/features/frequences", "did you mean 'frequencies'"});
  expect_failure(train(folder_.write("r.json", R"({"model": "ard",)"), data), 2, {"r.json", "line 1"});
  expect_failure(train(folder_.write("r.json", R"({"model": "art"})"), data), 2, {"/model", "did you mean 'ard'"});
  const std::string inner = R"({"model": "mixture", "members": [{"model": "ard"}, {"model": "sum", "terms":
      [{"model": "linear"}, {"model": "moments", "features": {"frequencies": 2}}]}]})";
  expect_failure(train(folder_.write("r.json", inner), data), 2, {"/members/1/terms/1/features/frequencies"});
  expect_failure(train("no-such-recipe", data), 4, {"no-such-recipe"});
  expect_no_model();
}

TEST_F(Errors, OverridesGoThroughTheSameParser) {
  const std::string data = friedman(20, 1, "d.csv"), recipe = quick_recipe();
  expect_failure(train(recipe, data, {"--set", "/training/iterations=ten"}), 2,
                 {"/training/iterations", "must be an integer, not string"});
  expect_failure(train(recipe, data, {"--set", "/training/iterations=\"ten"}), 2,
                 {"--set /training/iterations", "nor a word"});
  expect_failure(train(recipe, data, {"--set", "/mean=constnat"}), 2, {"/mean", "did you mean 'constant'"});
  expect_failure(train(recipe, data, {"--set", "/training/iteration=10"}), 2, {"/training/iteration", "iterations"});
  expect_failure(train(recipe, data, {"--set", "/training/iterations=-1"}), 2, {"/training/iterations"});
  expect_failure(train(recipe, data, {"--set", "training=1"}), 2, {"--set"});
  expect_failure(train(recipe, data, {"--set", "/model/a/b=1"}), 2, {"--set"});
  expect_no_model();
}

TEST_F(Errors, WrongDataNamesRowAndColumn) {
  const std::string recipe = quick_recipe();
  expect_failure(train(recipe, folder_.write("ragged.csv", "a,b,y\n1,2,3\n4,5\n")), 3, {"ragged.csv", "row 3"});
  expect_failure(train(recipe, folder_.write("nan.csv", "a,b,y\n1,2,3\n4,nan,6\n7,8,9\n"), {"--strict"}), 3,
                 {"nan.csv", "row 3", "column 2"});
  expect_failure(train(recipe, folder_.write("text.csv", "a,b,y\n1,2,3\n4,red,6\n"), {"--strict"}), 3,
                 {"text.csv", "row 3"});
  expect_failure(train(recipe, folder_.write("empty.csv", "")), 3, {"empty.csv"});
  expect_failure(train(recipe, folder_ / "absent.csv"), 4, {"absent.csv"});
  expect_failure(train(recipe, folder_.write("ok.csv", "a,b,y\n1,2,3\n2,3,5\n"), {"--target", "z"}), 2, {"'z'"});
  expect_no_model();
}

TEST_F(Errors, DamagedModelsAreRefused) {
  const std::string model = quick_model();
  std::string bytes = read_file(model);
  ASSERT_GT(bytes.size(), 1000u);
  expect_failure(run({"inspect", folder_.write("half", bytes.substr(0, bytes.size() / 2))}), 4, {"half", "model file"});
  bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 1);
  expect_failure(run({"inspect", folder_.write("flipped", bytes)}), 4, {"flipped"});
  expect_failure(run({"inspect", folder_.write("empty", "")}), 4, {"empty"});
  expect_failure(run({"inspect", folder_ / "absent"}), 4, {"absent"});
  expect_failure(run({"inspect", folder_.path().string()}), 4, {});
}

TEST_F(Errors, PredictionNamesTheMissingColumn) {
  const std::string model = quick_model();
  const std::string data = folder_.write("few.csv", "x1,x2,x3,x4,x5,x6,x7,x8,x9\n1,1,1,1,1,1,1,1,1\n");
  expect_failure(run({"predict", model, "--data", data, "--out", folder_ / "p.csv", "--quiet"}), 3, {"x10"});
  expect_failure(run({"evaluate", model, "--data",
                      folder_.write("no_y.csv",
                                    "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10\n"
                                    "1,1,1,1,1,1,1,1,1,1\n"),
                      "--quiet"}),
                 3, {"y"});
  EXPECT_FALSE(fs::exists(folder_ / "p.csv"));
}

TEST_F(Errors, AFailureLateInTheFileLeavesNoOutput) {
  const std::string model = quick_model();
  std::string text = read_file(friedman(9000, 2, "long.csv"));
  text += "1,2,3\n";
  const std::string data = folder_.write("long.csv", text);
  expect_failure(run({"predict", model, "--data", data, "--out", folder_ / "p.csv", "--quiet"}), 3, {"row 9002"});
  EXPECT_FALSE(fs::exists(folder_ / "p.csv"));
}

// Holds for every name of the file.
TEST_F(Errors, NoOutputIsWrittenOverAnInputOrAnotherOutput) {
  const std::string model = quick_model(), data = folder_ / "train.csv", recipe = folder_ / "quick.json",
                    alias = folder_ / "alias.csv";
  fs::create_symlink(data, alias);
  const std::string rows = read_file(data), bytes = read_file(model), keys = read_file(recipe);
  const std::vector<std::vector<std::string>> commands = {
      {"train", recipe, "--data", data, "--model", data},
      {"train", recipe, "--data", data, "--model", recipe},
      {"train", recipe, "--data", data, "--model", folder_ / "n", "--checkpoint", alias},
      {"predict", model, "--data", data, "--out", alias},
      {"predict", model, "--data", data, "--out", model},
      {"predict", model, "--data", data, "--out", folder_ / "p", "--covariance", data},
      {"train", recipe, "--data", data, "--model", folder_ / "n", "--checkpoint", folder_ / "./n"},
      {"predict", model, "--data", data, "--out", folder_ / "p", "--covariance", folder_ / "p"},
      {"predict", model, "--data", data, "--out", folder_ / "p", "--covariance", folder_ / "c", "--draws", "2",
       "--draws-out", folder_ / "c"},
      {"transform", model, "--data", data, "--out", alias},
      {"convert", data, "--out", data},
      {"inspect", model, "--html", model},
      {"inspect", model, "--html", data, "--data", data}};
  for (const auto& command : commands) expect_failure(run(command), 1, {"written over"});
  EXPECT_EQ(read_file(data), rows);
  EXPECT_EQ(read_file(model), bytes);
  EXPECT_EQ(read_file(recipe), keys);
}

TEST_F(Errors, FoldersThatCannotBeWritten) {
  const std::string data = friedman(20, 1, "d.csv"), recipe = quick_recipe();
  expect_failure(run({"train", recipe, "--data", data, "--model", folder_ / "no/m", "--quiet"}), 4, {"no/m"});
  expect_failure(run({"train", recipe, "--data", data, "--model", folder_.path().string(), "--quiet"}), 4, {"folder"});
  // The superuser may write despite the mode, but not here.
  std::string read_only = "/proc";
  if (::geteuid() != 0) {
    read_only = folder_ / "locked";
    fs::create_directory(read_only);
    fs::permissions(read_only, fs::perms::owner_read | fs::perms::owner_exec);
  }
  expect_failure(run({"train", recipe, "--data", data, "--model", read_only + "/m", "--quiet"}), 4, {read_only});
  expect_failure(run({"generate", "friedman1", "--rows", "3", "--out", read_only + "/f.csv", "--quiet"}), 4, {});
}

TEST_F(Errors, FullDisks) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const std::string model = quick_model(), data = folder_ / "train.csv";
  expect_failure(run({"predict", model, "--data", data, "--out", "/dev/full", "--quiet"}), 4, {"No space left"});
  expect_failure(run({"generate", "friedman1", "--rows", "3", "--out", "/dev/full", "--quiet"}), 4, {"No space left"});
  RunOptions full;
  full.output_to = "/dev/full";
  expect_failure(run({"predict", model, "--data", data, "--out", "-", "--quiet"}, full), 4, {"standard output"});
  expect_failure(run({"evaluate", model, "--data", data, "--quiet"}, full), 4, {"standard output"});
  expect_failure(run({"inspect", model}, full), 4, {"standard output"});
  expect_failure(run({"--help"}, full), 4, {"standard output"});
}

TEST_F(Errors, ErrorTextStaysOnOneLine) {
  const RunResult result = run({"inspect", folder_ / "a\nb\x1b[31m"});
  expect_failure(result, 4, {"a; b\\x1b[31m"});
}

}  // namespace
}  // namespace alacarte::test
