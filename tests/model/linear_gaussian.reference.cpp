#include "model/linear_gaussian.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "support/cosine_map.hpp"
#include "support/dense_reference.hpp"

namespace alacarte {
namespace {

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

// Returns the textbook formula in extended precision: 11 more bits verify the accuracy of the residual form.
long double extended_value(const Matrix& psi, const Vector& y, long double noise, MeanKind mean) {
  const Index n = y.size();
  const Long wide = psi.cast<long double>();
  const Long k = wide * wide.transpose() + noise * Long::Identity(n, n);
  const Eigen::LLT<Long> factor(k);
  const LongVector one = LongVector::Ones(n), target = y.cast<long double>();
  const LongVector a = factor.solve(target), h = factor.solve(one);
  const Long lower = factor.matrixL();
  const long double log_det = 2 * lower.diagonal().array().log().sum(), two_pi = 2 * std::numbers::pi_v<long double>;
  if (mean == MeanKind::zero) return 0.5L * (n * std::log(two_pi) + log_det + target.dot(a));
  const long double kappa = one.dot(h), sum = h.dot(target);
  return 0.5L * ((n - 1) * std::log(two_pi) + log_det + std::log(kappa) + target.dot(a) - sum * sum / kappa);
}

double primal_value(const Matrix& psi, const Vector& y, double noise, MeanKind mean) {
  PrimalSums sums;
  sums.reset(psi.cols());
  sums.add(psi, y);
  PrimalGaussian gaussian(mean);
  gaussian.factor(sums, noise, true);
  Vector residual(y.size());
  return gaussian.value(gaussian.residual(psi, y, residual));
}

// At noise variance 1e-8 the energies y^T y - b^T B^-1 b / s2 would be off by whole units.
TEST(LinearGaussian, TinyNoiseKeepsItsDigits) {
  for (const MeanKind mean : {MeanKind::zero, MeanKind::constant}) {
    const Matrix psi = normal_matrix(200, 20, 1) / std::sqrt(20.0);
    const Vector weights = normal_matrix(20, 1, 2).col(0);
    const Vector y = (psi * weights + 1e-4 * normal_matrix(200, 1, 3).col(0)).array() + 0.4;
    const double primal = primal_value(psi, y.array() - (mean == MeanKind::zero ? 0.4 : 0.0), 1e-8, mean);
    const Vector target = y.array() - (mean == MeanKind::zero ? 0.4 : 0.0);
    const double expected = static_cast<double>(extended_value(psi, target, 1e-8L, mean));
    EXPECT_NEAR(primal, expected, 1e-7 * std::abs(expected));
  }
}

TEST(LinearGaussian, MergedSumsAreTheWhole) {
  const Matrix psi = normal_matrix(50, 6, 4);
  const Vector y = normal_matrix(50, 1, 5).col(0);
  PrimalSums whole, first, second;
  for (PrimalSums* sums : {&whole, &first, &second}) sums->reset(6);
  whole.add(psi, y);
  first.add(psi.topRows(20), y.head(20));
  second.add(psi.bottomRows(30), y.tail(30));
  first += second;
  EXPECT_EQ(first.rows, 50);
  EXPECT_LT((first.gram - whole.gram).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((first.target - whole.target).norm(), 1e-13);
  EXPECT_LT((first.features - whole.features).norm(), 1e-13);
}

// The cotangent equals differences of the value, by feature, with explicit inverse or triangular solves.
TEST(LinearGaussian, CotangentEqualsDifferences) {
  for (const double noise : {0.1, 1e-7}) {
    Matrix psi = normal_matrix(12, 4, 6);
    psi.col(3) *= 10;
    const Vector y = psi * Vector::Ones(4) + std::sqrt(noise) * normal_matrix(12, 1, 7).col(0);
    PrimalSums sums;
    sums.reset(4);
    sums.add(psi, y);
    PrimalGaussian gaussian(MeanKind::constant);
    gaussian.factor(sums, noise, true);
    Vector residual(12);
    Matrix bar(12, 4);
    gaussian.residual(psi, y, residual);
    gaussian.cotangent(psi, residual, bar);
    const double step = 1e-3 * std::sqrt(noise);
    for (Index i = 0; i < 12; i += 5)
      for (Index j = 0; j < 4; ++j) {
        const auto central = [&](double h) {
          Matrix up = psi, down = psi;
          up(i, j) += h;
          down(i, j) -= h;
          return static_cast<double>(extended_value(up, y, noise, MeanKind::constant) -
                                     extended_value(down, y, noise, MeanKind::constant)) /
                 (2 * h);
        };
        const double numeric = (4 * central(step) - central(2 * step)) / 3;
        EXPECT_NEAR(bar(i, j), numeric, 1e-6 * bar.cwiseAbs().maxCoeff()) << noise;
      }
  }
}

// Value, weights and cotangents of the Gram matrix, whose lower triangle alone is read.
TEST(LinearGaussian, DualFormEqualsTheDenseFormulas) {
  const Index n = 40;
  const Matrix psi = normal_matrix(n, 60, 8) / 8.0;
  const Vector y = (psi * normal_matrix(60, 1, 9).col(0) + 0.1 * normal_matrix(n, 1, 10).col(0)).array() + 0.7;
  const Matrix gram = psi * psi.transpose();
  Matrix lower = Matrix::Constant(n, n, std::nan(""));
  lower.triangularView<Eigen::Lower>() = gram;
  for (const MeanKind mean : {MeanKind::zero, MeanKind::constant}) {
    const DenseReference dense(gram, y, 0.02, mean);
    DualGaussian gaussian(mean);
    gaussian.factor(lower, y, 0.02);
    gaussian.adjoint(true);
    const Matrix bar = 0.5 * (dense.projected - dense.alpha * dense.alpha.transpose());
    const double size = bar.cwiseAbs().maxCoeff();
    EXPECT_NEAR(gaussian.value(), dense.value, 1e-10 * std::abs(dense.value));
    EXPECT_LT((gaussian.alpha() - dense.alpha).norm(), 1e-10 * dense.alpha.norm());
    EXPECT_LT((gaussian.gram_bar() - bar).cwiseAbs().maxCoeff(), 1e-10 * size);
    EXPECT_LT((gaussian.precision_diagonal() - dense.projected.diagonal()).norm(), 1e-10 * size);
    EXPECT_NEAR(gaussian.noise_bar(), bar.trace(), 1e-10 * size);
    const std::vector<Index> some = {0, 7, 8, 39};
    DualGaussian factored(mean);
    factored.factor(lower, y, 0.02);
    EXPECT_LT((factored.precision_diagonal(some) - dense.projected.diagonal()(some)).norm(), 1e-10 * size);
    const Vector roots = Vector::LinSpaced(n, 0.5, 2);
    factored.factor(lower, y, 0.02, roots);
    const Vector of_some = factored.precision_diagonal(some);
    factored.adjoint(false);
    EXPECT_LT((of_some - factored.precision_diagonal()(some)).norm(), 1e-10 * of_some.norm());
    DualGaussian half(mean);
    half.factor(gram, y, 0.02);
    half.adjoint(false);
    EXPECT_EQ(Matrix(half.gram_bar().triangularView<Eigen::Lower>()),
              Matrix(gaussian.gram_bar().triangularView<Eigen::Lower>()));
  }
}

}  // namespace
}  // namespace alacarte
