// Predictions of whole groups by the other rows, compared with inference without the group.
#include "inference/left_out_groups.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "alacarte/kernel/kernel.hpp"
#include "data/changed_rows.hpp"
#include "data/column_splits.hpp"
#include "inference/exact_problem.hpp"
#include "inference/gaussian_setting.hpp"

namespace alacarte {
namespace {

constexpr Index kRows = 48, kDistinct = 20, kInputs = 2, kFeatures = 15;

struct GroupCase {
  GaussianAlgebra algebra;
  MeanKind mean;
  bool weighted, repeated;
};

/// Returns rows of two targets; `repeated`: with few distinct inputs, which are merged.
std::shared_ptr<RowSource> grouped_rows(const GroupCase& of) {
  Dataset data;
  data.inputs = normal_matrix(kRows, kInputs, 41);
  RandomStream stream(42);
  if (of.repeated)
    for (Index i = kDistinct; i < kRows; ++i) data.inputs.row(i) = data.inputs.row(stream.below(kDistinct));
  data.target = smooth_target(data.inputs, 43).array() + 7;
  data.more_targets = data.inputs.col(0) - 2 * data.inputs.col(1);
  for (Index i = 0; i < kRows; ++i) data.target[i] += 0.3 * stream.normal(), data.more_targets(i, 0) += stream.normal();
  if (of.weighted) {
    data.weights.resize(kRows);
    for (double& weight : data.weights) weight = std::exp(stream.normal());
  }
  return data;
}

class LeftOutGroups : public testing::TestWithParam<GroupCase> {
 protected:
  std::unique_ptr<Inference> inference(std::shared_ptr<const RowSource> rows) {
    return make_inference(prior_, std::move(rows), options_);
  }

  const std::shared_ptr<RowSource> rows_ = grouped_rows(GetParam());
  GaussianSetting setting_{GetParam().algebra, GetParam().mean, kInputs, kFeatures, 2};
  Prior& prior_ = setting_.prior;
  InferenceOptions& options_ = setting_.options;
  Vector& theta_ = setting_.theta;
};

std::vector<GroupCase> group_cases() {
  std::vector<GroupCase> cases;
  for (const auto algebra : {GaussianAlgebra::primal, GaussianAlgebra::dual, GaussianAlgebra::exact})
    for (const auto mean : {MeanKind::zero, MeanKind::constant})
      for (const bool weighted : {false, true})
        for (const bool repeated : {false, true}) cases.push_back({algebra, mean, weighted, repeated});
  return cases;
}

std::string group_case_name(const testing::TestParamInfo<GroupCase>& info) {
  constexpr const char* kNames[] = {"Primal", "Dual", "Exact"};
  return std::string(kNames[static_cast<int>(info.param.algebra)]) +
         (info.param.mean == MeanKind::zero ? "Zero" : "Constant") + (info.param.weighted ? "Weighted" : "") +
         (info.param.repeated ? "Merged" : "");
}

INSTANTIATE_TEST_SUITE_P(Forms, LeftOutGroups, testing::ValuesIn(group_cases()), group_case_name);

TEST_P(LeftOutGroups, ArePredictedAsIfTheyWereNoTrainingRows) {
  std::vector<Index> codes(kRows);
  for (Index i = 0; i < kRows; ++i) codes[static_cast<std::size_t>(i)] = (i * i + i / 5) % 7;
  const auto groups = rows_of_groups(codes);
  ASSERT_GT(groups.size(), 3u);
  const auto all = inference(rows_);
  EXPECT_EQ(all->plan().distinct_rows, GetParam().repeated ? kDistinct : 0);
  all->solve(theta_, LeftOutRows::none());
  for (Index t = 0; t < 2; ++t) {
    const LeaveOneOut left = leave_groups_out(*all, theta_, groups, t);
    ASSERT_EQ(left.mean.rows(), kRows);
    for (const std::vector<Index>& group : groups) {
      const Solution without = inference(rows_without(rows_, group))->solve(theta_, LeftOutRows::none());
      const Posterior& posterior = t == 0 ? *without.posterior : *without.more.front().posterior;
      const auto own = gather_rows(*rows_, group);
      Vector mean(own->rows()), variance(own->rows());
      function_of(posterior).predict(own->x(), mean, variance);
      const Vector weights = own->has_weights() ? own->weights() : Vector::Ones(own->rows());
      variance += posterior.noise_variance() * weights.cwiseInverse();
      EXPECT_LT((left.mean(group, 0) - mean).cwiseAbs().maxCoeff(), 1e-8);
      EXPECT_LT((left.variance(group, 0) - variance).cwiseAbs().maxCoeff(), 1e-8);
    }
  }
}

TEST_P(LeftOutGroups, OfOneRowAreLeaveOneOut) {
  std::vector<std::vector<Index>> groups;
  for (Index i = 0; i < kRows; i += 3) groups.push_back({i});
  std::vector<Index> rows;
  for (const auto& group : groups) rows.push_back(group.front());
  const auto all = inference(rows_);
  const LeaveOneOut one = all->leave_one_out(theta_, rows), left = leave_groups_out(*all, theta_, groups, 0);
  EXPECT_LT((left.mean - one.mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((left.variance - one.variance).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(LeftOutGroups, HaveNoClosedFormWithOtherLikelihoods) {
  const ExactProblem problem("softmax");
  const auto inference = problem.inference();
  inference->solve(problem.theta, LeftOutRows::none());
  EXPECT_THROW(inference->precision_block(problem.theta, {0, 1}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
