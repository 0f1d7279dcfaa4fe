#include "bench/dense_opponents.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "core/large_matrix.hpp"
#include "core/workers.hpp"
#include "linalg/dense.hpp"
#include "linalg/sincos.hpp"
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

std::function<void()> blas_floor(Index rows, Index features, int threads) {
  struct Worker {
    AlignedMatrix psi, psi_bar;
    Matrix gram;
  };
  // Tile count as the objective chooses it: whole tiles, an odd number.
  constexpr Index kCacheTiles = 24576 / 16;
  const Index chunk = std::clamp<Index>((rows + threads - 1) / threads, 1,
                                        (2 * std::clamp<Index>(kCacheTiles / features / 2, 8, 63) + 1) * 16);
  const auto workers = std::make_shared<std::vector<Worker>>(static_cast<std::size_t>(threads));
  for (Worker& worker : *workers) {
    worker.psi.resize(chunk, features);
    worker.psi.topRows(chunk).setRandom();
    worker.psi_bar.resize(chunk, features);
    worker.gram.resize(features, features);
  }
  const auto for_chunks = [=](const auto& body) {
    const BlasThreads single(1);
    run_workers(threads, [&](int w) {
      for (Index first = w * chunk; first < rows; first += threads * chunk)
        body((*workers)[static_cast<std::size_t>(w)], std::min(chunk, rows - first));
    });
  };
  return [=] {
    for (Worker& worker : *workers) worker.gram.setZero();
    for_chunks([](Worker& w, Index count) { syrk_lower(1.0, w.psi.topRows(count), Op::transpose, 1.0, w.gram); });
    Matrix& gram = workers->front().gram;
    for (std::size_t w = 1; w < workers->size(); ++w) gram += (*workers)[w].gram;
    const BlasThreads many(threads);
    // A repeated row block has low rank; the identity in B = I + Psi^T Psi / s2 makes it definite.
    gram.diagonal().array() += 1.0;
    safe_cholesky(gram, "BLAS floor");
    invert_from_cholesky(gram);
    for_chunks([&](Worker& w, Index count) {
      gemm(1.0, w.psi.topRows(count), Op::none, gram, Op::none, 0.0, w.psi_bar.topRows(count));
    });
  };
}

}  // namespace alacarte::bench
