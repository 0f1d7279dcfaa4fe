// Few rows for many inputs: which fits take samples of their hyperparameters, and what is left out of them.
#include "train/plan/open_relevance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/trained_model.hpp"
#include "support/uniform_rows.hpp"
#include "train/plan/cost_model.hpp"
#include "train/weigh/left_out_samples.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

Recipe planned(const Json& recipe, const TableSize& size) {
  return with_open_relevance(parse_registered_recipe(recipe), size);
}

TEST(OpenRelevance, IsSampledWhereRowsAreFewForTheInputs) {
  const Recipe sampled = planned({{"model", "exact-ard"}}, {50, 35, 0});
  EXPECT_EQ(sampled.training.samples, 40);
  EXPECT_EQ(sampled.noise.prior_center, PriorCenter::fixed);
  EXPECT_GT(sampled.noise.prior_sd, 1);
  EXPECT_EQ(chain_start(sampled, 50, 35), ChainStart::away_from_mode);
  const Recipe usual = parse_registered_recipe({{"model", "exact-ard"}});
  EXPECT_EQ(planned({{"model", "exact-ard"}}, {280, 35, 0}), usual);
  EXPECT_EQ(planned({{"model", "exact-ard"}}, {301, 100, 0}), usual);
  EXPECT_EQ(chain_start(usual, 280, 35), ChainStart::at_mode);
}

TEST(OpenRelevance, LeavesOtherModelsAsTheyAre) {
  for (const Json& recipe : std::vector<Json>{{{"model", "ard"}},
                                              {{"model", "exact-ard"}, {"priors", false}},
                                              {{"model", "exact-ard"}, {"likelihood", "student-t"}},
                                              {{"model", "exact-ard"}, {"noise", {{"varies", true}}}},
                                              {{"model", "exact-ard"}, {"max_model_mb", 0.1}},
                                              {{"model", "exact-ard"}, {"flops", 1e6}},
                                              {{"model", "exact-ard"}, {"training", {{"samples", -1}}}}})
    EXPECT_EQ(planned(recipe, {50, 35, 0}), parse_registered_recipe(recipe)) << recipe;
  EXPECT_EQ(planned({{"model", "exact-ard"}, {"likelihood", "softmax"}}, {50, 35, 2}).training.samples, 0);
}

TEST(OpenRelevance, KeepsWhatIsSetByHand) {
  const Recipe some = planned({{"model", "exact-matern"}, {"training", {{"samples", 7}}}}, {50, 35, 0});
  EXPECT_EQ(some.training.samples, 7);
  for (const Json& noise : std::vector<Json>{{{"prior_sd", 0.5}}, {{"prior_value", 0.1}}, {{"trained", false}}}) {
    const Json recipe = {{"model", "exact-ard"}, {"noise", noise}};
    EXPECT_EQ(planned(recipe, {50, 35, 0}).noise, parse_registered_recipe(recipe).noise) << noise;
    EXPECT_EQ(planned(recipe, {50, 35, 0}).training.samples, 40) << noise;
  }
}

TEST(OpenRelevance, OfAMixtureIsThatOfItsExactKernels) {
  const Recipe mixture =
      planned({{"model", "mixture"}, {"members", {{{"model", "exact-ard"}}, {{"model", "ssgpr"}}}}}, {50, 35, 0});
  EXPECT_EQ(mixture.members[0].training.samples, 40);
  EXPECT_EQ(mixture.members[1].training.samples, 0);
}

TEST(OpenRelevance, OfAutoIsThatOfTwoKernelsOrOfOneLengthScale) {
  const Recipe recipe = auto_recipe(parse_registered_recipe({{"model", "auto"}}), {100, 20, 0}, 1);
  ASSERT_EQ(recipe.members.size(), 2U);
  for (const Recipe& member : recipe.members) EXPECT_EQ(member.training.samples, 20) << member.model;
  EXPECT_EQ(with_open_relevance(recipe, {100, 20, 0}), recipe);
  // A clock may end samples before half of them, so that they need twice the time; operations do not run out early.
  const auto models = [](double flops, double seconds) {
    Recipe asked = parse_registered_recipe({{"model", "auto"}});
    asked.flops = flops;
    asked.training.seconds = seconds;
    std::vector<std::string> names;
    for (const Recipe& member : auto_recipe(asked, {100, 20, 0}, 1).members) names.push_back(member.model);
    return names;
  };
  const std::vector<std::string> both{"exact-ard", "exact-matern"}, one{"exact-rbf"};
  EXPECT_EQ(models(1e8, 0), one);
  double enough = 1e8;
  while (models(enough, 0) == one) enough *= 1.1;
  EXPECT_EQ(models(enough, 0), both);
  EXPECT_EQ(models(0, enough / kNominalFlops), one);
  EXPECT_EQ(models(0, 2.2 * enough / kNominalFlops), both);
}

