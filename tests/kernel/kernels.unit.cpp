#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/kernel/kernel.hpp"

namespace alacarte {
namespace {

Matrix random_inputs(Index rows, Index cols, std::uint64_t seed) {
  RandomStream stream(seed);
  Matrix x(rows, cols);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = stream.normal();
  return x;
}

double profile(const std::string& name, double nu, double r) {
  if (name != "exact-matern") return std::exp(-0.5 * r * r);
  if (nu == 0.5) return std::exp(-r);
  if (nu == 1.5) return (1 + std::sqrt(3.0) * r) * std::exp(-std::sqrt(3.0) * r);
  return (1 + std::sqrt(5.0) * r + 5.0 * r * r / 3.0) * std::exp(-std::sqrt(5.0) * r);
}

struct Case {
  std::string name;
  double nu = 1.5;
};

class Kernels : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Kernel> make(Index inputs) const {
    Recipe recipe;
    recipe.kernel.nu = GetParam().nu;
    return find_kernel(GetParam().name)->make(recipe, inputs);
  }
};

TEST_P(Kernels, GramFollowsTheFormula) {
  const Index d = 3;
  const auto kernel = make(d);
  const Matrix x1 = random_inputs(5, d, 1), x2 = random_inputs(7, d, 2);
  const Vector theta = Vector::LinSpaced(kernel->parameters().size(), -0.3, 0.4);
  Matrix gram(5, 7);
  kernel->gram(theta, x1, x2, gram);
  const Index scales = theta.size() - 1;
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 7; ++j) {
      double r2 = 0;
      for (Index k = 0; k < d; ++k) r2 += std::pow((x1(i, k) - x2(j, k)) / std::exp(theta[scales == 1 ? 0 : k]), 2);
      EXPECT_NEAR(gram(i, j), std::exp(2 * theta[scales]) * profile(GetParam().name, GetParam().nu, std::sqrt(r2)),
                  1e-14);
    }
}

TEST_P(Kernels, SymmetricGramIsExactAndFreeOfThreads) {
  const Index n = 530, d = 2;
  const auto kernel = make(d);
  Matrix x = random_inputs(n, d, 3);
  x.row(17) = x.row(400);
  const Vector theta = Vector::Constant(kernel->parameters().size(), 0.1);
  Matrix gram(n, n), threaded(n, n), crossed(n, n);
  kernel->gram(theta, x, x, gram, 1);
  kernel->gram(theta, x, x, threaded, 2);
  const Matrix copy = x;
  kernel->gram(theta, x, copy, crossed, 1);
  Vector diagonal(n);
  kernel->diagonal(theta, x, diagonal);
  EXPECT_EQ(gram, threaded);
  EXPECT_EQ(gram, Matrix(gram.transpose()));
  EXPECT_EQ(gram.diagonal(), diagonal);
  EXPECT_EQ(gram(17, 400), diagonal[0]);
  EXPECT_LT((gram - crossed).cwiseAbs().maxCoeff(), 1e-15);
}

// <gram_bar, K(theta)> against Richardson-extrapolated central differences.
TEST_P(Kernels, BackwardIsTheAdjointOfGram) {
  for (const Index d : {1, 3, 8}) {
    const Index n = 40;
    const auto kernel = make(d);
    Matrix x = random_inputs(n, d, 4);
    x.row(3) = x.row(9);
    Matrix bar = random_inputs(n, n, 5);
    bar = (bar + bar.transpose()).eval();
    const Vector theta = Vector::LinSpaced(kernel->parameters().size(), 0.2, 0.6);
    Matrix gram(n, n);
    const auto value = [&](const Vector& at) {
      Matrix k(n, n);
      kernel->gram(at, x, x, k);
      return k.cwiseProduct(bar).sum();
    };
    kernel->gram(theta, x, x, gram);
    for (const int threads : {1, 2}) {
      Vector gradient = Vector::Zero(theta.size());
      kernel->backward(theta, x, gram, bar, gradient, threads);
      for (Index p = 0; p < theta.size(); ++p) {
        const auto central = [&](double h) {
          Vector up = theta, down = theta;
          up[p] += h;
          down[p] -= h;
          return (value(up) - value(down)) / (2 * h);
        };
        const double numeric = (4 * central(1e-3) - central(2e-3)) / 3;
        EXPECT_NEAR(gradient[p], numeric, 1e-8 * (1 + gradient.cwiseAbs().maxCoeff())) << d << " " << p;
      }
    }
  }
}

TEST_P(Kernels, StartsAreFiniteAndInsideTheBounds) {
  const Index d = 4;
  const auto kernel = make(d);
  Matrix x = random_inputs(50, d, 6);
  x.col(2).setZero();
  RandomStream stream(7);
  const TrainingView view = make_training_view(x, x.col(0), stream);
  for (Index k = 0; k < 10; ++k) {
    const Vector theta = kernel->start(view, k, stream);
    EXPECT_TRUE(theta.allFinite());
    EXPECT_TRUE(kernel->parameters().at_bound(theta).empty());
  }
  EXPECT_EQ(kernel->describe(kernel->start(view, 0, stream))["relevance"].size(), 4U);
}

INSTANTIATE_TEST_SUITE_P(All, Kernels,
                         ::testing::Values(Case{"exact-rbf"}, Case{"exact-ard"}, Case{"exact-matern", 0.5},
                                           Case{"exact-matern", 1.5}, Case{"exact-matern", 2.5}));

TEST(KernelRegistry, NamesAndBadSettings) {
  EXPECT_EQ(find_kernel("exact-cubic"), nullptr);
  Recipe recipe;
  recipe.kernel.nu = 2;
  EXPECT_THROW(find_kernel("exact-matern")->make(recipe, 2), ConfigError);
  EXPECT_EQ(kernels().size(), 3U);
}

}  // namespace
}  // namespace alacarte
