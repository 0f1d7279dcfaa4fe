// Splits, sizes, quantities, recipes with single keys changed, and the check of gradients.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "alacarte/app/train_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "app/check_gradients.hpp"
#include "app/find_files.hpp"
#include "app/quantities.hpp"
#include "data/column_splits.hpp"
#include "data/splits.hpp"
#include "support/example_recipe.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

TEST(Quantities, TablesAlignTheirColumns) {
  EXPECT_EQ(text_table({{"name", "rows", ""}, {"a", "1000", "x"}}, "lrl", 1), " name  rows\n a     1000  x\n");
  EXPECT_EQ(text_table({}, "l"), "");
}

TEST(Split, HoldsOutWhatItSays) {
  EXPECT_FALSE(Split().given());
  EXPECT_TRUE(held_out_rows(Split(), 10, nullptr).empty());
  EXPECT_FALSE(record_of(Split(), 10));
  Split share, fold, mask;
  share.holdout = 0.3;
  share.seed = fold.seed = 7;
  fold.folds = 5;
  fold.fold = 2;
  EXPECT_EQ(held_out_rows(share, 10, nullptr), hold_out(10, 0.3, 7));
  EXPECT_EQ(held_out_rows(fold, 10, nullptr), k_fold(10, 5, 2, 7));
  const std::vector<Index> classes{0, 0, 0, 1, 1, 1, 0, 0, 0, 1};
  EXPECT_EQ(held_out_rows(fold, 10, [&] { return classes; }), k_fold(classes, 5, 2, 7));
  const test::TemporaryFolder folder;
  mask.mask = folder.write("mask.csv", "0,1\n1,0\n0,1\n");
  mask.fold = 1;
  EXPECT_EQ(held_out_rows(mask, 3, nullptr), (std::vector<bool>{true, false, true}));
  EXPECT_THROW(held_out_rows(mask, 4, nullptr), DataError);
  for (const Split& split : {share, fold, mask}) {
    const Split again = split_of(record_of(split, 3).value());
    EXPECT_EQ(std::tie(again.mask, again.fold, again.folds, again.holdout, again.seed),
              std::tie(split.mask, split.fold, split.folds, split.holdout, split.seed));
  }
  EXPECT_THROW(split_of({.kind = "holdout"}), IoError);
}

TEST(Split, FollowsGroupsAndTimes) {
  const auto classes = [] { return std::vector<Index>{0, 1, 0, 1, 0, 1}; };
  SplitColumns groups, times;
  groups.groups = {0, 0, 1, 1, 2, 2};
  times.times = Vector{{5, 4, 3, 2, 1, 0}};
  Split share, fold, mask;
  share.holdout = 0.3;
  fold.folds = 2;
  fold.fold = 0;
  // Whatever the classes.
  EXPECT_EQ(held_out_rows(share, 6, classes, groups), group_hold_out(groups.groups, 0.3, 0));
  EXPECT_EQ(held_out_rows(fold, 6, classes, groups), group_fold(groups.groups, 2, 0, 0));
  EXPECT_EQ(left_out_rows(fold, 6, classes, groups), held_out_rows(fold, 6, classes, groups));
  EXPECT_EQ(held_out_rows(share, 6, classes, times), (std::vector<bool>{1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(held_out_rows(fold, 6, classes, times), (std::vector<bool>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(left_out_rows(fold, 6, classes, times), (std::vector<bool>{1, 1, 1, 1, 0, 0}));
  // A mask says all itself.
  const test::TemporaryFolder folder;
  mask.mask = folder.write("mask.csv", "0\n1\n0\n1\n0\n0\n");
  mask.fold = 0;
  EXPECT_EQ(held_out_rows(mask, 6, classes, groups), (std::vector<bool>{0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(left_out_rows(mask, 6, classes, times), (std::vector<bool>{0, 1, 0, 1, 0, 0}));
  DataConfig data;
  data.group = "subject";
  EXPECT_EQ(record_of(share, 6, data).value().group, "subject");
  EXPECT_FALSE(record_of(mask, 6, data).value().group);
  EXPECT_FALSE(record_of(share, 6).value().group);
}

TEST(Memory, SizesHaveUnits) {
  EXPECT_EQ(parse_size("1000000"), 1e6);
  EXPECT_EQ(parse_size("2g"), 0x1p31);
  EXPECT_EQ(parse_size("1.5 GiB"), 1.5 * 0x1p30);
  EXPECT_EQ(parse_size("500MB"), 5e8);
  for (const char* bad : {"", "none", "1 PB", "-1MB", "0", "1e400", "1 2"}) EXPECT_FALSE(parse_size(bad)) << bad;
  EXPECT_GE(available_memory(), 0);
}

TEST(Quantities, ReadWell) {
  EXPECT_EQ(format_bytes(3.4e6), "3.4 MB");
  EXPECT_EQ(format_flops(1.2e9), "1.2 GFLOP");
  EXPECT_EQ(format_seconds(200), "3 min 20 s");
}

TEST(RecipeSource, OverridesGoThroughTheParser) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("r.json", R"({"model": "ard", "training": {"iterations": 9}})");
  EXPECT_EQ(read_recipe_with(path, {}).training.iterations, 9);
  const Recipe changed = read_recipe_with(path, {"/training/iterations=50", "/features/frequencies=32"});
  EXPECT_EQ(changed.training.iterations, 50);
  EXPECT_EQ(changed.features.frequencies, 32);
  for (const char* bad : {"training=1", "/training/iterations", "/training/iterations=ten", "/training/iteration=1"})
    EXPECT_THROW(read_recipe_with(path, {bad}), ConfigError) << bad;
}

TEST(CheckGradients, ReportsEveryModelOfARecipe) {
  Recipe recipe;
  recipe.model = "mixture";
  recipe.members = {example_recipe("ard", 32), example_recipe("exact-ard", 32)};
  std::vector<ModelGradientCheck> results;
  const GradientAgreement agreement = check_gradients(
      recipe, rows_to_check(recipe, 1), 1, [&](const ModelGradientCheck& result) { results.push_back(result); });
  ASSERT_EQ(results.size(), 3u) << "fewer and more rows than features, and one number of rows of the exact kernel";
  EXPECT_EQ(results[0].model, "ard");
  EXPECT_TRUE(results[0].first && !results[1].first && results[2].first);
  EXPECT_EQ(results[0].frequencies, 16);
  EXPECT_FALSE(results[2].has_features);
  EXPECT_TRUE(agreement.holds());
  EXPECT_EQ(agreement.worst, std::max({results[0].worst, results[1].worst, results[2].worst}));
  const std::atomic<bool> stop{true};
  EXPECT_THROW(check_gradients(recipe, rows_to_check(recipe, 1), 1, [](const auto&) {}, {1, nullptr, &stop}),
               Interrupted);
}

}  // namespace
}  // namespace alacarte
