// Random effects of levels: maps agree with the exact kernel, and unknown levels have the prior's variance.
#include <gtest/gtest.h>

#include <cmath>

#include "features/levels.hpp"
#include "inference/inference.hpp"
#include "kernel/levels.hpp"
#include "optimise/gradient_checker.hpp"
#include "support/cosine_map.hpp"

namespace alacarte {
namespace {

constexpr Index kSmoothInputs = 2, kLevels = 9, kGroupedRows = 60;

/// Standardised rows of a linear function with an effect of each of nine levels.
struct GroupedRows {
  Matrix x{kGroupedRows, kSmoothInputs + 1};
  Vector y{kGroupedRows};
  GroupedRows() {
    x.leftCols(kSmoothInputs) = normal_matrix(kGroupedRows, kSmoothInputs, 4);
    const Vector effects = normal_matrix(kLevels, 1, 5), noise = normal_matrix(kGroupedRows, 1, 6);
    for (Index i = 0; i < kGroupedRows; ++i) {
      const Index level = (i * i) % kLevels;
      x(i, kSmoothInputs) = static_cast<double>(level);
      y[i] = 0.5 * x(i, 0) + effects[level] + 0.3 * noise[i] + 2;
    }
  }
};

Prior linear_map() {
  return with_level_effects("linear", find_feature_map("linear")->make({}, kSmoothInputs, RandomStreams(1), {}),
                            {{kLevels, kLevels}});
}
Prior linear_kernel() {
  return with_level_effects("exact-linear", find_kernel("exact-linear")->make({}, kSmoothInputs), 1);
}

/// v^2 x.x' / d of the map is sum_j x_j x'_j / l^2 of the kernel at l = sqrt(d) / v.
Vector theta_of_map() { return Vector{{0.3, -0.2, std::log(0.35)}}; }
Vector theta_of_kernel() {
  const double log_scale = 0.5 * std::log(2.0) - 0.3;
  return Vector{{log_scale, log_scale, -0.2, std::log(0.35)}};
}

class LevelsOfMean : public ::testing::TestWithParam<MeanKind> {
 protected:
  InferenceOptions options() const {
    InferenceOptions options;
    options.mean = GetParam();
    options.merges_equal_rows = false;
    return options;
  }
  GroupedRows rows_;
};

TEST_P(LevelsOfMean, MapAndKernelHaveOneEvidenceAndPosterior) {
  for (const EvidenceForm form : {EvidenceForm::primal, EvidenceForm::dual}) {
    InferenceOptions own = options();
    own.form = form;
    const auto map = make_inference(linear_map(), rows_.x, rows_.y, own);
    const auto kernel = make_inference(linear_kernel(), rows_.x, rows_.y, options());
    Vector of_map(3), of_kernel(4);
    const double value = map->evaluate(theta_of_map(), of_map);
    EXPECT_NEAR(value, kernel->evaluate(theta_of_kernel(), of_kernel), 1e-8);
    EXPECT_NEAR(of_map[1], of_kernel[2], 1e-7) << "gradient of the effect's amplitude";
    EXPECT_NEAR(of_map[2], of_kernel[3], 1e-7) << "gradient of the noise";
    const Solution one = map->solve(theta_of_map(), {}), other = kernel->solve(theta_of_kernel(), {});
    Matrix x(kLevels + 1, kSmoothInputs + 1);
    x.leftCols(kSmoothInputs) = normal_matrix(kLevels + 1, kSmoothInputs, 8);
    x.col(kSmoothInputs) = Vector::LinSpaced(kLevels + 1, -1, kLevels - 1);
    Vector mean(x.rows()), variance(x.rows()), exact_mean(x.rows()), exact_variance(x.rows());
    function_of(*one.posterior).predict(x, mean, variance);
    function_of(*other.posterior).predict(x, exact_mean, exact_variance);
    EXPECT_LT((mean - exact_mean).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((variance - exact_variance).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((one.leave_one_out.mean - other.leave_one_out.mean).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((one.leave_one_out.variance - other.leave_one_out.variance).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST_P(LevelsOfMean, GradientsEqualCentralDifferences) {
  for (const Prior& prior : {linear_map(), linear_kernel()}) {
    const auto objective = make_inference(prior, rows_.x, rows_.y, options());
    const Vector theta = prior.map() ? theta_of_map() : theta_of_kernel();
    EXPECT_LT(check_gradient(*objective, theta).worst(), 1e-6);
  }
}

// Rows of unknown levels have effects of their own; weights divide the noise.
TEST_P(LevelsOfMean, WeightsAndUnknownLevelsAreThoseOfTheKernel) {
  Dataset data{rows_.x, rows_.y, {}, {}, {}};
  data.weights = Vector::LinSpaced(kGroupedRows, 0.4, 2.5);
  for (const Index row : {3, 17, 18}) data.inputs(row, kSmoothInputs) = -1;
  const auto rows = std::make_shared<const MemoryRows>(data);
  InferenceOptions own = options();
  own.form = EvidenceForm::primal;
  own.chunk_rows = 7;
  own.threads = 2;
  const auto map = make_inference(linear_map(), rows, own);
  const auto kernel = make_inference(linear_kernel(), rows, options());
  Vector of_map(3), of_kernel(4);
  EXPECT_NEAR(map->evaluate(theta_of_map(), of_map), kernel->evaluate(theta_of_kernel(), of_kernel), 1e-8);
  EXPECT_NEAR(map->value(theta_of_map()), kernel->value(theta_of_kernel()), 1e-8);
  EXPECT_NEAR(of_map[1], of_kernel[2], 1e-7);
  EXPECT_NEAR(of_map[2], of_kernel[3], 1e-7);
  EXPECT_LT(check_gradient(*map, theta_of_map()).worst(), 1e-6);
  const std::vector<Index> some = {0, 3, 20, 59};
  const LeaveOneOut one = map->leave_one_out(theta_of_map(), some), other = kernel->leave_one_out(theta_of_kernel());
  for (std::size_t k = 0; k < some.size(); ++k) {
    EXPECT_NEAR(one.mean(static_cast<Index>(k), 0), other.mean(some[k], 0), 1e-8);
    EXPECT_NEAR(one.variance(static_cast<Index>(k), 0), other.variance(some[k], 0), 1e-8);
  }
  const auto net = map->posterior(theta_of_map()), exact = kernel->posterior(theta_of_kernel());
  const Matrix x = rows_.x.topRows(12);
  EXPECT_LT((function_of(*net).covariance(x) - function_of(*exact).covariance(x)).cwiseAbs().maxCoeff(), 1e-8);
  const Vector weights = Vector::LinSpaced(12, -1, 2);
  const auto sum = function_of(*net).functional(x, weights, true),
             sum_exact = function_of(*exact).functional(x, weights, true);
  EXPECT_NEAR(sum.mean, sum_exact.mean, 1e-8);
  EXPECT_NEAR(sum.variance, sum_exact.variance, 1e-7);
  Vector work(function_of(*net).one_row_work());
  const auto point = function_of(*net).predict_one(x.row(2).transpose(), work, true);
  Vector mean(12), variance(12);
  function_of(*exact).predict(x, mean, variance);
  EXPECT_NEAR(point.mean, mean[2], 1e-8);
  EXPECT_NEAR(point.variance, variance[2], 1e-8);
}

// With too many levels for their mean features the means stay exact, and variances nearly so.
TEST_P(LevelsOfMean, MeansAreExactWithoutTheMeanFeaturesOfLevels) {
  InferenceOptions own = options();
  own.form = EvidenceForm::primal;
  const auto whole = make_inference(linear_map(), rows_.x, rows_.y, own)->posterior(theta_of_map());
  own.max_level_means = 0;
  const auto few = make_inference(linear_map(), rows_.x, rows_.y, own)->posterior(theta_of_map());
  Vector mean(kGroupedRows), variance(kGroupedRows), few_mean(kGroupedRows), few_variance(kGroupedRows);
  function_of(*whole).predict(rows_.x, mean, variance);
  function_of(*few).predict(rows_.x, few_mean, few_variance);
  EXPECT_LT((mean - few_mean).cwiseAbs().maxCoeff(), 1e-9);
  // With 2 features and rows of 4 levels the neglected part is as large as it gets, but small beside the noise.
  const double noise = whole->noise_variance();
  const Vector ratio = (few_variance.array() + noise) / (variance.array() + noise);
  EXPECT_GT(ratio.minCoeff(), 0.7);
  EXPECT_LT(ratio.maxCoeff(), 1.05);
  Matrix unknown = rows_.x.topRows(5);
  unknown.col(kSmoothInputs).setConstant(-1);
  Vector one(5), other(5), none;
  function_of(*whole).predict(unknown, mean.head(5), one);
  function_of(*few).predict(unknown, mean.head(5), other);
  EXPECT_LT((one - other).cwiseAbs().maxCoeff(), 1e-9) << "rows of unknown levels";
}

INSTANTIATE_TEST_SUITE_P(Means, LevelsOfMean, ::testing::Values(MeanKind::zero, MeanKind::constant),
                         [](const auto& info) { return info.param == MeanKind::zero ? "zero" : "constant"; });

// Without a constant mean the effect of an unknown level is independent of all rows.
TEST(Levels, AnUnknownLevelHasThePriorsVarianceBesideTheRest) {
  const GroupedRows rows;
  InferenceOptions options;
  options.mean = MeanKind::zero;
  const double tau2 = std::exp(-0.4);
  for (const Prior& prior : {linear_map(), linear_kernel()}) {
    const auto objective = make_inference(prior, rows.x, rows.y, options);
    const auto posterior = objective->posterior(prior.map() ? theta_of_map() : theta_of_kernel());
    // The difference of a row of an unknown level and the linear function is the effect alone: at the origin the
    // linear function is 0.
    Matrix origin = Matrix::Zero(1, kSmoothInputs + 1);
    origin(0, kSmoothInputs) = -1;
    Vector mean(1), variance(1);
    function_of(*posterior).predict(origin, mean, variance);
    EXPECT_NEAR(mean[0], 0, 1e-12);
    EXPECT_NEAR(variance[0], tau2, 1e-9);
    origin(0, kSmoothInputs) = 0;
    function_of(*posterior).predict(origin, mean, variance);
    EXPECT_LT(variance[0], 0.2 * tau2) << "a known level";
  }
}

}  // namespace
}  // namespace alacarte
