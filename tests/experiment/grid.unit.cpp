#include <gtest/gtest.h>

#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "experiment/experiment.hpp"
#include "support/program.hpp"
#include "train/version.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

std::string refusal(const std::string& text) {
  try {
    parse_experiment(Json::parse(text));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Experiment, IsReadStrictly) {
  const Experiment e = parse_experiment(Json::parse(R"({"name": "t", "datasets": ["a", "b"],
    "recipes": [{"label": "GM", "recipe": "gm", "overrides": {"small": {"/copies": 2}}}, {"baseline": "knn"}],
    "folds": [0, 3], "seeds": [7], "train_rows": 90, "class_numbers": true, "threads": 2, "seconds": 10, "memory_mb": 100, "paper": "p.csv", "trainers": ["1"]})"));
  EXPECT_EQ(e.datasets.size(), 2u);
  EXPECT_EQ(e.methods[0].overrides.at("small"), std::vector<std::string>{"/copies=2"});
  EXPECT_EQ(e.methods[1].label, "knn");
  EXPECT_EQ(e.folds.at("all"), (std::vector<Index>{0, 3}));
  EXPECT_EQ(e.seeds, std::vector<std::uint64_t>{7});
  EXPECT_EQ(e.train_rows, 90);
  EXPECT_TRUE(e.class_numbers);
  EXPECT_EQ(e.seconds, 10);
  EXPECT_EQ(e.trainers, std::vector<std::string>{"1"});
}

TEST(Experiment, RefusalsNameThePlace) {
  const std::string rest = R"(, "datasets": ["a"], "recipes": [{"recipe": "gm"}])";
  for (const auto& [text, place, words] : std::vector<std::array<std::string, 3>>{
           {R"({"name": "t", "fold": [0])" + rest + "}", "/fold", "folds"},
           {R"({"name": "t", "folds": [0, 0])" + rest + "}", "/folds", "twice"},
           {R"({"name": "t", "folds": [-1])" + rest + "}", "/folds", "-1"},
           {R"({"name": "t", "folds": {"b": [0]})" + rest + "}", "/folds/b", "allowed: all"},
           {R"({"name": "t", "folds": {"a": [0, 0]})" + rest + "}", "/folds/a", "twice"},
           {R"({"name": "t", "overrides": {"al": {}})" + rest + "}", "/overrides/al", "did you mean 'all'"},
           {R"({"name": "t", "overrides": {"a": 3})" + rest + "}", "/overrides/a", "object"},
           {R"({"name": "t", "overrides": {"all": {}}, "datasets": ["a"], "recipes": [{"baseline": "knn"}]})",
            "/overrides", "baselines"},
           {R"({"name": "t", "train_rows": 1)" + rest + "}", "/train_rows", "2"},
           {R"({"name": "t", "threads": 0)" + rest + "}", "/threads", "1"},
           {R"({"name": "t", "seconds": -3)" + rest + "}", "/seconds", "0"},
           {R"({"name": "t", "datasets": [], "recipes": [{"recipe": "gm"}]})", "/datasets", "at least one"},
           {R"({"name": "t", "datasets": ["a", "a"], "recipes": [{"recipe": "gm"}]})", "/datasets", "twice"},
           {R"({"name": "t", "datasets": ["a"], "recipes": [{"recipe": "gm", "baseline": "knn"}]})", "/recipes/0",
            "either"},
           {R"({"name": "t", "datasets": ["a"], "recipes": [{"baseline": "kn"}]})", "/recipes/0/baseline", "knn"},
           {R"({"name": "t", "datasets": ["a"], "recipes": [{"recipe": "gm", "overrides": {"tiny": {}}}]})",
            "/recipes/0/overrides/tiny", "small"},
           {R"({"name": "t", "datasets": ["a"], "recipes": [{"recipe": "gm"}, {"recipe": "gm"}]})", "/recipes",
            "twice"},
           {R"({"datasets": ["a"], "recipes": [{"recipe": "gm"}]})", "name", "needs"}}) {
    const std::string said = refusal(text);
    EXPECT_NE(said.find(place), std::string::npos) << text << " -> " << said;
    EXPECT_NE(said.find(words), std::string::npos) << text << " -> " << said;
  }
}

class Grid : public testing::Test {
 protected:
  Grid() {
    for (const char* name : {"big", "small"}) {
      DatasetEntry entry;
      entry.name = entry.title = entry.folder = name;
      entry.group = std::string(name) == "big" ? "medium" : "small";
      entry.rows = entry.group == "small" ? 20 : 5000;
      entry.inputs = 2;
      entry.task = "regression";
      entry.split = {"folds", 3};
      folder_.write(std::string(name) + ".csv", "1,2,3\n");
      entries_.push_back(entry);
    }
    sources_.recipe = [](const std::string& name, const std::vector<std::string>& overrides) {
      Recipe recipe;
      recipe.model = name;
      recipe.copies = static_cast<Index>(1 + overrides.size());
      return recipe;
    };
    sources_.data = [this](const DatasetEntry& entry) -> std::string {
      if (!std::filesystem::exists(folder_ / (entry.name + ".csv"))) throw IoError(entry.name, "no such file");
      return folder_ / (entry.name + ".csv");
    };
    experiment_.name = "t";
    experiment_.datasets = {"big", "small"};
    Method gm{"G/M", "gm", "", {{"medium", {"/a=1"}}, {"all", {"/b=2"}}}};
    experiment_.methods = {gm, {"Mean", "", "mean", {}}};
  }

  std::vector<alacarte::Run> runs(const RunFilter& filter = {}) {
    remarks_ = {};
    return expand(experiment_, Catalogue(entries_), sources_, filter, remarks_);
  }

  test::TemporaryFolder folder_;
  std::vector<DatasetEntry> entries_;
  ExperimentSources sources_;
  Experiment experiment_;
  ExpandRemarks remarks_;
};

TEST_F(Grid, HoldsEveryCombinationCheapOnesFirst) {
  const std::vector<alacarte::Run> all = runs();
  ASSERT_EQ(all.size(), 12u);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].flops, all[i].flops);
  EXPECT_EQ(all.front().baseline, "mean");
  EXPECT_EQ(all.back().dataset, "big");
  EXPECT_EQ(all.back().id, "big.G-M.f2.s0");
  EXPECT_EQ(all.back().recipe["copies"], 3);  // "all" and "medium"
  std::set<std::string> ids, hashes;
  for (const alacarte::Run& run : all) {
    ids.insert(run.id);
    hashes.insert(run.hash());
    EXPECT_EQ(run_from_json(to_json(run)).hash(), run.hash());
  }
  EXPECT_EQ(ids.size(), 12u);
  // The two files hold the same bytes, so the mean of one fold is shared by both data sets.
  EXPECT_EQ(hashes.size(), 9u);
}

