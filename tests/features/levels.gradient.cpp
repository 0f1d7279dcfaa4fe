// Random effects of levels as features: products, gradients and predictions beside maps of several kinds.
#include "features/levels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "features/maps_under_test.hpp"
#include "kernel/levels.hpp"

namespace alacarte {
namespace {

constexpr Index kRows = 12, kInputs = 3, kLevels = 4;

Matrix rows_with_codes() {
  Matrix x(kRows, kInputs + 1);
  x.leftCols(kInputs) = normal_matrix(kRows, kInputs, 7);
  for (Index i = 0; i < kRows; ++i) x(i, kInputs) = static_cast<double>(i % kLevels);
  x(kRows - 1, kInputs) = -1;
  return x;
}

TEST(LevelsMap, ProductsAreTheExactKernel) {
  const auto map = make_levels_map(kLevels, kLevels);
  EXPECT_EQ(map->feature_count(), kLevels + 1);
  const std::unique_ptr<Kernel> kernel = make_levels_kernel();
  const Matrix codes = rows_with_codes().col(kInputs);
  const Vector theta = Vector::Constant(1, -0.4);
  const Matrix psi = features(*map, theta, codes);
  Matrix gram(kRows, kRows);
  kernel->gram(theta, codes, codes, gram);
  EXPECT_LT((psi * psi.transpose() - gram).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(LevelsMap, LevelsThatAreNotKeptHaveNoFeature) {
  const auto map = make_levels_map(kLevels, 2);
  ASSERT_EQ(map->feature_count(), 3);
  const Matrix codes = Vector{{0, 1, 2, 3, -1}};
  const Matrix psi = features(*map, Vector::Zero(1), codes);
  EXPECT_EQ(Vector(psi.rowwise().sum()), (Vector{{1, 1, 0, 0, 1}}));
  EXPECT_EQ(psi(4, 2), 1);
  Vector f = Vector::Zero(5);
  map->prepare(Vector::Zero(1))->linear_predictor(Vector{{3, 4, 5}})->add(codes, f);
  EXPECT_EQ(f, (Vector{{3, 4, 0, 0, 5}}));
}

TEST(LevelColumns, TheLargestIsEliminatedAndTheSmallestFollowWhole) {
  const auto kept = [](const std::vector<Index>& counts, bool eliminates) {
    std::vector<Index> each;
    for (const LevelColumn& column : level_columns(counts, eliminates)) each.push_back(column.kept);
    return each;
  };
  using Counts = std::vector<Index>;
  EXPECT_EQ(kept({}, true), Counts{});
  EXPECT_EQ(kept({5000}, true), Counts{5000});
  EXPECT_EQ(kept({5000, 5000}, true), (Counts{1, 5000}));
  EXPECT_EQ(kept({701, 3035, 1033}, true), (Counts{701, 3035, 1033}));
  EXPECT_EQ(kept({1500, 9000, 700}, true), (Counts{1, 9000, 700}));
  EXPECT_EQ(kept({5000}, false), Counts{2000});
  EXPECT_EQ(kept({5000, 30}, false), (Counts{1000, 30}));
  EXPECT_EQ(level_features({}, true), 0);
  EXPECT_EQ(level_features({701, 3035, 1033}, true), 701 + 1033 + 2);
  EXPECT_EQ(level_features({5000, 30}, false), 1000 + 30 + 2);
}

class LevelsBesideMaps : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    MapCase one{GetParam(), example_recipe(GetParam(), 8), GetParam()};
    std::unique_ptr<FeatureMap> inner = make_map(one, kInputs);
    inner_features_ = inner->feature_count();
    theta_ = Vector(inner->parameters().size() + 1);
    theta_ << test_theta(*inner), 0.3;
    map_ = with_level_effects(GetParam(), std::move(inner), {{kLevels, kLevels}});
  }
  std::unique_ptr<FeatureMap> map_;
  Vector theta_;
  Index inner_features_ = 0;
};

TEST_P(LevelsBesideMaps, GradientsAndPredictionsAreThoseOfTheFeatures) {
  const Matrix x = rows_with_codes();
  ASSERT_EQ(map_->feature_count(), inner_features_ + kLevels + 1);
  const auto prepared = map_->prepare(theta_);
  const Matrix psi = features(*map_, theta_, x), bar = normal_matrix(kRows, map_->feature_count(), 9);
  Vector sums = Vector::Zero(prepared->accumulator_size()), gradient = Vector::Zero(theta_.size());
  prepared->backward(x, psi, bar, sums);
  prepared->finish(sums, gradient);
  for (Index k = 0; k < theta_.size(); ++k) {
    constexpr double kStep = 1e-5;
    Vector above = theta_, below = theta_;
    above[k] += kStep;
    below[k] -= kStep;
    const double slope = (features(*map_, above, x) - features(*map_, below, x)).cwiseProduct(bar).sum() / (2 * kStep);
    EXPECT_NEAR(gradient[k], slope, 2e-6 * (1 + std::abs(slope))) << map_->parameters().entry_name(k);
  }
  const Vector weights = bar.row(0).transpose();
  Vector f = Vector::Zero(kRows);
  prepared->linear_predictor(weights)->add(x, f);
  EXPECT_LT((f - psi * weights).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_P(LevelsBesideMaps, TheMapDoesNotSeeTheCodes) {
  Matrix x = rows_with_codes(), other = x;
  other.col(kInputs).setConstant(2);
  EXPECT_EQ(features(*map_, theta_, x).leftCols(inner_features_),
            features(*map_, theta_, other).leftCols(inner_features_));
  const KernelDescription report = map_->describe(theta_);
  EXPECT_EQ(report.terms.back().model, "levels");
  EXPECT_EQ(report.relevance.size(), kInputs + 1);
  const auto terms = map_->terms();
  EXPECT_EQ(terms.back().first_input, kInputs);
  EXPECT_EQ(terms.back().first, inner_features_);
}

INSTANTIATE_TEST_SUITE_P(Maps, LevelsBesideMaps,
                         ::testing::Values("linear", "ard", "gm", "ssgpr", "nystrom", "sum", "deep"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace alacarte
