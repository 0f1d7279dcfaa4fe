#include "linalg/decompositions.hpp"

#include <gtest/gtest.h>

#include "alacarte/core/random.hpp"

namespace alacarte {
namespace {

Matrix random_square(Index n) {
  RandomStream stream(3);
  Matrix matrix(n, n);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = stream.normal();
  return matrix;
}

TEST(Decompositions, EigenvaluesRebuildTheMatrix) {
  const Matrix a = random_square(6), symmetric = a + a.transpose();
  const SymmetricEigen parts = symmetric_eigen(symmetric);
  EXPECT_LT((parts.vectors * parts.values.asDiagonal() * parts.vectors.transpose() - symmetric).norm(), 1e-13);
  EXPECT_LT((parts.vectors.transpose() * parts.vectors - Matrix::Identity(6, 6)).norm(), 1e-13);
  for (Index i = 1; i < 6; ++i) EXPECT_LE(parts.values[i - 1], parts.values[i]);
}

TEST(Decompositions, OrthogonalFactorHasAPositiveTriangle) {
  const Matrix a = random_square(7), q = orthogonal_factor(a), r = q.transpose() * a;
  EXPECT_LT((q.transpose() * q - Matrix::Identity(7, 7)).norm(), 1e-13);
  EXPECT_TRUE((r.diagonal().array() > 0).all());
  EXPECT_LT(Matrix(r.triangularView<Eigen::StrictlyLower>()).norm(), 1e-13);
}

TEST(Decompositions, SquareRootsOfSingularMatricesToo) {
  const Matrix half = random_square(5).leftCols(3), low_rank = half * half.transpose();
  const Matrix root = square_root_factor(low_rank);
  EXPECT_LT((root * root.transpose() - low_rank).norm(), 1e-12);
  EXPECT_EQ(square_root_factor(Matrix::Zero(4, 4)), Matrix::Zero(4, 4));
}

}  // namespace
}  // namespace alacarte
