#include "linalg/softmax.hpp"

#include "alacarte/core/error.hpp"
#include "linalg/exponential.hpp"
#include "linalg/multiversion.hpp"

namespace alacarte {
namespace {

struct SoftmaxRows {
  const double* f;
  double* p;
  Index f_stride, p_stride, rows, outputs;
};

template <bool>
ALACARTE_INLINE void softmax_loop_body(const SoftmaxRows& all, double* __restrict maxima, double* __restrict sums) {
  const Index rows = all.rows;
  for (Index i = 0; i < rows; ++i) {
    maxima[i] = all.f[i];
    sums[i] = 0;
  }
  for (Index k = 1; k < all.outputs; ++k) {
    const double* f = all.f + k * all.f_stride;
    ALACARTE_INDEPENDENT
    for (Index i = 0; i < rows; ++i) maxima[i] = f[i] > maxima[i] ? f[i] : maxima[i];
  }
  for (Index k = 0; k < all.outputs; ++k) {
    const double* f = all.f + k * all.f_stride;
    double* p = all.p + k * all.p_stride;
    ALACARTE_INDEPENDENT
    for (Index i = 0; i < rows; ++i) {
      p[i] = exp_of(f[i] - maxima[i]);
      sums[i] += p[i];
    }
  }
  for (Index k = 0; k < all.outputs; ++k) {
    double* p = all.p + k * all.p_stride;
    ALACARTE_INDEPENDENT
    for (Index i = 0; i < rows; ++i) p[i] /= sums[i];
  }
}

}  // namespace

namespace kernels {
ALACARTE_MULTIVERSION(softmax_loop, (const SoftmaxRows& all, double* maxima, double* sums), (all, maxima, sums))
}  // namespace kernels

void softmax_rows(ConstMat f, MatRef p, VecRef log_sums) {
  require(f.cols() > 0 && p.rows() == f.rows() && p.cols() == f.cols() && log_sums.size() == f.rows(),
          "softmax: one row of p for each of f");
  Vector sums(f.rows());
  kernels::softmax_loop({f.data(), p.data(), f.outerStride(), p.outerStride(), f.rows(), f.cols()}, log_sums.data(),
                        sums.data());
  log_sums += sums.array().log().matrix();
}

}  // namespace alacarte
