// Estimates of operations: the directions in which they grow. Beside measured times they are in benchmarks/.
#include "train/plan/cost_model.hpp"

#include <gtest/gtest.h>

#include "alacarte/io/recipe_io.hpp"

namespace alacarte {
namespace {

TEST(CostModel, GrowsWithEverySize) {
  const Recipe exact = parse_registered_recipe({{"model", "exact-ard"}, {"training", {{"iterations", 20}}}});
  Recipe sampled = exact, longer = exact;
  sampled.training.samples = 10;
  ++longer.training.iterations;
  double n = 50;
  for (; n < 1e6; n *= 2) {
    EXPECT_LE(default_flops(n), default_flops(2 * n));
    for (double size = 4; size < 1000; size *= 2) {
      EXPECT_LT(feature_flops(n, size), feature_flops(2 * n, size));
      EXPECT_LT(feature_flops(n, size), feature_flops(n, 2 * size));
      EXPECT_LT(exact_flops(exact, n, size), exact_flops(exact, n, 2 * size));
      EXPECT_LT(subsample_flops(n, size, 100), subsample_flops(2 * n, size, 100));
      EXPECT_LT(subsample_flops(n, size, 100), subsample_flops(n, size, 200));
      EXPECT_LT(exact_fit_flops(exact, n, size), exact_fit_flops(exact, 2 * n, size));
      EXPECT_LT(exact_fit_flops(exact, n, size), exact_fit_flops(longer, n, size));
      EXPECT_LT(exact_fit_flops(exact, n, size), exact_fit_flops(sampled, n, size));
      EXPECT_LT(spectra_flops(n, size, 16, 0), spectra_flops(n, size, 32, 0));
    }
  }
  for (const Index rows : {100, 299, 300, 999, 1000, 5000}) {
    EXPECT_LT(left_out_noise_flops(rows, 5), left_out_noise_flops(rows, 6));
    EXPECT_LE(left_out_noise_rows(rows, 5, 1e9), left_out_noise_rows(rows, 5, 2e9));
  }
  EXPECT_DOUBLE_EQ(nominal_seconds(nominal_flops(3, 2), 2), 3);
  EXPECT_DOUBLE_EQ(nominal_seconds(nominal_flops(3, 2), 1), 6);
}

}  // namespace
}  // namespace alacarte
