#include <fstream>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

using Json = nlohmann::json;

/// A catalogue of two local tables with true sums; plain CSV under gzipped names reads alike.
class Datasets : public ProgramTest {
 protected:
  static Json entry(const std::string& name, const Json& sum, const Json& mask_sum) {
    return {{"name", name},
            {"title", name},
            {"folder", name},
            {"group", "small"},
            {"task", "regression"},
            {"rows", 3},
            {"inputs", 1},
            {"target", {{"name", "y"}, {"transform", "log"}, {"identified", "known"}, {"sd", nullptr}}},
            {"sha256", sum},
            {"mask_sha256", mask_sum},
            {"verified", !sum.is_null()},
            {"split", {{"kind", "mask"}, {"folds", 2}}},
            {"licence", "MIT"},
            {"source", "test"},
            {"original", "test"},
            {"conversion", "none"},
            {"fetch", nullptr},
            {"notes", Json::array()}};
  }

  void SetUp() override {
    folder_.write("data/checked/data.csv.gz", kData);
    folder_.write("data/checked/test_mask.csv.gz", kMask);
    folder_.write(
        "config/datasets.json",
        Json{{"format", 1}, {"datasets", {entry("checked", kDataSum, kMaskSum), entry("unchecked", nullptr, nullptr)}}}
            .dump());
  }

  RunOptions environment() const {
    RunOptions options;
    options.environment = {{"ALACARTE_CONFIG_DIR", folder_ / "config"}, {"ALACARTE_DATA_DIR", folder_ / "data"}};
    return options;
  }

  static constexpr const char* kData = "1,2\n3,4\n5,6\n";
  static constexpr const char* kMask = "1,0\n0,1\n0,0\n";
  static constexpr const char* kDataSum = "df934b9451bfec634ff7308963516e39c3ce7dfbec37b3be413742bc91d82782";
  static constexpr const char* kMaskSum = "14db119dbbb3813bc2d924041ba4e0da2799669089a8e59ae7f2d4db634a5dee";
};

TEST_F(Datasets, ShippedCatalogueIsListedAndShown) {
  const std::string small = must({"datasets", "list", "--group", "small"}).out;
  EXPECT_EQ(lines_of(small).size(), 19u);
  EXPECT_TRUE(has(small, "servo"));
  EXPECT_FALSE(has(small, "protein"));
  const Json all = Json::parse(must({"datasets", "list", "--json"}).out);
  ASSERT_GE(all.size(), 52u);
  EXPECT_EQ(all[0]["name"], "challenger");
  const std::string shown = must({"datasets", "show", "housing"}).out;
  EXPECT_TRUE(has(shown, "506 rows, 13 inputs"));
  EXPECT_TRUE(has(shown, "9f5b8a1cbc051465dcf10f4298aaccd8a596ea68de0db693159be6e7d07ccf12"));
  EXPECT_TRUE(has(shown, "the paper's Table 1 prints 509 rows"));
  EXPECT_EQ(Json::parse(must({"datasets", "show", "song", "--json"}).out)["sha256"], nullptr);
}

TEST_F(Datasets, OtherCataloguesAreFoundWhereRecipesAre) {
  const Json all = Json::parse(must({"datasets", "list", "--json"}, environment()).out);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["present"], true);
  EXPECT_EQ(all[1]["present"], false);
  folder_.write("config/datasets.json", R"({"format": 1, "datasets": [{"nmae": "x"}]})");
  expect_failure(run({"datasets", "list"}, environment()), 2,
                 {"/datasets/0/nmae", "did you mean 'name'", "datasets.json"});
}

TEST_F(Datasets, WrongWordsGetTheNearest) {
  expect_failure(run({"datasets", "show", "hosuing"}), 2, {"'hosuing'", "did you mean 'housing'"});
  expect_failure(run({"datasets", "list", "--group", "smal"}), 2, {"--group", "did you mean 'small'"});
  expect_failure(run({"datasets", "lsit"}), 1, {"'lsit'", "did you mean 'list'", "alacarte datasets --help"});
  expect_failure(run({"datasets"}), 1, {"see alacarte datasets --help"});
  expect_failure(run({"datasets", "list", "--jsn"}), 1, {"--jsn", "did you mean '--json'", "alacarte datasets list"});
}

TEST_F(Datasets, VerifyTellsWhatIsRightAndWhatIsMissing) {
  const RunResult all = must({"datasets", "verify"}, environment());
  const auto lines = lines_of(all.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(has(lines[0], "checked") && has(lines[0], " ok"));
  EXPECT_TRUE(has(lines[1], "unchecked") && has(lines[1], "missing"));
  must({"datasets", "verify", "checked"}, environment());
  const RunResult named = run({"datasets", "verify", "checked", "unchecked"}, environment());
  EXPECT_EQ(named.code, 4);
  EXPECT_TRUE(has(named.err, "1 data set is missing"));
  std::filesystem::remove(folder_ / "data/checked/test_mask.csv.gz");
  EXPECT_EQ(run({"datasets", "verify", "checked"}, environment()).code, 4);
  RunOptions bare = environment();
  bare.environment["ALACARTE_DATA_DIR"] = "";
  expect_failure(run({"datasets", "verify"}, bare), 4, {"ALACARTE_DATA_DIR"});
}

TEST_F(Datasets, VerifyFindsOtherBytes) {
  folder_.write("data/checked/data.csv.gz", "1,2\n3,4\n5,7\n");
  RunResult result = run({"datasets", "verify"}, environment());
  EXPECT_EQ(result.code, 3);
  EXPECT_TRUE(has(result.out, "wrong checksum: data.csv.gz"));
  EXPECT_TRUE(has(result.err, "1 data set does not agree"));
  SetUp();
  folder_.write("data/checked/test_mask.csv.gz", "1,0\n0,1\n1,0\n");
  result = run({"datasets", "verify", "checked"}, environment());
  EXPECT_EQ(result.code, 3);
  EXPECT_TRUE(has(result.out, "wrong checksum: test_mask.csv.gz"));
}

TEST_F(Datasets, VerifyCountsWhatHasNoSum) {
  const auto result_with = [&](const std::string& data, const std::string& mask) {
    folder_.write("data/unchecked/data.csv.gz", data);
    folder_.write("data/unchecked/test_mask.csv.gz", mask);
    return run({"datasets", "verify", "unchecked"}, environment());
  };
  const RunResult good = result_with(kData, kMask);
  EXPECT_EQ(good.code, 0);
  EXPECT_TRUE(has(good.out, "not verified")) << good.out;
  EXPECT_TRUE(has(good.out, kDataSum));
  for (const auto& [data, mask, words] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"1,2\n3,4\n", kMask, "wrong size: 2 rows of 2 columns"},
           {"1,2,3\n3,4,5\n5,6,7\n", kMask, "wrong size: 3 rows of 3 columns"},
           {kData, "1\n0\n0\n", "wrong folds: 1"},
           {kData, "1,0\n0,1\n", "test_mask.csv.gz"},
           {"1,2\n3,x\n5,6\n", kMask, "data.csv.gz: row 2"}}) {
    const RunResult result = result_with(data, mask);
    EXPECT_EQ(result.code, 3) << words;
    EXPECT_TRUE(has(result.out, words)) << result.out;
  }
}

}  // namespace
}  // namespace alacarte::test
