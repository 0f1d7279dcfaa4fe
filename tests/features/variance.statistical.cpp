// Means and variances of one estimate, as proved in the papers, over 2000 independent draws. Tolerances are five
// standard errors (a variance's from the fourth moment): one number in 1.7 million seeds exceeds them by chance, and
// seeds are fixed.
#include <gtest/gtest.h>

#include <cmath>

#include "features/maps_under_test.hpp"

namespace alacarte {
namespace {

constexpr Index kDraws = 2000;

struct VarianceMoments {
  double mean, mean_error, variance, variance_error;
};

/// Returns moments of the kernel of two points `distance` length-scales apart, in a direction without a special
/// coordinate.
VarianceMoments moments(const Recipe& recipe, Index inputs, double distance) {
  Matrix x = Matrix::Zero(2, inputs);
  const Vector direction = normal_matrix(inputs, 1, 31).normalized();
  x.row(1) = distance * direction.transpose();
  Vector estimates(kDraws);
  for (Index k = 0; k < kDraws; ++k) {
    const auto map =
        find_feature_map(recipe.model)->make(recipe, inputs, RandomStreams(900 + static_cast<std::uint64_t>(k)), {});
    const Matrix psi = features(*map, Vector::Zero(map->parameters().size()), x);
    estimates[k] = psi.row(0).dot(psi.row(1));
  }
  const double n = kDraws, mean = estimates.mean();
  const auto centred = (estimates.array() - mean).eval();
  const double variance = centred.square().sum() / (n - 1), fourth = centred.square().square().mean();
  return {mean, std::sqrt(variance / n), variance, std::sqrt(std::max(0.0, fourth - variance * variance) / n)};
}

Recipe gaussian_kernel(const char* draws, Index frequencies, const char* phase = "pair") {
  Recipe recipe;
  recipe.model = "ard";
  recipe.features.draws = from_word<DirectionSource>(draws).value();
  recipe.features.frequencies = frequencies;
  recipe.features.phase = from_word<PhaseFeatures>(phase).value();
  return recipe;
}

/// Returns the variance of one pair of features with phase N(0, r^2): Var cos = (1 - k^2)^2 / 2.
double pair_variance(double k) { return 0.5 * std::pow(1 - k * k, 2); }
/// Returns the variance of one cosine with a uniform offset (math: E of cos^4 and cos^2 cos^2).
double offset_variance(double k) { return 0.5 + pair_variance(k); }

const double kDistances[] = {0.3, 1.0, 2.0};

// Le, Sarlos and Smola 2013, lemma 7: each row of a block is a Gaussian vector, so every estimate is unbiased.
TEST(FastfoodBlock, IsUnbiased) {
  for (const Index d : {5, 8})
    for (const double r : kDistances) {
      const VarianceMoments m = moments(gaussian_kernel("fastfood", 8), d, r);
      EXPECT_LT(std::abs(m.mean - std::exp(-0.5 * r * r)), 5 * m.mean_error) << d << " inputs, distance " << r;
    }
}

// Theorem 9: one feature has the variance of an independent one; the mean over a block of l has at most (1 - k^2)^2 /
// (2 l) + C(r) / l, C(r) = 6 r^4 (exp(-r^2) + r^2 / 3).
TEST(FastfoodBlock, HasTheVarianceOfTheTheorem) {
  for (const double r : kDistances) {
    const double k = std::exp(-0.5 * r * r), c = 6 * std::pow(r, 4) * (k * k + r * r / 3);
    const VarianceMoments one = moments(gaussian_kernel("fastfood", 1), 8, r);
    EXPECT_LT(std::abs(one.variance - pair_variance(k)), 5 * one.variance_error) << r;
    const VarianceMoments block = moments(gaussian_kernel("fastfood", 8), 8, r);
    EXPECT_LT(block.variance, (pair_variance(k) + c) / 8 + 5 * block.variance_error) << r;
  }
}

// Rahimi and Recht 2007: m independent frequencies divide the variance by m, for any source of independent rows.
TEST(DenseDraws, HaveTheVarianceOfIndependentFeatures) {
  for (const char* draws : {"gaussian", "hashed"})
    for (const double r : kDistances) {
      const double k = std::exp(-0.5 * r * r);
      const VarianceMoments pairs = moments(gaussian_kernel(draws, 8), 5, r);
      EXPECT_LT(std::abs(pairs.mean - k), 5 * pairs.mean_error) << draws << r;
      EXPECT_LT(std::abs(pairs.variance - pair_variance(k) / 8), 5 * pairs.variance_error) << draws << r;
      const VarianceMoments offset = moments(gaussian_kernel(draws, 8, "offset"), 5, r);
      EXPECT_LT(std::abs(offset.mean - k), 5 * offset.mean_error) << draws << r;
      EXPECT_LT(std::abs(offset.variance - offset_variance(k) / 8), 5 * offset.variance_error) << draws << r;
    }
}

// Normalising features lowers the variance of offset features by k^2 (3 - k^4) / 4 (Li 2017, theorem 2) in the limit of
// many frequencies; at 256 a twentieth remains for the next order.
TEST(NormalizedFeatures, HaveLessVariance) {
  for (const double r : kDistances) {
    const double k = std::exp(-0.5 * r * r), square = k * k;
    Recipe recipe = gaussian_kernel("gaussian", 256, "offset");
    recipe.features.normalized = true;
    const VarianceMoments m = moments(recipe, 3, r);
    const double wanted = (offset_variance(k) - 0.25 * square * (3 - square * square)) / 256;
    EXPECT_LT(std::abs(m.variance - wanted), 5 * m.variance_error + 0.05 * wanted) << r;
    EXPECT_LT(std::abs(m.mean - k), 5 * m.mean_error + 2.0 / 256) << r;  // biased, of order 1 / m
  }
}

}  // namespace
}  // namespace alacarte
