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

constexpr Index kInputs = 2, kLevels = 9, kGroupedRows = 60;

/// Standardised rows of a linear function with an effect of each of nine levels.
struct GroupedRows {
  Matrix x{kGroupedRows, kInputs + 1};
  Vector y{kGroupedRows};
  GroupedRows() {
    x.leftCols(kInputs) = normal_matrix(kGroupedRows, kInputs, 4);
    const Vector effects = normal_matrix(kLevels, 1, 5), noise = normal_matrix(kGroupedRows, 1, 6);
    for (Index i = 0; i < kGroupedRows; ++i) {
      const Index level = (i * i) % kLevels;
      x(i, kInputs) = static_cast<double>(level);
      y[i] = 0.5 * x(i, 0) + effects[level] + 0.3 * noise[i] + 2;
    }
  }
};

Prior linear_map() {
  return with_level_effects("linear", find_feature_map("linear")->make({}, kInputs, RandomStreams(1), {}), {kLevels});
}
Prior linear_kernel() { return with_level_effects("exact-linear", find_kernel("exact-linear")->make({}, kInputs), 1); }

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
    Matrix x(kLevels + 1, kInputs + 1);
    x.leftCols(kInputs) = normal_matrix(kLevels + 1, kInputs, 8);
    x.col(kInputs) = Vector::LinSpaced(kLevels + 1, -1, kLevels - 1);
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
    Matrix origin = Matrix::Zero(1, kInputs + 1);
    origin(0, kInputs) = -1;
    Vector mean(1), variance(1);
    function_of(*posterior).predict(origin, mean, variance);
    EXPECT_NEAR(mean[0], 0, 1e-12);
    EXPECT_NEAR(variance[0], tau2, 1e-9);
    origin(0, kInputs) = 0;
    function_of(*posterior).predict(origin, mean, variance);
    EXPECT_LT(variance[0], 0.2 * tau2) << "a known level";
  }
}

}  // namespace
}  // namespace alacarte