TEST(OpenRelevance, ModelHasThePlannedSamplesUnlessItIsToldNotTo) {
  const auto target = [](const auto& x, double normal) { return x[0] + 0.3 * normal; };
  const Dataset few = test::uniform_rows(20, 4, 1, target), more = test::uniform_rows(33, 4, 1, target);
  EXPECT_EQ(test::trained({{"model", "exact-ard"}}, few).members.size(), 40U);
  EXPECT_EQ(test::trained({{"model", "exact-ard"}}, more).members.size(), 1U);
  EXPECT_EQ(test::trained({{"model", "exact-ard"}, {"training", {{"samples", -1}}}}, few).members.size(), 1U);
}

/// Returns samples whose leave-one-out predictions of all rows are these means, with these variances.
std::vector<FitOutcome> samples_of(Index rows, const std::vector<double>& means, const std::vector<double>& variances) {
  std::vector<FitOutcome> samples(means.size());
  for (std::size_t s = 0; s < means.size(); ++s) {
    samples[s].leave_one_out.mean = Matrix::Constant(rows, 1, means[s]);
    samples[s].leave_one_out.variance = Matrix::Constant(rows, 1, variances[s]);
  }
  return samples;
}

TEST(SamplesWithoutARow, AreInProportionToTheInverseOfItsDensity) {
  // Half of the samples predict 0 and half 1, and a target of z has exp((z^2 - (z - 1)^2) / 2) times the weight at 0.
  const std::size_t half = 500;
  std::vector<double> means(2 * half, 0.0);
  std::fill(means.begin() + half, means.end(), 1.0);
  const std::vector<double> ones(means.size(), 1.0);
  const Vector target = (Vector(3) << 0.5, 0.0, 2.0).finished();
  std::vector<FitOutcome> samples = samples_of(target.size(), means, ones);
  leave_rows_out_of_samples(target, samples);
  for (Index i = 0; i < target.size(); ++i) {
    double share = 0;
    for (const FitOutcome& sample : samples)
      share += sample.leave_one_out.mean(i, 0) / static_cast<double>(means.size());
    const double odds = std::exp(0.5 * (std::pow(target[i] - 1, 2) - std::pow(target[i], 2)));
    EXPECT_NEAR(share, odds / (1 + odds), 2e-3) << i;
  }
}

TEST(SamplesWithoutARow, KeepMeanAndVarianceTogetherAndBoundTheWeights) {
  // One of 16 samples rules the target out; its weight is bounded by four times the mean.
  std::vector<double> means(16, 0.0), variances(16, 1.0);
  means[5] = 20;
  variances[5] = 2;
  std::vector<FitOutcome> samples = samples_of(1, means, variances);
  leave_rows_out_of_samples(Vector::Zero(1), samples);
  int far = 0;
  for (const FitOutcome& sample : samples) {
    EXPECT_EQ(sample.leave_one_out.variance(0, 0), sample.leave_one_out.mean(0, 0) == 20 ? 2 : 1);
    far += sample.leave_one_out.mean(0, 0) == 20 ? 1 : 0;
  }
  EXPECT_GT(far, 1);
}

TEST(SamplesWithoutARow, StayWherePredictionsAreMissing) {
  std::vector<FitOutcome> samples = samples_of(2, {0, 1}, {1, 1});
  samples[1].leave_one_out.variance(0, 0) = std::nan("");
  leave_rows_out_of_samples(Vector::Constant(2, 5), samples);
  EXPECT_EQ(samples[0].leave_one_out.mean, Matrix::Zero(2, 1));
  samples = samples_of(2, {0, 1}, {1, 1});
  samples[1].leave_one_out = {};
  leave_rows_out_of_samples(Vector::Constant(2, 5), samples);
  EXPECT_EQ(samples[0].leave_one_out.mean, Matrix::Zero(2, 1));
}

}  // namespace
}  // namespace alacarte
