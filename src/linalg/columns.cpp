#include "columns.hpp"

#include "alacarte/core/error.hpp"
#include "linalg/multiversion.hpp"

namespace alacarte {
namespace {

// Takes four columns for one load of y, with eight independent sums. The instruction set decides into how many partial
// sums the compiler splits each: paths differ in rounding.
template <bool>
ALACARTE_INLINE void column_sums_body(const double* a, Index stride, Index rows, Index cols, const double* y,
                                      double* sums, double* products) {
  Index c = 0;
  for (; c + 4 <= cols; c += 4) {
    const double *p0 = a + c * stride, *p1 = p0 + stride, *p2 = p1 + stride, *p3 = p2 + stride;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, t0, t1, t2, t3)
    for (Index i = 0; i < rows; ++i) {
      s0 += p0[i];
      s1 += p1[i];
      s2 += p2[i];
      s3 += p3[i];
      t0 += p0[i] * y[i];
      t1 += p1[i] * y[i];
      t2 += p2[i] * y[i];
      t3 += p3[i] * y[i];
    }
    sums[c] += s0;
    sums[c + 1] += s1;
    sums[c + 2] += s2;
    sums[c + 3] += s3;
    products[c] += t0;
    products[c + 1] += t1;
    products[c + 2] += t2;
    products[c + 3] += t3;
  }
  for (; c < cols; ++c) {
    const double* p = a + c * stride;
    double sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
    for (Index i = 0; i < rows; ++i) {
      sum += p[i];
      product += p[i] * y[i];
    }
    sums[c] += sum;
    products[c] += product;
  }
}

// Takes eight columns for one load and store of y.
template <bool>
ALACARTE_INLINE void product_body(const double* a, Index stride, Index rows, Index cols, const double* x,
                                  double* __restrict y) {
  Index c = 0;
  for (; c + 8 <= cols; c += 8) {
    const double* p = a + c * stride;
    const double x0 = x[c], x1 = x[c + 1], x2 = x[c + 2], x3 = x[c + 3];
    const double x4 = x[c + 4], x5 = x[c + 5], x6 = x[c + 6], x7 = x[c + 7];
    ALACARTE_INDEPENDENT
    for (Index i = 0; i < rows; ++i) {
      const double low = p[i] * x0 + p[i + stride] * x1 + p[i + 2 * stride] * x2 + p[i + 3 * stride] * x3;
      const double high =
          p[i + 4 * stride] * x4 + p[i + 5 * stride] * x5 + p[i + 6 * stride] * x6 + p[i + 7 * stride] * x7;
      y[i] -= low + high;
    }
  }
  for (; c < cols; ++c) {
    const double* p = a + c * stride;
    const double slope = x[c];
    ALACARTE_INDEPENDENT
    for (Index i = 0; i < rows; ++i) y[i] -= p[i] * slope;
  }
}

template <bool>
ALACARTE_INLINE void lines_body(const double* level, const double* slope, const double* y, Index rows, Index cols,
                                double* __restrict a, Index stride) {
  for (Index c = 0; c < cols; ++c) {
    double* column = a + c * stride;
    const double at = level[c], by = slope[c];
    ALACARTE_INDEPENDENT
    for (Index i = 0; i < rows; ++i) column[i] -= at + by * y[i];
  }
}

}  // namespace

namespace kernels {
ALACARTE_MULTIVERSION(column_sums,
                      (const double* a, Index stride, Index rows, Index cols, const double* y, double* sums,
                       double* products),
                      (a, stride, rows, cols, y, sums, products))
ALACARTE_MULTIVERSION(product, (const double* a, Index stride, Index rows, Index cols, const double* x, double* y),
                      (a, stride, rows, cols, x, y))
ALACARTE_MULTIVERSION(lines,
                      (const double* level, const double* slope, const double* y, Index rows, Index cols, double* a,
                       Index stride),
                      (level, slope, y, rows, cols, a, stride))
}  // namespace kernels

void add_column_sums(ConstMat a, ConstVec y, VecRef sums, VecRef products) {
  require(y.size() == a.rows() && sums.size() == a.cols() && products.size() == a.cols(), "column sums: shapes");
  kernels::column_sums(a.data(), a.outerStride(), a.rows(), a.cols(), y.data(), sums.data(), products.data());
}

void subtract_product(ConstMat a, ConstVec x, VecRef y) {
  require(x.size() == a.cols() && y.size() == a.rows(), "subtract_product: shapes");
  kernels::product(a.data(), a.outerStride(), a.rows(), a.cols(), x.data(), y.data());
}

void subtract_lines(ConstVec level, ConstVec slope, ConstVec y, MatRef a) {
  require(level.size() == a.cols() && slope.size() == a.cols() && y.size() == a.rows(), "subtract_lines: shapes");
  kernels::lines(level.data(), slope.data(), y.data(), a.rows(), a.cols(), a.data(), a.outerStride());
}

}  // namespace alacarte
