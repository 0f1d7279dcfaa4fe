// Merged rows with equal inputs, compared with inference on each of them.
#include "data/merged_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "alacarte/kernel/kernel.hpp"
#include "inference/exact_problem.hpp"
#include "inference/gaussian_setting.hpp"
#include "inference/inference.hpp"
#include "support/cosine_map.hpp"

namespace alacarte {
namespace {

constexpr Index kRows = 60, kDistinct = 18, kInputs = 2, kFeatures = 15;  // 2 numbers per frequency, below kDistinct

/// Returns rows with few distinct inputs, unordered, with targets far from zero.
Dataset repeated_inputs(bool weighted, Index more_targets) {
  const Matrix distinct = normal_matrix(kDistinct, kInputs, 31);
  RandomStream stream(32);
  std::vector<Index> places;
  for (Index i = 0; i < kRows; ++i)
    places.push_back(i < kDistinct ? i : static_cast<Index>(stream.uniform() * stream.uniform() * kDistinct));
  Dataset data;
  data.inputs = distinct(places, Eigen::all);
  const auto target = [&](double shift) {
    Vector y = smooth_target(data.inputs, 33).array() + shift;
    for (double& value : y) value += 0.4 * stream.normal();
    return y;
  };
  data.target = target(50);
  data.more_targets.resize(more_targets > 0 ? kRows : 0, more_targets);
  for (Index t = 0; t < more_targets; ++t) data.more_targets.col(t) = target(static_cast<double>(t));
  if (weighted) {
    data.weights.resize(kRows);
    for (double& weight : data.weights) weight = std::exp(stream.normal());
  }
  return data;
}

struct MergedCase {
  GaussianAlgebra algebra;
  MeanKind mean;
  bool weighted;
  Index more_targets;
};

class MergedEvidence : public testing::TestWithParam<MergedCase> {
 protected:
  std::unique_ptr<Inference> inference(bool merges) {
    options_.merges_equal_rows = merges;
    return make_inference(prior_, rows_, options_);
  }

