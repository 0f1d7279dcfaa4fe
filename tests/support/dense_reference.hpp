#pragma once
// Gaussian-process regression written out on the n x n covariance, by Eigen's own factorisations: the independent
// method that the objectives and posteriors are held against. Nothing here is shared with the library.
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

  /// cross (r, n) covariance of test and training rows, prior (r, r): latent moments.
  Vector predict_mean(ConstMat cross) const;
  Matrix predict_covariance(ConstMat cross, ConstMat prior) const;
};

}  // namespace alacarte
