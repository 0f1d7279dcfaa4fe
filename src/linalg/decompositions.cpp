#include "linalg/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace alacarte {

SymmetricEigen symmetric_eigen(const Matrix& matrix) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Matrix orthogonal_factor(const Matrix& matrix) {
  const Eigen::HouseholderQR<Matrix> qr(matrix);
  Matrix q = qr.householderQ();
  for (Index j = 0; j < q.cols(); ++j)
    if (qr.matrixQR()(j, j) < 0) q.col(j) *= -1;
  return q;
}

Matrix square_root_factor(const Matrix& matrix) {
  const Eigen::LDLT<Matrix> factor(matrix);
  Matrix lower = factor.matrixL();
  lower = lower * factor.vectorD().cwiseMax(0).cwiseSqrt().asDiagonal();
  return factor.transpositionsP().transpose() * lower;
}

}  // namespace alacarte
