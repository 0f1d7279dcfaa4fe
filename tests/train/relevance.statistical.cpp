// Relevance that is not invented: intervals and leave-one-out scores of few rows with many inputs.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/trained_model.hpp"

namespace alacarte {
namespace {

constexpr Index kOpenRows = 40, kOpenInputs = 25, kOpenNewRows = 500;
constexpr std::uint64_t kSeeds = 6;

/// Draws standard normal inputs, and the sum of the first of them with standard normal noise.
Dataset rows_of(Index rows, Index relevant, RandomStream& stream) {
  Dataset data;
  data.inputs.resize(rows, kOpenInputs);
  for (double& value : data.inputs.reshaped()) value = stream.normal();
  data.target = data.inputs.leftCols(relevant).rowwise().sum() + stream.normals(rows);
  return data;
}

class FewRowsOfManyInputs : public ::testing::TestWithParam<std::tuple<const char*, Index>> {};

// The share of new rows in the 95 % intervals varies by 4 % between seeds, since 40 rows tell the noise to a ninth, and
// its mean over six seeds by 1.6 %: the bounds are three of these away from 95 %. A leave-one-out R2 has the standard
// error (1 - R2) sqrt(2 / 40), 0.22 without relevant inputs; the mean difference of six from those of new rows has
// 0.09, and the bound is three of these. At the mode of the hyperparameters the intervals hold some 50 %, and the R2
// differ by more than 1.
TEST_P(FewRowsOfManyInputs, HaveHonestIntervalsAndScores) {
  const auto [model, relevant] = GetParam();
  double held = 0, difference = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    RandomStream stream = RandomStreams(seed).stream("rows");
    const Dataset rows = rows_of(kOpenRows, relevant, stream), others = rows_of(kOpenNewRows, relevant, stream);
    const FittedModel trained = test::trained({{"model", model}}, rows);
    const Metrics scores = test::scored(trained, others);
    held += scores.coverage95 / static_cast<double>(kSeeds);
    difference += (std::get<Metrics>(*trained.training.leave_one_out).r2 - scores.r2) / static_cast<double>(kSeeds);
  }
  EXPECT_GT(held, 0.90);
  EXPECT_LT(held, 0.995);
  EXPECT_LT(std::abs(difference), 0.27);
}

INSTANTIATE_TEST_SUITE_P(Models, FewRowsOfManyInputs,
                         ::testing::Combine(::testing::Values("exact-ard", "auto"), ::testing::Values(0, 1, 3)));

}  // namespace
}  // namespace alacarte
