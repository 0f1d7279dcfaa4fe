// The short ARD fit that centres the prior on the noise, and at whose length-scales fits begin.
#include "train/noise/noise_prior.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/core/random.hpp"

namespace alacarte {
namespace {

constexpr Index kManyInputs = 32;

/// Two of 32 inputs matter, and only together; noise 0.2.
TrainingRows rows_of_two_inputs(Index rows, std::uint64_t seed) {
  RandomStream stream = RandomStreams(seed).stream("rows");
  Matrix x(rows, kManyInputs);
  for (double& value : x.reshaped()) value = std::sqrt(12.0) * (stream.uniform() - 0.5);
  Vector y = 1.8 * (2 * x.col(4).array()).sin() * (2 * x.col(17).array()).sin();
  for (double& value : y) value += 0.2 * stream.normal();
  return make_training_rows(std::make_shared<MemoryRows>(x, y), RandomStreams(seed));
}

TEST(NoiseCenter, OfStartsKnowsTheInputsThatMatter) {
  Recipe recipe;
  recipe.noise.prior_rows = 400;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const TrainingRows rows = rows_of_two_inputs(600, seed);
    const NoiseCenter of_starts = find_noise_center(recipe, rows, {}, {}, true);
    EXPECT_LT(of_starts.value, 0.5) << seed;
    ASSERT_EQ(of_starts.lengthscale.size(), kManyInputs);
    for (Index j = 0; j < kManyInputs; ++j)
      if (j != 4 && j != 17) {
        EXPECT_GT(of_starts.lengthscale[j], 2 * of_starts.lengthscale[4]) << seed << " " << j;
      }
  }
}

TEST(NoiseCenter, OfPlainNoiseStaysTheSame) {
  RandomStream stream = RandomStreams(4).stream("rows");
  const auto source =
      std::make_shared<MemoryRows>(stream.normals(200 * 5).reshaped(200, 5).eval(), stream.normals(200));
  const TrainingRows rows = make_training_rows(source, RandomStreams(4));
  Recipe recipe;
  EXPECT_GT(find_noise_center(recipe, rows, {}, {}, true).value, 0.8);
}

}  // namespace
}  // namespace alacarte
