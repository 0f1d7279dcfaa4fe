// Starting points from what the rows hold.
#include "train/search/row_starts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "alacarte/io/recipe_io.hpp"
#include "data/row_structure.hpp"
#include "train/noise/noise_prior.hpp"

namespace alacarte {
namespace {

/// A sine of one input in [0, 1] with noise of 0.1, and its structure.
TrainingRows sine_rows(double periods, Index count, double amplitude = 1) {
  RandomStream stream(7);
  Matrix x(count, 1);
  Vector y(count);
  const Vector noise = stream.normals(count);
  for (Index i = 0; i < count; ++i) {
    x(i, 0) = stream.uniform();
    y[i] = amplitude * std::sin(2 * std::numbers::pi * periods * x(i, 0)) + 0.1 * noise[i];
  }
  y.array() -= y.mean();
  TrainingRows rows = make_training_rows(std::make_shared<MemoryRows>(x, y), RandomStreams(1));
  rows.statistics.structure = find_structure(*rows.source, RandomStream(2));
  return rows;
}

FitJob job_of(const std::string& model, const TrainingRows& rows) {
  Recipe recipe;
  recipe.model = model;
  recipe.training.starts = 1;
  return make_job(recipe, rows.statistics, RandomStreams(3));
}

TEST(RowStarts, CandidatesReachFromTheRangeToTheSpacing) {
  TrainingStatistics statistics;
  statistics.rows = 400;
  statistics.range = Vector::Ones(1);
  const std::vector<Vector> candidates = candidate_lengthscales(statistics);
  ASSERT_GE(candidates.size(), 5U);
  for (std::size_t k = 1; k < candidates.size(); ++k) EXPECT_LT(candidates[k][0], candidates[k - 1][0]);
  EXPECT_LT(candidates.front()[0], 0.3);
  EXPECT_LT(candidates.back()[0], 0.004);
  EXPECT_GT(candidates.back()[0], 0.001);
}

TEST(RowStarts, APeakIsACandidateOfItsInputAlone) {
  TrainingStatistics statistics;
  statistics.rows = 400;
  statistics.range = Vector::Constant(3, 2.0);
  statistics.structure.peaks = {{.input = 1, .frequency = 50, .periods = 16, .share = 0.9}};
  const Vector own = candidate_lengthscales(statistics).back();
  EXPECT_DOUBLE_EQ(own[1], 1.0 / 50);
  EXPECT_GT(own[0], 1);
  EXPECT_GT(own[2], 1);
}

/// Returns rows of 30 groups, numbered by the second input, each a line of the first at a level of its own.
TrainingRows rows_of_groups() {
  constexpr Index kGroups = 30, kRowsEach = 8;
  RandomStream stream = RandomStreams(4).stream("groups");
  Matrix x(kGroups * kRowsEach, 2);
  Vector y(x.rows());
  for (Index g = 0; g < kGroups; ++g) {
    const double level = stream.normal();
    for (Index k = 0; k < kRowsEach; ++k) {
      const Index i = g * kRowsEach + k;
      x.row(i) << static_cast<double>(k) / kRowsEach, static_cast<double>(g) / 10;
      y[i] = level + x(i, 0) + 0.05 * stream.normal();
    }
  }
  y.array() -= y.mean();
  return make_training_rows(std::make_shared<MemoryRows>(x, y), RandomStreams(1));
}

TEST(RowStarts, NumbersOfGroupsAreNotLikeTheirNeighbours) {
  const TrainingRows rows = rows_of_groups();
  const Vector own = candidate_lengthscales(rows.statistics).back();
  EXPECT_NEAR(own[1], 0.05, 1e-12);
  EXPECT_GT(own[0], 0.5);
  const FitJob job = job_of("exact-ard", rows);
  const auto objective = make_job_inference(job, rows, 0.2, 1);
  const std::vector<Vector> starts = make_job_starts(job, rows, objective->parameters(), 0.2);
  const auto start = row_start(*objective, job, rows, starts);
  ASSERT_TRUE(start);
  EXPECT_NEAR(std::exp((*start)[1]), 0.05, 1e-9);
  EXPECT_LT(objective->value(*start), objective->value(starts.front()) - 50);
}

TEST(RowStarts, NumbersThatDifferInEachRowAreNoGroups) {
  const TrainingRows rows = sine_rows(1, 300);
  for (const Vector& candidate : candidate_lengthscales(rows.statistics)) EXPECT_GT(candidate[0], 1e-4);
}

TEST(RowStarts, TheObjectivePrefersTheLengthScaleOfAFastSine) {
  const TrainingRows rows = sine_rows(20, 300);
  const FitJob job = job_of("exact-rbf", rows);
  const auto objective = make_job_inference(job, rows, 0.2, 1);
  const std::vector<Vector> starts = make_job_starts(job, rows, objective->parameters(), 0.2);
  const auto start = row_start(*objective, job, rows, starts);
  ASSERT_TRUE(start);
  EXPECT_LT(objective->value(*start), objective->value(starts.front()) - 50);
  EXPECT_LT(std::exp((*start)[0]), 0.05);
}

TEST(RowStarts, NothingIsPreferredForNoise) {
  const TrainingRows rows = sine_rows(20, 300, 0);
  const FitJob job = job_of("exact-ard", rows);
  const auto objective = make_job_inference(job, rows, 0.2, 1);
  const std::vector<Vector> starts = make_job_starts(job, rows, objective->parameters(), 0.2);
  EXPECT_FALSE(row_start(*objective, job, rows, starts));
}

TEST(RowStarts, TheArdFitTakesThemOnlyWhereItsOwnMissTheFunction) {
  const NoiseCenter slow = find_noise_center({}, sine_rows(0.5, 300), {}, {}, false);
  EXPECT_FALSE(slow.from_rows);
  EXPECT_GT(slow.lengthscale[0], 0.15);
  const TrainingRows rows = sine_rows(20, 300);
  const NoiseCenter fast = find_noise_center({}, rows, {}, {}, false);
  EXPECT_TRUE(fast.from_rows);
  EXPECT_LT(fast.lengthscale[0], 0.03);
  EXPECT_NEAR(fast.value * rows.statistics.target_sd, 0.1, 0.03);
}

TEST(RowStarts, AFitBeginsAtWhatWasFoundWhereItIsBetter) {
  TrainingRows rows = sine_rows(20, 300);
  rows.statistics.lengthscale = Vector::Constant(1, 0.008);
  rows.statistics.from_rows = true;
  for (const char* model : {"exact-matern", "ard", "ssgpr", "gm"}) {
    const FitJob job = job_of(model, rows);
    const auto objective = make_job_inference(job, rows, 0.15, 1);
    std::vector<Vector> starts = make_job_starts(job, rows, objective->parameters(), 0.15);
    const double own = objective->value(starts.front());
    add_found_start(*objective, job, rows, 0.15, starts);
    ASSERT_EQ(starts.size(), 1U) << model;
    EXPECT_LE(objective->value(starts.front()), own) << model;
  }
  // A length-scale by hand is no start that may be left.
  FitJob by_hand = job_of("exact-matern", rows);
  by_hand.recipe.kernel.lengthscale = {0.3};
  const auto objective = make_job_inference(by_hand, rows, 0.15, 1);
  std::vector<Vector> starts = make_job_starts(by_hand, rows, objective->parameters(), 0.15);
  const Vector before = starts.front();
  add_found_start(*objective, by_hand, rows, 0.15, starts);
  EXPECT_EQ(starts.front(), before);
}

TEST(RowStarts, ASeasonThatTheArdFitMissedIsAStart) {
  TrainingRows rows = sine_rows(20, 300);
  rows.statistics.lengthscale = Vector::Constant(1, 2.0);
  const FitJob job = job_of("exact-matern", rows);
  const auto objective = make_job_inference(job, rows, 0.5, 1);
  std::vector<Vector> starts = make_job_starts(job, rows, objective->parameters(), 0.5);
  const double own = objective->value(starts.front());
  add_found_start(*objective, job, rows, 0.5, starts);
  EXPECT_LT(objective->value(starts.front()), own - 50);
}

}  // namespace
}  // namespace alacarte