TEST_F(Grid, OverridesAndFoldsOfTheMoreSpecificWin) {
  std::vector<std::string> given;
  sources_.recipe = [&](const std::string& name, const std::vector<std::string>& overrides) {
    given = overrides;
    Recipe recipe;
    recipe.model = name;
    return recipe;
  };
  experiment_.overrides = {{"big", {"/c=3"}}, {"medium", {"/d=4"}}, {"all", {"/e=5"}}, {"small", {"/f=6"}}};
  experiment_.methods[0].overrides["big"] = {"/g=7"};
  experiment_.folds = {{"all", {0}}, {"medium", {0, 1}}, {"big", {2}}};
  const std::vector<alacarte::Run> big = runs({"big", "G/M", -1});
  ASSERT_EQ(big.size(), 1u);
  EXPECT_EQ(big.front().fold, 2);
  EXPECT_EQ(given, (std::vector<std::string>{"/e=5", "/d=4", "/c=3", "/b=2", "/a=1", "/g=7"}));
  experiment_.folds.erase("big");
  EXPECT_EQ(runs({"big", "G/M", -1}).size(), 2u);
  const std::vector<alacarte::Run> small = runs({"small", "G/M", -1});
  ASSERT_EQ(small.size(), 1u);
  EXPECT_EQ(small.front().fold, 0);
  EXPECT_EQ(given, (std::vector<std::string>{"/e=5", "/f=6", "/b=2"}));
}

