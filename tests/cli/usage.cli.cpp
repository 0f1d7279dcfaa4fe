#include <sstream>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

using Usage = ProgramTest;

TEST_F(Usage, HelpNamesEveryCommand) {
  const RunResult result = must({"--help"});
  EXPECT_EQ(result.err, "");
  for (const char* name :
       {"train", "predict", "evaluate", "inspect", "check", "generate", "kernels", "datasets", "bench"}) {
    EXPECT_TRUE(has(result.out, name)) << name;
    const RunResult help = must({name, "--help"});
    EXPECT_EQ(help.err, "");
    EXPECT_TRUE(has(help.out, "Example")) << help.out;
    EXPECT_TRUE(has(help.out, std::string("alacarte ") + name)) << help.out;
  }
}

TEST_F(Usage, VersionSaysWhatItIsMadeOf) {
  const RunResult result = must({"--version"});
  for (const char* part : {"alacarte ", "compiler ", "BLAS ", "threads "}) EXPECT_TRUE(has(result.out, part)) << part;
  EXPECT_EQ(result.err, "");
}

TEST_F(Usage, WrongUsageIsOneLineWithTheNearestSpelling) {
  expect_failure(run({"train", "gm", "--data", "x", "--modle", "y"}), 1,
                 {"--modle", "did you mean '--model'", "--help"});
  expect_failure(run({"trian"}), 1, {"'trian'", "did you mean 'train'"});
  expect_failure(run({}), 1, {"subcommand"});
  expect_failure(run({"predict", "m"}), 1, {"--data"});
  expect_failure(run({"train", "gm", "--data", "x", "--model", "y", "--threads", "0"}), 1, {"--threads"});
  expect_failure(run({"train", "gm", "--data", "x", "--model", "y", "--log", "xml"}), 1, {"--log"});
  expect_failure(run({"generate", "friedman2", "--rows", "3", "--out", "-"}), 1, {"did you mean 'friedman1'"});
}

TEST_F(Usage, CombinationsWithoutMeaningAreRefused) {
  const std::string recipe = quick_recipe(), data = friedman(20, 1, "d.csv"), model = folder_ / "m";
  const std::vector<std::string> train{"train", recipe, "--data", data, "--model", model};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), train.begin(), train.end());
    return run(more);
  };
  expect_failure(with({"--resume"}), 1, {"--checkpoint"});
  expect_failure(with({"--folds", "5"}), 1, {"--fold"});
  expect_failure(with({"--folds", "5", "--fold", "5"}), 1, {"--fold"});
  expect_failure(with({"--holdout", "0.2", "--fold", "1"}), 1, {"--holdout"});
  expect_failure(with({"--holdout", "1.5"}), 1, {"--holdout"});
  expect_failure(run({"generate", "friedman1", "--rows", "3", "--noise", "1", "--out", "-"}), 1, {"kernel-draw"});
}

TEST_F(Usage, ErrorsAreJsonWhenAsked) {
  const RunResult result = run({"inspect", folder_ / "none", "--log", "json"});
  EXPECT_EQ(result.code, 4);
  const auto record = nlohmann::json::parse(result.err);
  EXPECT_EQ(record["level"], "error");
  EXPECT_TRUE(has(record["message"], "none"));
  EXPECT_EQ(nlohmann::json::parse(run({"inspect", "--log=json", "--no"}).err)["level"], "error");
}

TEST_F(Usage, ListsModelsAndRecipeKeys) {
  const std::string models = must({"kernels"}).out;
  for (const char* name : {"rbf", "ard", "gm", "pwl", "exact-ard", "mixture"}) EXPECT_TRUE(has(models, name)) << name;
  EXPECT_EQ(must({"kernels", "list"}).out, models);
  const std::string schema = must({"check", "--schema"}).out;
  for (const char* key : {"features.frequencies", "training.iterations", "noise.floor"}) EXPECT_TRUE(has(schema, key));
}

// The reference of every model, whose recipe must be one that `check` finds right.
TEST_F(Usage, DescribesEveryModel) {
  std::istringstream lines(must({"kernels", "list"}).out);
  int described = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("Likelihoods", 0) == 0) break;
    if (line.rfind("  ", 0) != 0) continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    if (name == "mixture") continue;
    const std::string text = must({"kernels", "show", name}).out;
    for (const char* part : {"formula:", "accuracy:", "cost:", "settings", "parameters", "prior:", "reference:"})
      EXPECT_TRUE(has(text, part)) << name << part;
    const auto recipe = text.rfind("recipe:\n");
    ASSERT_NE(recipe, std::string::npos);
    folder_.write("recipe.json", text.substr(recipe + 8));
    must({"check", folder_ / "recipe.json"});
    ++described;
  }
  EXPECT_GT(described, 10);
  expect_failure(run({"kernels", "show", "gmm"}), 1, {"did you mean 'gm'"});
  expect_failure(run({"kernels", "show"}), 1, {"NAME"});
}

}  // namespace
}  // namespace alacarte::test
