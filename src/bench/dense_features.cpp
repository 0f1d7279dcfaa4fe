#include "bench/dense_features.hpp"

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/sincos.hpp"
#ifdef ALACARTE_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace alacarte::bench {
namespace {

template <class Scalar, class Double, class Float>
constexpr auto of_type(Double for_double, Float for_float) {
  if constexpr (sizeof(Scalar) == 8)
    return for_double;
  else
    return for_float;
}

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
  const auto rows = static_cast<int>(x.rows()), columns = static_cast<int>(m), inner = static_cast<int>(x.cols());
  of_type<Scalar>(cblas_dgemm, cblas_sgemm)(CblasColMajor, CblasNoTrans, CblasTrans, rows, columns, inner, 1, x.data(),
                                            rows, turns_.data(), columns, 0, psi.data(), rows);
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
  const auto rows = static_cast<int>(m), columns = static_cast<int>(x.size());
  of_type<Scalar>(cblas_dgemv, cblas_sgemv)(CblasColMajor, CblasNoTrans, rows, columns, 1, turns_.data(), rows,
                                            x.data(), 1, 0, cosine_.data(), 1);
#else
  cosine_.noalias() = turns_ * x.transpose();
#endif
  sincos_turns(cosine_.data(), m, sine_.data(), cosine_.data());
  return weights.head(m).dot(cosine_) + weights.tail(m).dot(sine_);
}

template class DenseFeatures<double>;
template class DenseFeatures<float>;

}  // namespace alacarte::bench
