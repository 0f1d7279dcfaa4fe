#pragma once
// Dense algebra at BLAS speed, as the reference for features and evaluations.
#include <alacarte/core/types.hpp>
#include <functional>

namespace alacarte::bench {

/// Reference for the feature maps: random Fourier features whose frequencies are one dense matrix, with the library's
/// own sine and cosine.
template <class Scalar>
class DenseFeatures {
 public:
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  /// Makes up frequencies, whose values do not affect the time. Memory: inputs x frequencies numbers.
  DenseFeatures(Index inputs, Index frequencies);

  /// Computes psi (n, 2 frequencies) = [cos, sin] of x (n, inputs), without amplitude (faster). Cost 2 n d m flops.
  void forward(const Matrix& x, Matrix& psi) const;
  /// Returns weights (2 frequencies) times the features of a point x (1, inputs): a matrix-vector product and m pairs.
  Scalar predict(const Matrix& x, const Vector& weights);

 private:
  Matrix turns_;  // (frequencies, inputs)
  Vector cosine_, sine_;
};

extern template class DenseFeatures<double>;
extern template class DenseFeatures<float>;

/// Returns the dense algebra that one primal value and gradient requires, and nothing else: n D^2 (syrk in chunks) +
/// D^3 (potrf, potri) + 2 n D^2 (gemm in chunks) flops per call; chunks as large as an evaluation's, always in the same
/// memory, so they come from the cache.
std::function<void()> blas_floor(Index rows, Index features, int threads);

}  // namespace alacarte::bench
