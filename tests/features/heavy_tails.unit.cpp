// Inputs with heavy tails before a network.
#include "features/heavy_tails.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "features/maps_under_test.hpp"

namespace alacarte {
namespace {

/// Columns: normal; cube of a normal; mostly zero; two values, one of them rare; constant.
Matrix mixed_columns(Index rows, std::uint64_t seed) {
  Matrix x = normal_matrix(rows, 5, seed);
  x.col(1) = x.col(1).array().cube();
  for (Index i = 0; i < rows; ++i) {
    if (x(i, 2) < 1.5) x(i, 2) = 0;
    x(i, 3) = i % 50 == 0 ? 1 : 0;
  }
  x.col(4).setConstant(3);
  return x;
}

double variance(ConstVec x) { return (x.array() - x.mean()).square().mean(); }

TEST(HeavyTails, ChangesOnlyInputsWithHeavyTailsAndMakesThemStandard) {
  const Matrix x = mixed_columns(2000, 1);
  const HeavyTails tails = HeavyTails::learn(x);
  EXPECT_TRUE(tails.any());
  EXPECT_EQ((tails.width().array() > 0).cast<double>().matrix(), Vector({{0, 1, 1, 0, 0}}));
  Matrix v = x;
  tails.apply(v);
  for (const Index j : {0, 3, 4}) EXPECT_EQ(v.col(j), x.col(j));
  for (const Index j : {1, 2}) {
    EXPECT_NEAR(v.col(j).mean(), 0, 1e-12);
    EXPECT_NEAR(variance(v.col(j)), 1, 1e-12);
    const double first =
        (std::asinh((x(0, j) - tails.median()[j]) / tails.width()[j]) - tails.mean()[j]) / tails.sd()[j];
    EXPECT_NEAR(v(0, j), first, 1e-14);
    EXPECT_LT(v.col(j).maxCoeff() * std::sqrt(variance(x.col(j))), 0.7 * x.col(j).maxCoeff());
  }
  EXPECT_EQ(tails.median()[2], 0);  // half its interquartile range is 0
  EXPECT_NEAR(tails.width()[2], x.col(2).cwiseAbs().mean(), 1e-14);
  EXPECT_FALSE(HeavyTails::learn(normal_matrix(2000, 3, 2)).any());
  EXPECT_FALSE(HeavyTails::learn(Matrix::Zero(1, 3)).any());
}

TEST(HeavyTails, FarValuesStayFinite) {
  const HeavyTails tails = HeavyTails::learn(mixed_columns(500, 3));
  Matrix far = Matrix::Constant(1, 5, -1e150);
  tails.apply(far);
  EXPECT_TRUE(far.allFinite());
  EXPECT_GT(far(0, 1), -1000);
}

TEST(HeavyTails, SlopesAreThoseOfDifferences) {
  const HeavyTails tails = HeavyTails::learn(mixed_columns(500, 3));
  const Matrix x = mixed_columns(7, 4), direction = normal_matrix(7, 5, 5);
  constexpr double kStep = 1e-6;
  Matrix above = x + kStep * direction, below = x - kStep * direction, slopes = direction;
  tails.apply(above);
  tails.apply(below);
  tails.apply_slopes(x, slopes);
  EXPECT_LT((slopes - (above - below) / (2 * kStep)).norm(), 1e-8 * slopes.norm());
}

TEST(HeavyTails, AreStoredToTheBitAndDamagedOnesRefused) {
  const Matrix x = mixed_columns(500, 3);
  const HeavyTails tails = HeavyTails::learn(x);
  TensorBundle bundle;
  tails.save(bundle, "t");
  Matrix v = x, again = x;
  tails.apply(v);
  HeavyTails::load(bundle, "t", 5).apply(again);
  EXPECT_EQ(v, again);
  EXPECT_THROW(HeavyTails::load(bundle, "t", 4), IoError);
  Matrix stored = bundle.matrix("t");
  stored(1, 3) = 0;
  bundle.put("t", stored);
  EXPECT_THROW(HeavyTails::load(bundle, "t", 5), IoError);
}

/// A deep map that learned its tails from mixed_columns(), and the same map without that transform.
struct DeepPair {
  explicit DeepPair(std::vector<Index> widths = example_recipe("deep", 8).network.widths) {
    RandomStream stream(3);
    const Matrix x = mixed_columns(500, 3);
    const TrainingStatistics statistics = training_statistics(x, x.col(1), stream);
    recipe.network.widths = std::move(widths);
    plain = find_feature_map("deep")->make(recipe, 5, RandomStreams(5), statistics);
    recipe.network.inputs = NetworkInputs::asinh;
    tailed = find_feature_map("deep")->make(recipe, 5, RandomStreams(5), statistics);
    RandomStream start(7);
    theta = tailed->start(statistics, 0, start);
    tails = HeavyTails::learn(statistics.sample);
  }
  Recipe recipe = example_recipe("deep", 8);
  std::unique_ptr<FeatureMap> tailed, plain;
  Vector theta;
  HeavyTails tails = HeavyTails::learn(Matrix(0, 5));
};

TEST(DeepMapOfHeavyTails, IsThePlainOneOfTheTransformedRows) {
  const DeepPair maps;
  const Matrix x = mixed_columns(9, 4);
  Matrix v = x;
  maps.tails.apply(v);
  EXPECT_EQ(features(*maps.tailed, maps.theta, x), features(*maps.plain, maps.theta, v));
  EXPECT_NE(features(*maps.tailed, maps.theta, x), features(*maps.plain, maps.theta, x));

  const Matrix bar = normal_matrix(9, maps.plain->feature_count(), 6);
  const auto gradient = [&](const FeatureMap& map, const Matrix& rows) {
    const auto prepared = map.prepare(maps.theta);
    Matrix psi(rows.rows(), map.feature_count());
    prepared->forward(rows, psi);
    Vector sums = Vector::Zero(prepared->accumulator_size()), theta_bar = Vector::Zero(maps.theta.size());
    prepared->backward(rows, psi, bar, sums);
    prepared->finish(sums, theta_bar);
    return theta_bar;
  };
  EXPECT_EQ(gradient(*maps.tailed, x), gradient(*maps.plain, v));
}

TEST(DeepMapOfHeavyTails, ItsTangentsAreThoseOfDifferences) {
  const DeepPair maps;
  const Matrix x = mixed_columns(9, 4), direction = normal_matrix(9, 5, 8);
  constexpr double kStep = 1e-6;
  const auto prepared = maps.tailed->prepare(maps.theta);
  Matrix psi(9, maps.tailed->feature_count()), tangent(9, maps.tailed->feature_count());
  prepared->forward(x, psi);
  prepared->forward_tangent(x, psi, direction, tangent);
  const Matrix above = features(*maps.tailed, maps.theta, x + kStep * direction);
  const Matrix below = features(*maps.tailed, maps.theta, x - kStep * direction);
  EXPECT_LT((tangent - (above - below) / (2 * kStep)).norm(), 1e-6 * tangent.norm());
}

TEST(DeepMapOfHeavyTails, IsLoadedAsItWasSaved) {
  const DeepPair maps;
  TensorBundle bundle;
  maps.tailed->save(bundle, "m.");
  const auto loaded = find_feature_map("deep")->load(maps.recipe, 5, bundle, "m.");
  const Matrix x = mixed_columns(9, 4);
  EXPECT_EQ(features(*maps.tailed, maps.theta, x), features(*loaded, maps.theta, x));
}

/// Without layers, a phase's rate along an input is the inner map's times the mean slope of asinh over normal rows.
TEST(DeepMapOfHeavyTails, RelevanceIsOfTheInputsThatAreGiven) {
  const DeepPair maps(std::vector<Index>{});
  Matrix slopes = Matrix::Ones(256, 5);
  maps.tails.apply_slopes(RandomStream(1).normals(256 * 5).reshaped(256, 5), slopes);
  const Vector expected = slopes.cwiseAbs2().colwise().mean().cwiseSqrt().transpose();
  const Vector ratio = maps.tailed->phase_rates(maps.theta).cwiseQuotient(maps.plain->phase_rates(maps.theta));
  EXPECT_LT((ratio - expected).norm(), 1e-12 * expected.norm());
  EXPECT_GT((expected - Vector::Ones(5)).norm(), 0.1);  // without the slopes the ratio would be 1
}

}  // namespace
}  // namespace alacarte
