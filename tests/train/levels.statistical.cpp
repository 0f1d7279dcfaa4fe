// Training with random effects of levels: the size of the effects is found, and rows of unknown levels have wide enough
// intervals.
#include <gtest/gtest.h>

#include <cmath>

#include "optimise/fit_context.hpp"
#include "optimise/trainer.hpp"
#include "support/example_recipe.hpp"
#include "train/noise/noise_prior.hpp"

namespace alacarte {
namespace {

constexpr Index kGroups = 60, kOfGroup = 8, kNew = 400;
constexpr double kTau = 1, kNoise = 0.5;

double smooth(double a, double b) { return std::sin(2 * a) + 0.5 * b; }

/// Rows of two inputs and a code: y = smooth + effect + noise.
Dataset simulated(RandomStream& stream, Index groups, Index of_group, bool known) {
  Dataset data;
  const Index n = groups * of_group;
  data.inputs.resize(n, 3);
  data.target.resize(n);
  const Vector effects = kTau * stream.normals(groups), noise = kNoise * stream.normals(n), a = stream.normals(n),
               b = stream.normals(n);
  for (Index i = 0; i < n; ++i) {
    data.inputs.row(i) << a[i], b[i], known ? static_cast<double>(i % groups) : -1;
    data.target[i] = smooth(a[i], b[i]) + effects[i % groups] + noise[i];
  }
  data.level_counts = {groups};
  return data;
}

class FitsWithLevels : public ::testing::TestWithParam<const char*> {};

// False alarms: tau of 60 groups has a relative error of 0.1, so that 25 % are 2.5 deviations; the seed is fixed.
TEST_P(FitsWithLevels, FindTheSizeOfTheEffectsAndCoverUnknownLevels) {
  RandomStream stream(11);
  Recipe recipe = example_recipe(GetParam(), 32);
  recipe.training.starts = 2;
  const PreparedRows prepared =
      prepare_rows(recipe, std::make_shared<MemoryRows>(simulated(stream, kGroups, kOfGroup, true)), 1);
  const TrainingRows& rows = prepared.rows;
  EXPECT_EQ(prepared.standardizer.input_scale()[2], 1);
  EXPECT_EQ(rows.statistics.smooth_count(), 2);
  const FitJob job = make_job(recipe, rows.statistics, RandomStreams(2));
  const auto make = [&](int threads) { return make_job_inference(job, rows, 0.3, threads); };
  const auto objective = make(1);
  const FitResult result = minimise(*objective, make, make_job_starts(job, rows, objective->parameters(), 0.3),
                                    recipe.training, true, 1, FitContext{});
  const double scale = prepared.standardizer.target_scale();
  const ParameterSlot& slot = objective->parameters().find("effect[0].levels.log_amplitude");
  EXPECT_NEAR(std::exp(result.theta[slot.offset]) * scale, kTau, 0.25 * kTau);
  EXPECT_NEAR(objective->noise_sd(result.theta) * scale, kNoise, 0.15 * kNoise);

  const auto posterior = objective->posterior(result.theta);
  const Dataset fresh = simulated(stream, kNew, 1, false);
  Vector mean(kNew), variance(kNew);
  function_of(*posterior).predict(prepared.standardizer.inputs(fresh.inputs), mean, variance);
  const Vector y = prepared.standardizer.target(fresh.target);
  const Vector sd = (variance.array() + posterior->noise_variance()).sqrt();
  const double covered = ((y - mean).array().abs() <= 1.96 * sd.array()).cast<double>().mean();
  EXPECT_GE(covered, 0.9);
  EXPECT_LE(covered, 0.99);
}

INSTANTIATE_TEST_SUITE_P(Models, FitsWithLevels, ::testing::Values("exact-ard", "ard", "gm"), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Rows of whole levels are drawn for the noise: among single rows of 400 levels the effects would be noise.
TEST(NoiseOfLevels, IsNotTakenForTheirEffects) {
  RandomStream stream(12);
  Recipe recipe = example_recipe("ard", 16);
  recipe.noise.prior_rows = 200;
  const PreparedRows prepared = prepare_rows(recipe, std::make_shared<MemoryRows>(simulated(stream, 400, 5, true)), 1);
  const NoiseCenter center = find_noise_center(recipe, prepared.rows, {}, {}, false);
  EXPECT_EQ(center.from, PriorCenter::ard);
  EXPECT_NEAR(center.value * prepared.standardizer.target_scale(), kNoise, 0.4 * kNoise);
  ASSERT_EQ(center.lengthscale.size(), 3);
}

}  // namespace
}  // namespace alacarte
