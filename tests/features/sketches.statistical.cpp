// Count and tensor sketches against the kernels they estimate. Seeds are fixed; bounds are five standard errors, which
// one number in 1.7 million exceeds by chance.
#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/features/feature_map.hpp"
#include "features/sketch_hashes.hpp"

namespace alacarte {
namespace {

/// Mean and variance of numbers, with the standard errors of both.
struct Moments {
  double count = 0, sum = 0, squares = 0, cubes = 0, fourths = 0;
  void add(double x) { ++count, sum += x, squares += x * x, cubes += x * x * x, fourths += x * x * x * x; }
  double mean() const { return sum / count; }
  double variance() const { return squares / count - mean() * mean(); }
  double mean_error() const { return std::sqrt(variance() / count); }
  double variance_error() const {
    const double m = mean(), fourth = (fourths - 4 * m * cubes + 6 * m * m * squares) / count - 3 * m * m * m * m;
    return std::sqrt((fourth - variance() * variance()) / count);
  }
};

Recipe sketch_recipe(Index degree, double offset, Index sketch, const std::string& buckets = "random") {
  Recipe recipe;
  recipe.model = "tensor-sketch";
  recipe.kernel.degree = degree;
  recipe.kernel.offset = offset;
  recipe.features.sketch = sketch;
  recipe.features.buckets = from_word<SketchBuckets>(buckets).value();
  recipe.features.learn_lengthscale = false;
  return recipe;
}

/// Estimates psi(x_0).psi(x_1) and psi(x_0).psi(x_0) over seeds; theta: amplitude 1, the recipe's offset.
std::pair<Moments, Moments> estimates(const Recipe& recipe, const Matrix& x, Index seeds) {
  Moments apart, same;
  for (Index seed = 0; seed < seeds; ++seed) {
    const auto map = find_feature_map("tensor-sketch")->make(recipe, x.cols(), RandomStreams(100 + seed), {});
    Vector theta = Vector::Zero(map->parameters().size());
    if (theta.size() > 1) theta[1] = std::log(recipe.kernel.offset);
    Matrix psi(2, recipe.features.sketch);
    map->prepare(theta)->forward(x, psi);
    apart.add(psi.row(0).dot(psi.row(1)));
    same.add(psi.row(0).squaredNorm());
  }
  return {apart, same};
}

Matrix two_rows(Index inputs) {
  RandomStream stream(4);
  Matrix x(2, inputs);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = stream.uniform() + 0.2 * stream.normal();
  return x;
}

// Any three buckets and any four signs are independent: all their combinations are equally frequent.
TEST(SketchHashes, ThreeBucketsAndFourSignsAreIndependent) {
  const Index seeds = 40000;
  Vector buckets = Vector::Zero(27), signs = Vector::Zero(16), joint = Vector::Zero(6);
  for (Index seed = 0; seed < seeds; ++seed) {
    const SketchHashes hashes(2, 9, 3, false, RandomStreams(static_cast<std::uint64_t>(seed)));
    const std::int32_t* h = hashes.buckets(1);
    const double* s = hashes.signs(1);
    ++buckets[h[0] + 3 * h[4] + 9 * h[7]];
    ++signs[(s[1] > 0) + 2 * (s[2] > 0) + 4 * (s[5] > 0) + 8 * (s[8] > 0)];
    ++joint[hashes.buckets(0)[3] + 3 * (s[3] > 0)];
  }
  for (const Vector& counts : {buckets, signs, joint}) {
    const double share = 1.0 / static_cast<double>(counts.size());
    const double error = std::sqrt(share * (1 - share) * static_cast<double>(seeds));
    EXPECT_LT((counts.array() - share * static_cast<double>(seeds)).abs().maxCoeff(), 5 * error);
  }
}

TEST(SketchHashes, BalancedBucketsMeetOnlyWhenTheyMust) {
  for (const auto& [coordinates, sketch] : {std::pair<Index, Index>{9, 16}, {16, 16}, {40, 16}}) {
    const SketchHashes hashes(3, coordinates, sketch, true, RandomStreams(3));
    for (Index k = 0; k < 3; ++k) {
      Vector counts = Vector::Zero(sketch);
      for (Index j = 0; j < coordinates; ++j) ++counts[hashes.buckets(k)[j]];
      EXPECT_EQ(counts.maxCoeff(), static_cast<double>((coordinates + sketch - 1) / sketch));
      EXPECT_GE(counts.minCoeff(), static_cast<double>(coordinates / sketch));
    }
  }
  const SketchHashes hashes(3, 4, 64, true, RandomStreams(3));
  Vector counts = Vector::Zero(64);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j)
      for (Index k = 0; k < 4; ++k) ++counts[(hashes.buckets(0)[i] + hashes.buckets(1)[j] + hashes.buckets(2)[k]) % 64];
  EXPECT_EQ(counts, Vector::Ones(64));
}

// The variance of a count sketch is ((|x|^2 |y|^2 + (x.y)^2) - 2 sum_j x_j^2 y_j^2) / D.
TEST(CountSketch, UnbiasedWithItsVarianceAndExactWithoutCollisions) {
  const Matrix x = two_rows(12);
  const Index sketch = 16;
  const auto [apart, same] = estimates(sketch_recipe(1, 0, sketch), x, 20000);
  const auto variance = [&](const Vector& a, const Vector& b) {
    const double both = a.cwiseAbs2().dot(b.cwiseAbs2());
    return (a.squaredNorm() * b.squaredNorm() + std::pow(a.dot(b), 2) - 2 * both) / static_cast<double>(sketch);
  };
  EXPECT_NEAR(apart.mean(), x.row(0).dot(x.row(1)), 5 * apart.mean_error());
  EXPECT_NEAR(same.mean(), x.row(0).squaredNorm(), 5 * same.mean_error());
  EXPECT_NEAR(apart.variance(), variance(x.row(0), x.row(1)), 5 * apart.variance_error());
  EXPECT_NEAR(same.variance(), variance(x.row(0), x.row(0)), 5 * same.variance_error());
  const auto exact = estimates(sketch_recipe(1, 0, sketch, "balanced"), x, 50).first;
  EXPECT_LT(std::abs(exact.mean() - x.row(0).dot(x.row(1))) + exact.variance(), 1e-12);
}

// The bound (2 + 3^p) |x|^2p |y|^2p / D holds at x = y, unlike the one printed in the thesis (eq. 2.60), ((x.y)^2p +
// |x|^2p |y|^2p) / D.
TEST(TensorSketch, UnbiasedWithinItsVarianceBound) {
  const Matrix x = two_rows(7);
  const Index sketch = 32;
  for (const Index degree : {2, 3, 4})
    for (const std::string buckets : {"random", "balanced"}) {
      const double offset = degree == 3 ? 0.5 : 0, p = static_cast<double>(degree);
      const auto [apart, same] = estimates(sketch_recipe(degree, offset, sketch, buckets), x, 6000);
      const double xx = x.row(0).squaredNorm() + offset, yy = x.row(1).squaredNorm() + offset;
      EXPECT_NEAR(apart.mean(), std::pow(x.row(0).dot(x.row(1)) + offset, p), 5 * apart.mean_error()) << degree;
      EXPECT_NEAR(same.mean(), std::pow(xx, p), 5 * same.mean_error()) << degree << buckets;
      const double factor = (2 + std::pow(3, p)) / static_cast<double>(sketch);
      EXPECT_LT(apart.variance() + 5 * apart.variance_error(), factor * std::pow(xx * yy, p)) << degree;
      EXPECT_LT(same.variance() + 5 * same.variance_error(), factor * std::pow(xx, 2 * p)) << degree;
      if (buckets == "random") {
        EXPECT_GT(same.variance() - 5 * same.variance_error(), 2 * std::pow(xx, 2 * p) / static_cast<double>(sketch));
      }
    }
}

TEST(TensorSketch, BalancedBucketsLowerTheVarianceAndEndIt) {
  const Matrix x = two_rows(5);
  const auto random = estimates(sketch_recipe(3, 0, 32), x, 4000).second;
  const auto balanced = estimates(sketch_recipe(3, 0, 32, "balanced"), x, 4000).second;
  EXPECT_LT(balanced.variance() + 5 * balanced.variance_error(), random.variance() - 5 * random.variance_error());
  const auto exact = estimates(sketch_recipe(2, 0.5, 36, "balanced"), x, 50).first;
  EXPECT_LT(std::abs(exact.mean() - std::pow(x.row(0).dot(x.row(1)) + 0.5, 2)) + exact.variance(), 1e-10);
}

}  // namespace
}  // namespace alacarte