TEST_F(Grid, TheHashFollowsWhatDecidesTheResult) {
  const auto hash = [&] { return runs({"small", "G/M", 1}).front().hash(); };
  const std::string before = hash();
  experiment_.description = experiment_.name = "other words";
  EXPECT_EQ(hash(), before);
  experiment_.threads = 2;
  EXPECT_NE(hash(), before);
  experiment_.threads = 1;
  folder_.write("small.csv", "1,2,4\n");
  EXPECT_NE(hash(), before);
  folder_.write("small.csv", "1,2,3\n");
  EXPECT_EQ(hash(), before);
  experiment_.methods[0].overrides["small"] = {"/c=1"};
  EXPECT_NE(hash(), before);
}

TEST_F(Grid, TheHashFollowsTheTrainerAndOthersCountWhereTheyAreNamed) {
  const alacarte::Run run = runs({"small", "G/M", 1}).front();
  EXPECT_EQ(run.trainer(), trainer_version("ard"));
  EXPECT_EQ(run.hash(run.trainer()), run.hash());
  EXPECT_NE(run.hash("another"), run.hash());
  EXPECT_TRUE(run.accepts(run.hash()));
  EXPECT_FALSE(run.accepts(run.hash("another")));
  EXPECT_EQ(runs({"small", "Mean", 1}).front().trainer(), "1") << "baselines do not train";
  experiment_.trainers = {"another"};
  const alacarte::Run lenient = runs({"small", "G/M", 1}).front();
  EXPECT_EQ(lenient.hash(), run.hash());
  EXPECT_TRUE(lenient.accepts(run.hash("another")));
  EXPECT_FALSE(lenient.accepts(run.hash("a third")));
}

TEST_F(Grid, FiltersAndRefuses) {
  EXPECT_EQ(runs({"small", "", -1}).size(), 6u);
  EXPECT_EQ(runs({"", "Mean", 2}).size(), 2u);
  EXPECT_THROW(runs({"", "Median", -1}), ConfigError);
  EXPECT_THROW(runs({"", "", 8}), ConfigError);
  experiment_.folds = {{"all", {3}}};
  EXPECT_THROW(runs(), ConfigError);
  experiment_.folds = {};
  experiment_.datasets = {"smal"};
  EXPECT_THROW(runs(), ConfigError);
  experiment_.datasets = {"small"};
  entries_[1].task = "classification";
  EXPECT_THROW(runs(), ConfigError);
  experiment_.class_numbers = true;
  EXPECT_EQ(runs().size(), 6u);
}

TEST_F(Grid, MissingAndForeignDataAreRemarked) {
  std::filesystem::remove(folder_ / "big.csv");
  entries_[1].sha256 = std::string(64, '0');
  EXPECT_EQ(runs().size(), 6u);
  ASSERT_EQ(remarks_.lines.size(), 2u);
  EXPECT_NE(remarks_.lines[0].find("big is left out"), std::string::npos);
  EXPECT_NE(remarks_.lines[1].find("small: the files differ"), std::string::npos);
  EXPECT_EQ(remarks_.absent, std::vector<std::string>{"big"});
}

TEST(EstimatedFlops, GrowsWithRowsFeaturesAndCopiesAndObeysTheCap) {
  Recipe recipe;
  const double base = estimated_flops(recipe, 10000, 8);
  EXPECT_NEAR(estimated_flops(recipe, 20000, 8) / base, 2, 0.1);
  recipe.copies = 3;
  EXPECT_DOUBLE_EQ(estimated_flops(recipe, 10000, 8), 3 * base);
  recipe.model = "exact-ard";
  recipe.copies = 1;
  EXPECT_NEAR(estimated_flops(recipe, 2000, 8) / estimated_flops(recipe, 1000, 8), 8, 0.5);
  recipe.flops = 17;
  EXPECT_DOUBLE_EQ(estimated_flops(recipe, 1000, 8), 17);
}

TEST(EstimatedFlops, ComponentsCountByTheirFeatures) {
  Recipe one, pwl, gm;
  one.features.frequencies = 384;
  pwl.model = "pwl";
  gm.model = "gm";
  pwl.features.components = gm.features.components = 3;
  pwl.features.frequencies = 128;
  gm.features.frequencies = 64;
  EXPECT_DOUBLE_EQ(estimated_flops(pwl, 5000, 8), estimated_flops(one, 5000, 8));
  EXPECT_DOUBLE_EQ(estimated_flops(gm, 5000, 8), estimated_flops(one, 5000, 8));
}

}  // namespace
}  // namespace alacarte
