// Consistent weighted samples against the min-max kernel, and the variance theorems of Li 2017. Seeds are fixed; bounds
// are five standard errors.
#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/features/feature_map.hpp"
#include "features/consistent_sampling.hpp"
#include "kernel/minmax.hpp"

namespace alacarte {
namespace {

double minmax(const Matrix& x, Index a, Index b) {
  Matrix gram(1, 1);
  minmax_gram(to_sparse(x.row(a)).view(), to_sparse(x.row(b)).view(), gram);
  return gram(0, 0);
}

/// Returns the share of samples in which two rows have equal codes.
double agreement(const std::vector<std::int32_t>& codes, Index samples, Index a, Index b) {
  Index equal = 0;
  for (Index j = 0; j < samples; ++j)
    equal += codes[static_cast<std::size_t>(a * samples + j)] == codes[static_cast<std::size_t>(b * samples + j)];
  return static_cast<double>(equal) / static_cast<double>(samples);
}

/// Returns rows in pairs, from nearly equal to far apart, of both signs, with zeros and of very different sizes.
Matrix pairs(Index count, Index inputs) {
  RandomStream stream(12);
  Matrix x(2 * count, inputs);
  for (Index i = 0; i < count; ++i) {
    const double spread = 2 * stream.uniform(), gaps = stream.uniform(), size = std::exp(4 * stream.normal());
    for (Index j = 0; j < inputs; ++j) {
      const double u = stream.uniform() < gaps ? 0 : stream.normal();
      const double v = stream.uniform() < 0.2 * gaps ? 0 : u + spread * stream.normal() * stream.uniform();
      x(2 * i, j) = size * u;
      x(2 * i + 1, j) = size * v;
    }
  }
  return x;
}

// With 24 bits of a hash of (i*, t*), different samples hardly ever collide.
TEST(ConsistentSamples, AgreeWithTheKernelsProbability) {
  const Index count = 200, samples = Index{1} << 14;
  const Matrix x = pairs(count, 11);
  const ConsistentSampler sampler(0x1234567890abcull, 11, 64, 24, true);
  // Needs more samples than one sampler may have features: other keys, other samples.
  Vector equal = Vector::Zero(count);
  std::vector<std::int32_t> codes;
  const SparseRows rows = to_sparse(x);
  for (Index part = 0; part < samples / 64; ++part) {
    ConsistentSampler(static_cast<std::uint64_t>(part) * 0x9e3779b97f4aull + 77, 11, 64, 24, true)
        .sample(rows.view(), codes);
    for (Index i = 0; i < count; ++i) equal[i] += 64 * agreement(codes, 64, 2 * i, 2 * i + 1);
  }
  double minimum = 1, maximum = 0;
  for (Index i = 0; i < count; ++i) {
    const double g = minmax(x, 2 * i, 2 * i + 1), error = std::sqrt(g * (1 - g) / static_cast<double>(samples));
    EXPECT_NEAR(equal[i] / static_cast<double>(samples), g, 5 * error + 1e-6) << i;
    minimum = std::min(minimum, g);
    maximum = std::max(maximum, g);
  }
  EXPECT_LT(minimum, 0.1);  // the pairs span the kernel's range
  EXPECT_GT(maximum, 0.9);
}

// Samples of one key are as independent as those of different keys: the variance of their mean is binomial.
TEST(ConsistentSamples, OfOneKeyAreIndependent) {
  const Matrix x = pairs(6, 20).bottomRows(2);
  const Index samples = 256, keys = 3000;
  const double g = minmax(x, 0, 1);
  double sum = 0, squares = 0;
  std::vector<std::int32_t> codes;
  const SparseRows rows = to_sparse(x);
  for (Index key = 0; key < keys; ++key) {
    ConsistentSampler(static_cast<std::uint64_t>(key), 20, samples, 22, true).sample(rows.view(), codes);
    const double share = agreement(codes, samples, 0, 1);
    sum += share;
    squares += share * share;
  }
  const double mean = sum / keys, variance = squares / keys - mean * mean;
  const double wanted = g * (1 - g) / static_cast<double>(samples);
  EXPECT_NEAR(mean, g, 5 * std::sqrt(wanted / keys));
  EXPECT_NEAR(variance, wanted, 5 * wanted * std::sqrt(2.0 / keys));
}

// Without t* rows agree slightly more often; with b bits of a hash, by 2^-b of the remainder more.
TEST(ConsistentSamples, FewerBitsAgreeMoreOften) {
  const Matrix x = pairs(40, 30);
  const Index samples = 4096;
  std::vector<std::int32_t> full, zero, two;
  const SparseRows rows = to_sparse(x);
  ConsistentSampler(5, 30, samples, 18, true).sample(rows.view(), full);
  ConsistentSampler(5, 30, samples, 8, false).sample(rows.view(), zero);
  ConsistentSampler(5, 30, samples, 2, true).sample(rows.view(), two);
  for (Index i = 0; i < 40; ++i) {
    const double g = minmax(x, 2 * i, 2 * i + 1), error = 0.5 / std::sqrt(static_cast<double>(samples));
    EXPECT_GE(agreement(zero, samples, 2 * i, 2 * i + 1), agreement(full, samples, 2 * i, 2 * i + 1) - 1e-3);
    EXPECT_LT(agreement(zero, samples, 2 * i, 2 * i + 1), g + 0.1);
    EXPECT_NEAR(agreement(two, samples, 2 * i, 2 * i + 1), g + (1 - g) / 4, 5 * error);
  }
}

TEST(ConsistentSamples, RowsOfZerosAgreeWithEachOtherAlone) {
  Matrix x = Matrix::Zero(4, 3);
  x.row(1) << 1, 0, -2;
  x(3, 0) = 1e-300;
  for (const bool full : {false, true}) {
    const ConsistentSampler sampler(9, 3, 100, 20, full);
    std::vector<std::int32_t> codes;
    sampler.sample(to_sparse(x).view(), codes);
    EXPECT_EQ(agreement(codes, 100, 0, 2), 1);
    EXPECT_EQ(agreement(codes, 100, 0, 1), 0);
    EXPECT_EQ(agreement(codes, 100, 0, 3), 0);
    for (const std::int32_t code : codes) EXPECT_TRUE(code >= 0 && code < sampler.code_count());
  }
  EXPECT_EQ(ConsistentSampler(9, 3, 100, 20, false).code_count(), 7);  // i* of three inputs, and of none
  EXPECT_THROW(ConsistentSampler(9, 3, Index{1} << 20, 20, true), ConfigError);
  EXPECT_THROW(ConsistentSampler(9, Index{1} << 30, 8, 8, false), ConfigError);
}

/// Returns the estimates of exp(-gamma (1 - rho)) by k features in the offset phase, for unit rows with 1/lengthscale =
/// sqrt(gamma).
Vector cosine_estimates(double gamma, double rho, Index k, bool normalized, Index seeds) {
  Recipe recipe;
  recipe.model = "rbf";
  recipe.features.draws = DirectionSource::gaussian;
  recipe.features.phase = PhaseFeatures::offset;
  recipe.features.normalized = normalized;
  recipe.features.frequencies = k;
  Matrix x(2, 2), psi(2, k);
  x << 1, 0, rho, std::sqrt(1 - rho * rho);
  Vector values(seeds);
  for (Index seed = 0; seed < seeds; ++seed) {
    const auto map = find_feature_map("rbf")->make(recipe, 2, RandomStreams(static_cast<std::uint64_t>(seed)), {});
    map->prepare(Eigen::Vector2d(-0.5 * std::log(gamma), 0))->forward(x, psi);
    values[seed] = psi.row(0).dot(psi.row(1));
  }
  return values;
}

double rff_variance(double gamma, double rho) { return 0.5 + 0.5 * std::pow(1 - std::exp(-2 * gamma * (1 - rho)), 2); }
double nrff_variance(double gamma, double rho) {
  const double e = std::exp(-2 * gamma * (1 - rho));
  return rff_variance(gamma, rho) - 0.25 * e * (3 - e * e);
}

// Theorem 2.1 is exact for every k; theorem 2.2 holds up to a relative O(1/k), with a threefold tolerance here.
TEST(MinMaxPaper, VariancesOfFourierFeaturesWithAndWithoutNormalising) {
  const Index k = 128, seeds = 4000;
  for (const auto& [gamma, rho] : {std::pair{1.0, 0.5}, {1.0, 0.9}, {5.0, 0.2}, {0.5, -0.5}}) {
    const double kernel = std::exp(-gamma * (1 - rho));
    for (const bool normalized : {false, true}) {
      const Vector values = cosine_estimates(gamma, rho, k, normalized, seeds);
      const double wanted = (normalized ? nrff_variance(gamma, rho) : rff_variance(gamma, rho)) / k;
      const double slack = normalized ? 3.0 / k : 0;
      const double variance = (values.array() - values.mean()).square().mean();
      EXPECT_NEAR(values.mean(), kernel, 5 * std::sqrt(wanted / seeds) + slack) << gamma << " " << rho;
      EXPECT_NEAR(variance / wanted, 1, 5 * std::sqrt(2.2 / seeds) + slack) << gamma << " " << rho << normalized;
    }
  }
}

// Theorem 3.1: g itself estimates the RBF kernel if it is a function of rho (rows of many elliptical entries).
TEST(MinMaxPaper, VarianceOfTheKernelFromConsistentSamples) {
  const Index k = 1024, draws = 4000;
  std::uint64_t key = 31;
  std::vector<std::int32_t> codes;
  for (const auto& [gamma, rho] : {std::pair{1.0, 0.5}, {5.0, 0.8}, {2.0, -0.3}}) {
    const double root = std::sqrt((1 - rho) / 2), g = (1 - root) / (1 + root);
    Matrix x(2, 2);
    x << 1, 0, 1, (1 - g) / g;  // whose kernel is g
    const SparseRows rows = to_sparse(x);
    Vector values(draws);
    for (Index i = 0; i < draws; ++i) {
      ConsistentSampler(++key, 2, k, 20, true).sample(rows.view(), codes);
      const double mean = agreement(codes, k, 0, 1);
      values[i] = std::exp(-2 * gamma * std::pow((1 - mean) / (1 + mean), 2));
    }
    const double kernel = std::exp(-gamma * (1 - rho));
    const double wanted = kernel * kernel * g * std::pow(1 - g, 3) / std::pow(1 + g, 6) * 64 * gamma * gamma / k;
    EXPECT_NEAR(values.mean(), kernel, 5 * std::sqrt(wanted / draws) + 2.0 / k);
    EXPECT_NEAR((values.array() - values.mean()).square().mean() / wanted, 1, 5 * std::sqrt(2.2 / draws) + 10.0 / k);
  }
}

}  // namespace
}  // namespace alacarte
