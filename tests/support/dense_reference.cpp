#include "support/dense_reference.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

namespace alacarte {

DenseReference::DenseReference(ConstMat covariance, ConstVec y, double noise_variance, MeanKind kind)
    : constant(kind == MeanKind::constant) {
  const Index n = y.size();
  const Matrix k = covariance + noise_variance * Matrix::Identity(n, n);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(k);
  inverse = eigen.eigenvectors() * eigen.eigenvalues().cwiseInverse().asDiagonal() * eigen.eigenvectors().transpose();
  const double log_det = eigen.eigenvalues().array().log().sum();
  projected = inverse;
  double constant_term = 0, degrees = static_cast<double>(n);
  if (constant) {
    const Vector h = inverse * Vector::Ones(n);
    const double kappa = h.sum();
    projected -= h * h.transpose() / kappa;
    mean = h.dot(y) / kappa;
    constant_term = std::log(kappa);
    degrees -= 1;
  }
  alpha = projected * y;
  value = 0.5 * (degrees * std::log(2 * std::numbers::pi) + log_det + constant_term + y.dot(alpha));
}

Vector DenseReference::predict_mean(ConstMat cross) const { return (cross * alpha).array() + mean; }

Matrix DenseReference::predict_covariance(ConstMat cross, ConstMat prior) const {
  Matrix result = prior - cross * inverse * cross.transpose();
  if (!constant) return result;
  const Vector h = inverse.rowwise().sum();
  const Vector left = Vector::Ones(cross.rows()) - cross * h;
  return result + left * left.transpose() / h.sum();
}

}  // namespace alacarte
