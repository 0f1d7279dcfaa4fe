#pragma once
// The dense algebra that features and evaluations are measured against, at the speed of the BLAS.
#include <alacarte/core/types.hpp>
#include <functional>

namespace alacarte::bench {

/// The opponent of the feature maps: random Fourier features whose frequencies are one dense matrix, with the library's
/// own sine and cosine.
template <class Scalar>
class DenseFeatures {
 public:
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  /// Frequencies are made up: their values do not change the time. Memory: inputs frequencies numbers.
  DenseFeatures(Index inputs, Index frequencies);

  /// psi (n, 2 frequencies) = [cos, sin] of x (n, inputs); no amplitude, which only makes it faster. Cost 2 n d m
  /// flops.
  void forward(const Matrix& x, Matrix& psi) const;
  /// weights (2 frequencies) times the features of one point x (1, inputs): a matrix-vector product and m pairs.
  Scalar predict(const Matrix& x, const Vector& weights);

 private:
  Matrix turns_;  // (frequencies, inputs)
  Vector cosine_, sine_;
};

extern template class DenseFeatures<double>;
extern template class DenseFeatures<float>;

/// The dense algebra that one primal value and gradient cannot do without, and nothing else: n D^2 (syrk in chunks) +
/// D^3 (potrf, potri) + 2 n D^2 (gemm in chunks) flops a call; chunks as large as an evaluation's, always the same
/// memory, so it comes from the cache.
std::function<void()> blas_floor(Index rows, Index features, int threads);

}  // namespace alacarte::bench
