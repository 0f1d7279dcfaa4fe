// The shipped catalogue, compared with its files.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "alacarte/data/table.hpp"
#include "data/fingerprint.hpp"
#include "experiment/catalogue.hpp"

namespace alacarte {
namespace {

TEST(ShippedData, SumsSizesAndTargetsAreTheCatalogues) {
  const char* const root = std::getenv("ALACARTE_DATA_DIR");
  if (root == nullptr) GTEST_SKIP() << "ALACARTE_DATA_DIR is not set";
  int seen = 0;
  const Catalogue catalogue = read_catalogue(ALACARTE_SOURCE_DIR "/configs/datasets.json");
  for (const DatasetEntry& entry : catalogue.entries()) {
    SCOPED_TRACE(entry.name);
    const std::string path = (std::filesystem::path(root) / entry.data_file()).string();
    if (!entry.verified || !std::filesystem::exists(path)) continue;
    EXPECT_EQ(file_sha256(path), entry.sha256);
    if (!entry.mask_file().empty()) {
      EXPECT_EQ(file_sha256((std::filesystem::path(root) / entry.mask_file()).string()), entry.mask_sha256);
    }
    const auto reader = open_table(path, DataConfig{});
    const Matrix numbers = read_all(*reader).numbers;
    ASSERT_EQ(numbers.rows(), entry.rows);
    ASSERT_EQ(numbers.cols(), entry.inputs + 1);
    if (!entry.target_sd) continue;
    const auto target = numbers.col(entry.inputs).array();
    const double sd = std::sqrt((target - target.mean()).square().mean());
    EXPECT_NEAR(sd, *entry.target_sd, 1e-4 * sd);
    ++seen;
  }
  if (seen == 0) GTEST_SKIP() << "no data set of the catalogue is below ALACARTE_DATA_DIR";
}

}  // namespace
}  // namespace alacarte
