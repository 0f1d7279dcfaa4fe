#include "bench/dense_features.hpp"

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/sincos.hpp"
#ifdef ALACARTE_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace alacarte::bench {
namespace {

#ifdef ALACARTE_HAVE_OPENBLAS
// c (n, m) = a (n, k) b (m, k)^T, the leading columns of a wider matrix of n rows.
void product(int n, int m, int k, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, m, k, 1, a, n, b, m, 0, c, n);
}
void product(int n, int m, int k, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, m, k, 1, a, n, b, m, 0, c, n);
}
void product(int m, int k, const double* a, const double* x, double* y) {
  cblas_dgemv(CblasColMajor, CblasNoTrans, m, k, 1, a, m, x, 1, 0, y, 1);
}
void product(int m, int k, const float* a, const float* x, float* y) {
  cblas_sgemv(CblasColMajor, CblasNoTrans, m, k, 1, a, m, x, 1, 0, y, 1);
}
#endif

}  // namespace

template <class Scalar>
DenseFeatures<Scalar>::DenseFeatures(Index inputs, Index frequencies)
    : turns_(frequencies, inputs), cosine_(frequencies), sine_(frequencies) {
  for (Index j = 0; j < inputs; ++j)
    for (Index i = 0; i < frequencies; ++i)
      turns_(i, j) = static_cast<Scalar>((7919 * i + 104729 * j) % 1021) / Scalar(510) - Scalar(1);
}

template <class Scalar>
void DenseFeatures<Scalar>::forward(const Matrix& x, Matrix& psi) const {
  const Index m = turns_.rows();
  require(x.cols() == turns_.cols() && psi.rows() == x.rows() && psi.cols() == 2 * m, "dense features: shapes");
#ifdef ALACARTE_HAVE_OPENBLAS
  product(static_cast<int>(x.rows()), static_cast<int>(m), static_cast<int>(x.cols()), x.data(), turns_.data(),
          psi.data());
#else
  psi.leftCols(m).noalias() = x * turns_.transpose();
#endif
  for (Index j = 0; j < m; ++j) sincos_turns(psi.col(j).data(), psi.rows(), psi.col(m + j).data(), psi.col(j).data());
}

template <class Scalar>
Scalar DenseFeatures<Scalar>::predict(const Matrix& x, const Vector& weights) {
  const Index m = turns_.rows();
  require(x.rows() == 1 && x.cols() == turns_.cols() && weights.size() == 2 * m, "dense features: shapes");
#ifdef ALACARTE_HAVE_OPENBLAS
  product(static_cast<int>(m), static_cast<int>(x.size()), turns_.data(), x.data(), cosine_.data());
#else
  cosine_.noalias() = turns_ * x.transpose();
#endif
  sincos_turns(cosine_.data(), m, sine_.data(), cosine_.data());
  return weights.head(m).dot(cosine_) + weights.tail(m).dot(sine_);
}

template class DenseFeatures<double>;
template class DenseFeatures<float>;

}  // namespace alacarte::bench
