// Periods of fits in the inputs' own units.
#include "model/learned_periods.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <numbers>

#include "io/documents.hpp"
#include "model/season_records.hpp"

namespace alacarte::test {
namespace {

using Periods = std::vector<std::vector<double>>;

/// Returns the standardiser of inputs from 0 to 10 and from 0 to 400, divided by these ranges.
Standardizer ranges(RowScaling rows = {}) {
  const Matrix x = (Matrix(3, 2) << 0, 0, 4, 100, 10, 400).finished();
  return Standardizer::learn(x, Vector::LinSpaced(3, 0, 1), Scaling::range, TargetScaling::none, rows);
}

TEST(LearnedPeriods, ThoseOfKernelsAndTheirTermsGetUnits) {
  KernelDescription term, sum;
  term.period = Vector{{0.5, 0.25}};
  sum.terms = {term, KernelDescription(), term};
  give_units(ranges(), sum);
  EXPECT_EQ(sum.terms[2].period, (Vector{{5.0, 100.0}}));
  EXPECT_EQ(learned_periods(ranges(), sum), (Periods{{5, 5}, {100, 100}}));
}

TEST(LearnedPeriods, ScaledRowsHaveNone) {
  KernelDescription kernel;
  kernel.period = Vector{{0.5, 0.25}};
  const Standardizer scaled = ranges({.unit = true});
  give_units(scaled, kernel);
  EXPECT_EQ(kernel.period, (Vector{{0.5, 0.25}}));
  EXPECT_TRUE(learned_periods(scaled, kernel).empty());
}

TEST(LearnedPeriods, MeanFrequenciesThatLastAreSeasons) {
  const auto component = [](double amplitude, double lengthscale, double period) {
    return SpectralComponent{.amplitude = amplitude,
                             .lengthscales = Vector::Constant(2, lengthscale),
                             .mean_frequency = Vector{{0.001, -2 * std::numbers::pi / period}}};
  };
  KernelDescription spectrum;
  spectrum.components = {component(1, 1, 0.1), component(1, 0.05, 0.1), component(1, 1, 0.4), component(0.05, 1, 0.2)};
  const Periods found = learned_periods(ranges(), spectrum);
  EXPECT_TRUE(found[0].empty());
  ASSERT_EQ(found[1].size(), 1) << "short-lived, slow and weak ones are none";
  EXPECT_NEAR(found[1][0], 40, 1e-9);
}

TEST(SeasonRecords, HaveTheNamesAndUnitsOfTheTable) {
  RowStructure structure;
  structure.peaks = {{.input = 1, .frequency = std::numbers::pi / 10, .periods = 8, .share = 0.6},
                     {.input = 0, .frequency = 1, .periods = 2.5, .share = 0.2},
                     {.input = 0, .frequency = 2, .periods = 5, .share = 0.1, .beside = 0.05}};
  const std::vector<SeasonRecord> records = season_records(structure, {"kind=a", "t"});
  ASSERT_EQ(records.size(), 1) << "bends are no seasons";
  EXPECT_EQ(records[0].input, "t");
  EXPECT_NEAR(records[0].period, 20, 1e-12);
  EXPECT_EQ(season_text(records[0]), "t, period 20, 60 % of the variance");
}

TEST(SeasonRecords, GoThroughTheModelFile) {
  TrainingRecord record;
  record.rows = 3;
  EXPECT_FALSE(to_json(record).contains("seasons"));
  EXPECT_TRUE(training_from_json(to_json(record), "training").seasons.empty());
  record.seasons = {{"t", 40.02, 0.97}, {"kind=a", 8, 0.25}};
  const TrainingRecord read = training_from_json(to_json(record), "training");
  ASSERT_EQ(read.seasons.size(), 2);
  EXPECT_EQ(read.seasons[0].input, "t");
  EXPECT_EQ(read.seasons[0].period, 40.02);
  EXPECT_EQ(read.seasons[1].share, 0.25);
  EXPECT_TRUE(read.other_keys.empty());
}

}  // namespace
}  // namespace alacarte::test