  const std::shared_ptr<RowSource> rows_ = repeated_inputs(GetParam().weighted, GetParam().more_targets);
  GaussianSetting setting_{GetParam().algebra, GetParam().mean, kInputs, kFeatures, 1 + GetParam().more_targets};
  Prior& prior_ = setting_.prior;
  InferenceOptions& options_ = setting_.options;
  Vector& theta_ = setting_.theta;
};

std::string merged_case_name(const testing::TestParamInfo<MergedCase>& info) {
  constexpr const char* kNames[] = {"Primal", "Dual", "Exact"};
  return std::string(kNames[static_cast<int>(info.param.algebra)]) +
         (info.param.mean == MeanKind::zero ? "Zero" : "Constant") + (info.param.weighted ? "Weighted" : "") +
         (info.param.more_targets > 0 ? "Targets" : "");
}

std::vector<MergedCase> merged_cases() {
  std::vector<MergedCase> cases;
  for (const auto algebra : {GaussianAlgebra::primal, GaussianAlgebra::dual, GaussianAlgebra::exact})
    for (const auto mean : {MeanKind::zero, MeanKind::constant})
      for (const bool weighted : {false, true})
        for (const Index more : {0, 2}) cases.push_back({algebra, mean, weighted, more});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Forms, MergedEvidence, testing::ValuesIn(merged_cases()), merged_case_name);

TEST_P(MergedEvidence, IsThatOfAllRows) {
  const auto merged = inference(true), all = inference(false);
  EXPECT_EQ(merged->plan().rows, kRows);
  EXPECT_EQ(merged->plan().distinct_rows, kDistinct);
  EXPECT_EQ(all->plan().distinct_rows, 0);
  EXPECT_LT(merged->plan().flops, 0.5 * all->plan().flops);
  Vector gradient(theta_.size()), other(theta_.size());
  const double value = merged->evaluate(theta_, gradient), expected = all->evaluate(theta_, other);
  EXPECT_NEAR(value, expected, 1e-10 * std::abs(expected));
  EXPECT_NEAR(merged->value(theta_), expected, 1e-10 * std::abs(expected));
  EXPECT_LT((gradient - other).norm(), 1e-8 * other.norm());
  // Noise settings are relative to the spread and the mean weight of all rows.
  const ParameterSlot &slot = merged->parameters().slots().back(), &same = all->parameters().slots().back();
  EXPECT_EQ(slot.prior.mean, same.prior.mean);
  EXPECT_EQ(slot.lower, same.lower);
  EXPECT_EQ(slot.upper, same.upper);
  EXPECT_EQ(merged->noise_sd(theta_), all->noise_sd(theta_));
}

TEST_P(MergedEvidence, RejectsATrialAsThatOfAllRows) {
  const auto merged = inference(true);
  Vector gradient(theta_.size()), other(theta_.size());
  const double value = merged->evaluate(theta_, other);
  const double far = value - 1e3;
  EXPECT_GT(merged->evaluate_below(far, theta_, gradient), far);
  const double kept = merged->evaluate_below(value + 1, theta_, gradient);
  EXPECT_EQ(kept, value);
  EXPECT_EQ(gradient, other);
}

TEST_P(MergedEvidence, NoiseThatIsHeldHasNoSlope) {
  options_.noise.trained = false;
  Vector gradient(theta_.size());
  inference(true)->evaluate(theta_, gradient);
  EXPECT_EQ(gradient.tail(1 + GetParam().more_targets).norm(), 0);
}

TEST_P(MergedEvidence, PosteriorAndLeftOutRowsAreThoseOfAllRows) {
  const auto merged = inference(true), all = inference(false);
  const Matrix at = 1.5 * normal_matrix(7, kInputs, 34);
  const std::vector<Index> some = {0, 5, 17, 40, 41, 59};
  const Solution a = merged->solve(theta_, {}), b = all->solve(theta_, {}), few = merged->solve(theta_, {true, some});
  for (Index t = 0; t <= GetParam().more_targets; ++t) {
    const auto of = [t](const Solution& solution) -> const Solution& {
      return t == 0 ? solution : solution.more[static_cast<std::size_t>(t - 1)];
    };
    Vector mean(7), variance(7), other_mean(7), other_variance(7);
    function_of(*of(a).posterior).predict(at, mean, variance);
    function_of(*of(b).posterior).predict(at, other_mean, other_variance);
    EXPECT_LT((mean - other_mean).norm(), 1e-8 * other_mean.norm());
    EXPECT_LT((variance - other_variance).norm(), 1e-8 * other_variance.norm());
    const LeaveOneOut &left = of(a).leave_one_out, &expected = of(b).leave_one_out;
    ASSERT_EQ(left.mean.rows(), kRows);
    EXPECT_LT((left.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((left.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((of(few).leave_one_out.mean - expected.mean(some, Eigen::all)).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((of(few).leave_one_out.variance - expected.variance(some, Eigen::all)).cwiseAbs().maxCoeff(), 1e-8);
  }
}

std::shared_ptr<const MergedRows> merge(Dataset data) {
  return MergedRows::make(std::make_shared<const MemoryRows>(std::move(data)));
}

TEST(MergedRows, AreSetsOfEqualInputsInTheirOrder) {
  Dataset data;
  data.inputs = (Matrix(5, 2) << 1, 0.0, 2, 3, 1, -0.0, 2, 3, 2, 3).finished();
  data.target = Vector{{1, 2, 4, 5, 8}};
  data.weights = Vector{{1, 1, 3, 1, 2}};
  const auto merged = merge(data);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->places(), (std::vector<Index>{0, 1, 0, 1, 1}));
  RowScratch scratch;
  const RowBlock block = merged->read(0, 2, scratch);
  EXPECT_EQ(Matrix(block.x.dense()), (Matrix(2, 2) << 1, 0, 2, 3).finished());
  EXPECT_LT((block.y - Vector{{3.25, 5.75}}).norm(), 1e-14);
  EXPECT_EQ(Vector(block.weights), (Vector{{4, 4}}));
  const RowBlock second = merged->read(1, 1, scratch);
  EXPECT_EQ(second.x.dense()(0, 1), 3);
  EXPECT_EQ(second.y[0], block.y[1]);
  EXPECT_THROW(merged->read(1, 2, scratch), std::invalid_argument);
}

// Merging is skipped if memory is too small for merged rows; otherwise the plan counts them.
TEST(MergedRows, KeepToTheMemory) {
  const std::shared_ptr<RowSource> rows = repeated_inputs(false, 0);
  const auto map = std::make_shared<CosineMap>(kInputs, kFeatures, 14);
  const double bytes = MergedRows::making_bytes(*rows);
  InferenceOptions options;
  options.memory_bytes = 1.9 * bytes;
  EXPECT_EQ(make_inference(map, rows, options)->plan().distinct_rows, 0);
  options.memory_bytes = 2.1 * bytes;
  EXPECT_EQ(make_inference(map, rows, options)->plan().distinct_rows, kDistinct);
  options.memory_bytes = 1e9;
  const auto merged = MergedRows::make(rows);
  EXPECT_EQ(make_inference(map, rows, options)->plan().memory_bytes,
            make_inference(map, merged, options)->plan().memory_bytes + bytes);
}

TEST(MergedRows, OnlyWhereMoreThanAFifthGoes) {
  Dataset data;
  data.inputs = normal_matrix(10, 3, 5);
  data.target = Vector::Zero(10);
  data.inputs.row(9) = data.inputs.row(0);
  data.inputs.row(8) = data.inputs.row(0);
  EXPECT_FALSE(merge(data));
  data.inputs.row(7) = data.inputs.row(6);
  EXPECT_TRUE(merge(data));
  data.inputs(7, 2) = std::nextafter(data.inputs(7, 2), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(merge(data));
}

TEST(MergedRows, AreCountedInLargeTables) {
  constexpr Index kMany = 20000;
  RandomStream stream(6);
  Dataset data;
  data.target = Vector::Zero(kMany);
  // Hashes of small whole numbers must differ: about 0.72, 0.79, 0.81 and 1 of the rows are distinct.
  const auto distinct_of = [&](double values) {
    data.inputs.resize(kMany, 2);
    std::set<std::pair<double, double>> distinct;
    for (Index i = 0; i < kMany; ++i) {
      for (double& x : data.inputs.row(i)) x = std::floor(values * stream.uniform());
      distinct.emplace(data.inputs(i, 0), data.inputs(i, 1));
    }
    return static_cast<Index>(distinct.size());
  };
  for (const double values : {171.0, 201.0, 217.0, 1e6}) {
    const Index distinct = distinct_of(values);
    const auto merged = merge(data);
    EXPECT_EQ(merged ? merged->rows() : 0, distinct < 0.8 * kMany ? distinct : 0);
  }
}

}  // namespace
}  // namespace alacarte
