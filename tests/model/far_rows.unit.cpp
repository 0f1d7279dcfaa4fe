// Rows far beyond the training rows, up to fill values and the range of doubles, where predictions return to the prior.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/small_model.hpp"

namespace alacarte {
namespace {

const std::vector<double> kMagnitudes = {1e3,  1e6,     1e9,   1e12,  1e14,  1e16,  1e17,  1e18,
                                         1e20, 9.97e36, 1e100, 1e150, 1e200, 1e300, -1e300};

/// Returns true for kernels of unbounded prior variance, which overflows before the inputs do.
bool grows(const std::string& name) {
  static const std::set<std::string> kNames = {"linear",       "polynomial",       "moments",   "tensor-sketch", "sum",
                                               "exact-linear", "exact-polynomial", "exact-sum", "exact-product"};
  return kNames.count(name) > 0;
}

Matrix row_at(double magnitude) { return (Matrix(1, 2) << magnitude, -0.7 * magnitude).finished(); }

class FarRows : public ::testing::TestWithParam<std::string> {};

TEST_P(FarRows, AreNotPredictedSurely) {
  for (const Index rows : {40, 9}) {  // more and fewer rows than features
    const FittedModel model = small_model({GetParam()}, small_problem(rows));
    const Member& member = model.members.front();
    const double scale = std::pow(model.standardizer.target_scale(), 2);
    OneRowWorkspace workspace = model.one_row_workspace();
    const Matrix centre = model.standardizer.input_shift().transpose();
    const double at_centre = model.predict(centre).distribution().variance()[0];
    const bool has_phases = member.prior.map() != nullptr && member.prior.map()->phase_rates(member.theta).size() > 0;
    Vector last;
    for (const double magnitude : kMagnitudes) {
      SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(magnitude));
      if (grows(GetParam()) && std::abs(magnitude) > 1e37) continue;
      const Matrix far = row_at(magnitude);
      const PredictiveDistribution predicted = model.predict(far).distribution();
      const double mean = predicted.mean()[0], variance = predicted.variance()[0];
      ASSERT_TRUE(std::isfinite(mean) && std::isfinite(variance)) << mean << ' ' << variance;
      const auto one = model.predict_one(far.row(0).transpose(), workspace);
      EXPECT_NEAR(one.mean, mean, 1e-9 * (1 + std::abs(mean)));
      EXPECT_NEAR(one.variance, variance, 1e-9 * variance);
      if (std::abs(magnitude) < 1e18 || GetParam() == "gcws" || GetParam() == "dot-product") continue;
      EXPECT_GE(variance, at_centre);
      if (!has_phases) continue;
      const double prior = std::pow(member.prior.map()->describe(member.theta).amplitude, 2);
      const double noise = member.posterior->noise_variance();
      EXPECT_GE(variance, (prior + noise) * scale * (1 - 1e-9));
      EXPECT_NEAR(model.covariance(far, false)(0, 0), variance, 1e-9 * variance);
      EXPECT_TRUE(model.draws(far, 4, 1).allFinite());
      const Vector now = Eigen::Vector2d(mean, variance);
      EXPECT_TRUE(last.size() == 0 || now == last) << "the prior, whatever the row";
      last = now;
    }
    EXPECT_EQ(last.size() > 0, has_phases);
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, FarRows, ::testing::ValuesIn(registered_models()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

// Near rows keep their bits beside a far one, whose draws have the variance of covariance().
TEST(FarRow, LeavesItsNeighboursAlone) {
  const FittedModel model = small_model({"ard"}, small_problem(40));
  Matrix rows(3, 2);
  rows << 0.3, 90, 0.1, 100, -0.2, 110;
  const PredictiveDistribution near = model.predict(rows).distribution();
  rows.row(1) << 1e30, 5;
  const PredictiveDistribution mixed = model.predict(rows).distribution();
  for (const Index i : {0, 2}) {
    EXPECT_EQ(mixed.component_means()(i, 0), near.component_means()(i, 0));
    EXPECT_EQ(mixed.component_variances()(i, 0), near.component_variances()(i, 0));
  }
  EXPECT_GT(mixed.variance()[1], 2 * near.variance()[1]);
  const Vector draws = model.draws(rows, 4000, 3).row(1);
  const double variance = (draws.array() - draws.mean()).square().mean();
  EXPECT_NEAR(variance / model.covariance(rows, true)(1, 1), 1, 0.1);
}

}  // namespace
}  // namespace alacarte
