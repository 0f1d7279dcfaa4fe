#pragma once
// Gaussian-process regression on the n x n covariance with Eigen's factorisations: the independent reference for
// objectives and posteriors. It shares no code with the library.
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>

namespace alacarte {

struct DenseReference {
  /// covariance (n, n) of f at the training rows; y (n).
  DenseReference(ConstMat covariance, ConstVec y, double noise_variance, MeanKind mean);

  double value = 0;  ///< negative log evidence
  Matrix projected;  ///< (n, n) P of math.md section 1
  Vector alpha;      ///< P y
  double mean = 0;   ///< generalised-least-squares mean (0 without one)
  Matrix inverse;    ///< K^-1
  bool constant = false;

  /// Return latent moments. cross (r, n): covariance of test and training rows; prior (r, r).
  Vector predict_mean(ConstMat cross) const;
  Matrix predict_covariance(ConstMat cross, ConstMat prior) const;
};

}  // namespace alacarte
