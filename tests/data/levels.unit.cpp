// Codes of levels among the inputs: scales and statistics leave them alone, and selections of rows keep their number.
#include <gtest/gtest.h>

#include "alacarte/data/dataset.hpp"
#include "data/changed_rows.hpp"
#include "data/row_structure.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

Dataset rows_with_levels() {
  Dataset data;
  RandomStream stream(3);
  data.inputs.resize(40, 3);
  data.target = stream.normals(40);
  for (Index i = 0; i < 40; ++i)
    data.inputs.row(i) << 5 + 2 * stream.normal(), stream.normal(), static_cast<double>(i % 7);
  data.level_counts = {7};
  return data;
}

TEST(LevelsOfRows, StandardizersLeaveCodesAlone) {
  const Dataset data = rows_with_levels();
  for (const RowScaling scaling : {RowScaling{}, RowScaling{false, true}, RowScaling{true, true}}) {
    const auto rows = std::make_shared<MemoryRows>(data);
    const Standardizer standardizer = Standardizer::learn(*rows, Scaling::zscore, TargetScaling::zscore, scaling);
    EXPECT_EQ(standardizer.smooth_count(), 2);
    const Matrix z = standardizer.inputs(data.inputs);
    EXPECT_EQ(z.col(2), data.inputs.col(2));
    if (scaling.unit) {
      EXPECT_NEAR(z.row(3).head(2).norm(), 1, 1e-12);
    }
    Vector one(3);
    standardizer.standardise_row(data.inputs.row(3).transpose(), one);
    EXPECT_EQ(one, Vector(z.row(3).transpose()));
    const Standardizer again = standardizer_from_json(to_json(standardizer));
    EXPECT_EQ(again.inputs(data.inputs), z);
  }
}

TEST(LevelsOfRows, StatisticsAreOfTheOtherInputs) {
  const auto rows = std::make_shared<MemoryRows>(rows_with_levels());
  RandomStream stream(5);
  const TrainingStatistics statistics = training_statistics(*rows, stream);
  EXPECT_EQ(statistics.level_counts, std::vector<Index>{7});
  EXPECT_EQ(statistics.range[2], 1);
  EXPECT_EQ(statistics.pair_differences.col(2).cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(statistics.sample.col(2).maxCoeff(), 6) << "effects of the sample need their codes";
  const TrainingStatistics smooth = statistics.of_inputs(0, 2);
  EXPECT_EQ(smooth.input_count(), 2);
  EXPECT_TRUE(smooth.level_counts.empty());
  EXPECT_EQ(smooth.pair_differences, statistics.pair_differences.leftCols(2));
}

TEST(LevelsOfRows, SelectionsKeepTheirNumber) {
  const Dataset data = rows_with_levels();
  const auto rows = std::make_shared<MemoryRows>(data);
  const std::vector<Index> few = {1, 5, 9};
  EXPECT_EQ(data.select_rows(few).level_counts, data.level_counts);
  EXPECT_EQ(gather_rows(*rows, few)->level_counts(), data.level_counts);
  EXPECT_EQ(some_rows(*rows, few)->level_counts(), data.level_counts);
  EXPECT_EQ(rows_without(rows, few)->level_counts(), data.level_counts);
  EXPECT_EQ(with_targets(*rows, few, Vector::Ones(3))->level_counts(), data.level_counts);
  EXPECT_EQ(load(*rows).level_counts, data.level_counts);
}

// A target that is a sinusoid of the code is no season.
TEST(LevelsOfRows, StructureIsNotSoughtInCodes) {
  constexpr Index kRows = 300;
  Dataset data;
  RandomStream stream(4);
  data.inputs.resize(kRows, 2);
  data.inputs << stream.normals(kRows), Vector::LinSpaced(kRows, 0, kRows - 1);
  data.target = (0.3 * data.inputs.col(1).array()).sin();
  data.level_counts = {kRows};
  const MemoryRows levels(data);
  EXPECT_TRUE(find_structure(levels, RandomStream(1)).peaks.empty());
  data.level_counts.clear();
  const MemoryRows numbers(data);
  EXPECT_FALSE(find_structure(numbers, RandomStream(1)).peaks.empty());
}

}  // namespace
}  // namespace alacarte
