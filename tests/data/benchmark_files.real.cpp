// The paper's data as published: sizes, folds and catalogue entries.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "data/fingerprint.hpp"
#include "data/splits.hpp"
#include "data/support.hpp"

namespace alacarte {
namespace {

struct Known {
  const char* name;
  Index rows, inputs;
  double target_sd;  ///< sd of the stored target, ddof = 0, five digits
};

class BenchmarkFiles : public testing::TestWithParam<Known> {
 protected:
  void SetUp() override {
    const char* const root = std::getenv("ALACARTE_DATA_DIR");
    if (root == nullptr) GTEST_SKIP() << "ALACARTE_DATA_DIR is not set";
    folder_ = std::filesystem::path(root) / "uci" / GetParam().name;
  }
  std::string file(const char* name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_;
};

TEST_P(BenchmarkFiles, HaveTheKnownSizesAndFolds) {
  const Known& known = GetParam();
  DataConfig config;
  config.strict = true;
  const auto reader = open_table(file("data.csv.gz"), config);
  Schema::prepare(*reader, config);
  const TableChunk table = read_all(*reader);
  EXPECT_FALSE(reader->has_names());
  const Schema schema = Schema::learn(*reader, table, config, {});
  const Dataset data = schema.encode(*reader, table, true);
  EXPECT_EQ(data.rows(), known.rows);
  EXPECT_EQ(data.inputs.cols(), known.inputs);
  EXPECT_TRUE(data.inputs.allFinite());
  const auto standardizer = Standardizer::learn(data.inputs, data.target, Scaling::zscore, TargetScaling::zscore);
  const auto n = static_cast<double>(known.rows);
  EXPECT_NEAR(standardizer.target_scale() * std::sqrt((n - 1) / n), known.target_sd, 1e-4 * known.target_sd);
  const Index folds = count_mask_folds(file("test_mask.csv.gz"));
  ASSERT_EQ(folds, 10);
  std::vector<int> hits(static_cast<std::size_t>(known.rows), 0);
  for (Index fold = 0; fold < folds; ++fold) {
    const auto test = read_mask(file("test_mask.csv.gz"), fold, known.rows);
    for (std::size_t i = 0; i < hits.size(); ++i) hits[i] += test[i] ? 1 : 0;
  }
  EXPECT_EQ(hits, std::vector<int>(hits.size(), 1));
}

INSTANTIATE_TEST_SUITE_P(Uci, BenchmarkFiles,
                         testing::Values(Known{"challenger", 23, 4, 0.64195}, Known{"servo", 167, 4, 0.89676},
                                         Known{"autos", 159, 25, 0.44098}, Known{"concrete", 1030, 8, 16.698},
                                         Known{"gas", 2565, 128, 1.0409}, Known{"pol", 15000, 26, 41.724}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(BenchmarkFile, ServoIsTheFileWeKnow) {
  const char* const root = std::getenv("ALACARTE_DATA_DIR");
  if (root == nullptr) GTEST_SKIP() << "ALACARTE_DATA_DIR is not set";
  EXPECT_EQ(file_sha256((std::filesystem::path(root) / "uci/servo/data.csv.gz").string()),
            "1c18994b739e50bf8dde9d5863680d8aa8ac8f71944adcde1368acac094be6b9");
}

}  // namespace
}  // namespace alacarte
