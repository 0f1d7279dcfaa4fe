// Maps against the kernels they approximate, each by a formula or an exact kernel without common code. Seeds are fixed,
// so results are reproducible; each bound is five standard errors, which a single number exceeds by chance in one of
// 1.7 million seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/math/special_functions/legendre.hpp>
#include <cmath>
#include <functional>

#include "alacarte/core/error.hpp"
#include "alacarte/kernel/kernel.hpp"
#include "features/maps_under_test.hpp"

namespace alacarte {
namespace {

using Formula = std::function<double(const FeatureMap&, ConstVec, const Vector&, const Vector&)>;

Recipe recipe_of(const std::string& model, Index frequencies) {
  Recipe recipe;
  recipe.model = model;
  recipe.features.frequencies = frequencies;
  return recipe;
}

std::unique_ptr<FeatureMap> make_map(const Recipe& recipe, Index inputs, std::uint64_t seed) {
  return find_feature_map(recipe.model)->make(recipe, inputs, RandomStreams(seed), small_statistics(inputs));
}

Vector slot(const FeatureMap& map, ConstVec theta, const std::string& name) {
  const ParameterSlot& found = map.parameters().find(name);
  return theta.segment(found.offset, found.size).array().exp();
}

void expect_unbiased(const Recipe& recipe, Index inputs, const Formula& formula) {
  const Index seeds = 1500, rows = 5;
  const Matrix x = 0.8 * normal_matrix(rows, inputs, 1);
  Matrix sum = Matrix::Zero(rows, rows), square = sum, exact(rows, rows);
  const Vector theta = test_theta(*make_map(recipe, inputs, 1));
  for (Index seed = 0; seed < seeds; ++seed) {
    const auto map = make_map(recipe, inputs, 1000 + static_cast<std::uint64_t>(seed));
    const Matrix psi = features(*map, theta, x);
    const Matrix k = psi * psi.transpose();
    sum += k;
    square += k.cwiseProduct(k);
    for (Index i = 0; seed == 0 && i < rows; ++i)
      for (Index j = 0; j < rows; ++j) exact(i, j) = formula(*map, theta, x.row(i), x.row(j));
  }
  const Matrix mean = sum / seeds, variance = square / seeds - mean.cwiseProduct(mean);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j <= i; ++j)
      EXPECT_LT(std::abs(mean(i, j) - exact(i, j)),
                5 * std::sqrt(std::max(variance(i, j), 0.0) / seeds) + 1e-12 * std::abs(exact(i, j)))
          << recipe.model << " " << i << " " << j << ": " << mean(i, j) << " for " << exact(i, j);
}

/// Evaluates the exact kernel whose slots have the map's names.
double same_slots(const Kernel& kernel, ConstVec theta, const Vector& a, const Vector& b) {
  Matrix gram(1, 1);
  kernel.gram(theta, a.transpose(), b.transpose(), gram);
  return gram(0, 0);
}

TEST(MapKernels, PolynomialIsThePolynomialKernel) {
  for (const Index degree : {1, 2, 3, 5})
    for (const double offset : {0.0, 1.0})
      for (const Index d : {1, 2, 4}) {
        Recipe recipe = recipe_of("polynomial", 24);
        recipe.kernel.degree = degree;
        recipe.kernel.offset = offset;
        const auto kernel = find_kernel("exact-polynomial")->make(recipe, d);
        expect_unbiased(recipe, d, [&](const FeatureMap&, ConstVec theta, const Vector& a, const Vector& b) {
          return same_slots(*kernel, theta, a, b);
        });
      }
}

TEST(MapKernels, PeriodicIsThePeriodicKernel) {
  const Recipe recipe = recipe_of("periodic", 8);
  const auto kernel = find_kernel("exact-periodic")->make(recipe, 3);
  expect_unbiased(recipe, 3, [&](const FeatureMap&, ConstVec theta, const Vector& a, const Vector& b) {
    return same_slots(*kernel, theta, a, b);
  });
}

// Two inputs and an offset give the sphere in three dimensions, whose polynomials are Legendre's.
TEST(MapKernels, DotProductIsTheLegendreSeries) {
  Recipe recipe = recipe_of("dot-product", 24);
  recipe.kernel.coefficients = {0.5, 1, 0, 0.5, 0.2};
  recipe.kernel.offset = 0.7;
  expect_unbiased(recipe, 2, [](const FeatureMap& map, ConstVec theta, const Vector& a, const Vector& b) {
    const Vector scale = slot(map, theta, "dot-product.log_lengthscale");
    const Vector coefficients = slot(map, theta, "dot-product.log_coefficient");
    const Vector u = a.cwiseQuotient(scale), w = b.cwiseQuotient(scale);
    const double t = (u.dot(w) + 0.7) / std::sqrt((u.squaredNorm() + 0.7) * (w.squaredNorm() + 0.7));
    double sum = 0;
    Index at = 0;
    for (const int n : {0, 1, 3, 4}) sum += coefficients[at++] * boost::math::legendre_p(n, t);
    return std::pow(slot(map, theta, "dot-product.log_amplitude")[0], 2) * sum;
  });
}

// E_v of the product of powers, v uniform on the sphere: Isserlis' theorem for a Gaussian v, over E|v|^2p.
TEST(MapKernels, MomentsAreThoseOfTheSphere) {
  Recipe recipe = recipe_of("moments", 24);
  recipe.kernel.coefficients = {0.3, 1, 2, 4};
  expect_unbiased(recipe, 3, [](const FeatureMap& map, ConstVec theta, const Vector& a, const Vector& b) {
    const Vector scale = slot(map, theta, "moments.log_lengthscale"), c = slot(map, theta, "moments.log_coefficient");
    const Vector u = a.cwiseQuotient(scale), w = b.cwiseQuotient(scale);
    const double uu = u.squaredNorm(), ww = w.squaredNorm(), t = u.dot(w), d = 3;
    const double sum = c[0] + c[1] * t / d + c[2] * (uu * ww + 2 * t * t) / (d * (d + 2)) +
                       c[3] * (9 * uu * ww * t + 6 * t * t * t) / (d * (d + 2) * (d + 4));
    return std::pow(slot(map, theta, "moments.log_amplitude")[0], 2) * sum;
  });
}

// The integral over anchors of two bumps factorises into one Gaussian integral per input.
TEST(MapKernels, LocalIsTheIntegralOverItsAnchors) {
  const Index d = 3;
  expect_unbiased(
      recipe_of("local", 16), d, [](const FeatureMap& map, ConstVec theta, const Vector& a, const Vector& b) {
        const Vector scale = slot(map, theta, "local.log_lengthscale");
        const auto spread = map.describe(theta).spread;
        double product = std::pow(slot(map, theta, "local.log_amplitude")[0], 2);
        for (Index j = 0; j < 3; ++j) {
          const double s2 = std::pow(spread[j], 2), l2 = scale[j] * scale[j];
          const double precision = 2 / l2 + 1 / s2;
          product *= std::exp(-0.5 * ((a[j] * a[j] + b[j] * b[j]) / l2 - std::pow((a[j] + b[j]) / l2, 2) / precision)) /
                     std::sqrt(s2 * precision);
        }
        return product;
      });
}

TEST(MapKernels, PositiveIsTheGaussianKernel) {
  const auto kernel = find_kernel("exact-ard")->make({}, 3);
  expect_unbiased(recipe_of("positive", 16), 3,
                  [&](const FeatureMap&, ConstVec theta, const Vector& a, const Vector& b) {
                    return same_slots(*kernel, theta, a, b);
                  });
}

TEST(MapKernels, SumIsTheSumOfItsTerms) {
  Recipe recipe = recipe_of("sum", 8);
  recipe.terms = {recipe_of("ard", 8), recipe_of("linear", 8), recipe_of("periodic", 8)};
  const Index d = 3;
  const Matrix x = normal_matrix(6, d, 2);
  const auto sum = make_map(recipe, d, 5);
  const Vector theta = test_theta(*sum);
  const Matrix psi = features(*sum, theta, x);
  Matrix wanted = Matrix::Zero(6, 6);
  Index first = 0;
  for (std::size_t t = 0; t < recipe.terms.size(); ++t) {
    const auto map =
        find_feature_map(recipe.terms[t].model)
            ->make(recipe.terms[t], d, RandomStreams(5).scope(fmt::format("term[{}]", t)), small_statistics(d));
    const Matrix own = features(*map, theta.segment(first, map->parameters().size()), x);
    wanted += own * own.transpose();
    first += map->parameters().size();
  }
  EXPECT_EQ(first, theta.size());
  EXPECT_LT((psi * psi.transpose() - wanted).norm(), 1e-12 * wanted.norm());
  EXPECT_EQ(sum->terms().size(), 3u);
  EXPECT_EQ(sum->terms()[2].first + sum->terms()[2].count, sum->feature_count());
}

// With every row a landmark the kernel is exact there, except for the ridge; elsewhere it is never above, and more
// landmarks bring it nearer, however they are chosen.
TEST(MapKernels, NystromNearsItsKernelFromBelow) {
  const Index d = 2;
  for (const std::string method : {"uniform", "kmeans", "leverage"})
    for (const std::string name : {"exact-ard", "exact-matern", "exact-linear"}) {
      Recipe recipe = recipe_of("nystrom", 1000);
      recipe.features.landmarks = from_word<LandmarkChoice>(method).value();
      Recipe term;
      term.model = name;
      recipe.terms = {term};
      const auto kernel = find_kernel(name)->make(term, d);
      const TrainingStatistics statistics = small_statistics(d);
      const Matrix x = normal_matrix(20, d, 3);
      double before = 2;
      for (const Index m : {3, 10, 60}) {
        recipe.features.frequencies = m == 60 ? 1000 : m;
        const auto map = make_map(recipe, d, 5);
        EXPECT_LE(map->feature_count(), 60);
        const Vector theta = test_theta(*map);
        Vector exact(x.rows()), at_rows(statistics.sample.rows());
        kernel->diagonal(theta, x, exact);
        kernel->diagonal(theta, statistics.sample, at_rows);
        const Vector near = features(*map, theta, x).rowwise().squaredNorm();
        const double lost = (exact - near).sum() / exact.sum();
        EXPECT_GT((exact - near).minCoeff(), -1e-9 * exact.maxCoeff());
        EXPECT_LE(lost, before + 1e-9) << method << name << m;
        before = lost;
        if (m != 60) continue;
        const Vector landmarks = features(*map, theta, statistics.sample).rowwise().squaredNorm();
        EXPECT_LT((landmarks - at_rows).cwiseAbs().maxCoeff(), 1e-5 * at_rows.maxCoeff()) << method << name;
      }
      EXPECT_LT(before, 0.5) << method << name;
    }
}

TEST(MapKernels, BadSettingsAreRefused) {
  const auto make = [](const Recipe& recipe) { return make_map(recipe, 2, 1); };
  Recipe recipe = recipe_of("dot-product", 16);
  recipe.kernel.coefficients = {1, 0.5, -0.1};
  try {
    make(recipe);
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("degree 2"), std::string::npos) << error.what();
  }
  recipe.kernel.coefficients = {0, 0};
  EXPECT_THROW(make(recipe), ConfigError);
  recipe.kernel.coefficients = {1, 1, 1, 1};
  recipe.features.frequencies = 3;
  EXPECT_THROW(make(recipe), ConfigError);
  Recipe polynomial = recipe_of("polynomial", 16);
  polynomial.kernel.degree = 0;
  EXPECT_THROW(make(polynomial), ConfigError);
  polynomial.kernel.degree = 2;
  polynomial.kernel.offset = -1;
  EXPECT_THROW(make(polynomial), ConfigError);
  Recipe nystrom = recipe_of("nystrom", 16);
  nystrom.terms.resize(1);
  nystrom.terms[0].model = "ard";
  EXPECT_THROW(make(nystrom), ConfigError);
  nystrom.terms.resize(2);
  EXPECT_THROW(make(nystrom), ConfigError);
  Recipe sum = recipe_of("sum", 16);
  EXPECT_THROW(make(sum), ConfigError);
  sum.terms.resize(1);
  sum.terms[0].model = "exact-ard";
  EXPECT_THROW(make(sum), ConfigError);
  sum.terms = {recipe_of("linear", 16), recipe_of("sum", 16)};
  sum.terms[1].terms = {recipe};
  try {
    make(sum);
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.pointer(), "/terms/1/terms/0/features/frequencies");
  }
}

}  // namespace
}  // namespace alacarte
