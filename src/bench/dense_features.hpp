#pragma once
// The opponent of the feature maps: random Fourier features whose frequencies are one dense matrix, at the speed of the
// BLAS, with the library's own sine and cosine.
#include <alacarte/core/types.hpp>

namespace alacarte::bench {

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

}  // namespace alacarte::bench
