// pumadyn32nm: four of 32 inputs matter, and 400 rows reveal this only to fits that start at short length-scales.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "alacarte/data/dataset.hpp"
#include "train/noise/noise_prior.hpp"

namespace alacarte {
namespace {

TEST(NoiseCenter, OfStartsIsFoundWhereLongLengthScalesFindOnlyNoise) {
  if (std::getenv("ALACARTE_DATA_DIR") == nullptr) GTEST_SKIP() << "ALACARTE_DATA_DIR is not set";
  const auto path = std::filesystem::path(std::getenv("ALACARTE_DATA_DIR")) / "uci" / "pumadyn32nm" / "data.csv.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no pumadyn32nm";
  DataConfig config;
  config.strict = true;
  const auto reader = open_table(path.string(), config);
  Schema::prepare(*reader, config);
  const TableChunk table = read_all(*reader);
  Dataset data = Schema::learn(*reader, table, config, {}).encode(*reader, table, true);
  Recipe recipe;
  recipe.noise.prior_rows = 400;
  recipe.scale_inputs = Scaling::zscore;
  int lost = 0;
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const PreparedRows prepared = prepare_rows(recipe, data, seed);
    FitOptions options;
    options.seed = seed;
    lost += find_noise_center(recipe, prepared.rows, options, {}, false).value > 0.9 ? 1 : 0;
    EXPECT_LT(find_noise_center(recipe, prepared.rows, options, {}, true).value, 0.6) << seed;
  }
  EXPECT_GT(lost, 0);  // otherwise the prior has nothing to improve
}

}  // namespace
}  // namespace alacarte
