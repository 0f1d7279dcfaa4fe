#include "dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"

#ifdef ALACARTE_HAVE_OPENBLAS
#include <cblas.h>
#include <lapacke.h>
#else
#include <Eigen/Cholesky>
#endif

namespace alacarte {
namespace {

constexpr Index kMirrorBlock = 64;
constexpr double kFirstJitter = 1e-12, kLastJitter = 1e-4;  // shares of the mean of the diagonal

#ifdef ALACARTE_HAVE_OPENBLAS
int blas_int(Index value) {
  require(value <= std::numeric_limits<int>::max(), "matrix too large for the BLAS");
  return static_cast<int>(value);
}
template <class Dense>
int stride(const Dense& matrix) {
  return blas_int(std::max<Index>(1, matrix.outerStride()));
}
CBLAS_TRANSPOSE blas_op(Op op) { return op == Op::none ? CblasNoTrans : CblasTrans; }
#else
template <class Scalar, class Left, class Right, class Product>
void eigen_product(Scalar alpha, const Left& a, Op op_a, const Right& b, Op op_b, Scalar beta, Product& c) {
  if (beta == 0) {
    c.setZero();
  } else {
    c *= beta;
  }
  if (op_a == Op::none && op_b == Op::none) c.noalias() += alpha * a * b;
  if (op_a == Op::transpose && op_b == Op::none) c.noalias() += alpha * a.transpose() * b;
  if (op_a == Op::none && op_b == Op::transpose) c.noalias() += alpha * a * b.transpose();
  if (op_a == Op::transpose && op_b == Op::transpose) c.noalias() += alpha * a.transpose() * b.transpose();
}

template <class Right>
void eigen_solve_lower(ConstMat l, Op op, Right& x) {
  if (op == Op::none) {
    l.triangularView<Eigen::Lower>().solveInPlace(x);
  } else {
    l.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
  }
}
#endif

template <class Left, class Right, class Product>
void check_product(const Left& a, Op op_a, const Right& b, Op op_b, const Product& c) {
  const Index inner = op_a == Op::none ? a.cols() : a.rows();
  require((op_a == Op::none ? a.rows() : a.cols()) == c.rows() &&
              (op_b == Op::none ? b.cols() : b.rows()) == c.cols() && (op_b == Op::none ? b.rows() : b.cols()) == inner,
          "gemm: shapes do not fit");
}

void restore_from_upper(MatRef a) {
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = j + 1; i < a.rows(); ++i) a(i, j) = a(j, i);
}

#ifdef ALACARTE_HAVE_OPENBLAS
// Largest factor inverted by halves. OpenBLAS handles blocks of 64 columns by matrix-vector products: on one thread
// halving takes three fifths of its time at n = 200, seven tenths at 400, six sevenths at 700, as long from 1000 on.
constexpr Index kSmallBlock = 16, kMaxHalvedSize = 1000;

Index first_half(Index n) { return std::max(kSmallBlock, n / 2 / kSmallBlock * kSmallBlock); }

/// Computes x := factor op(l) x.
void multiply_lower_left(Op op, double factor, ConstMat l, MatRef x) {
  cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, blas_op(op), CblasNonUnit, blas_int(x.rows()), blas_int(x.cols()),
              factor, l.data(), stride(l), x.data(), stride(x));
}

/// Inverts l in place, from the last column to the first.
void invert_by_halves(MatRef l) {
  const Index n = l.rows();
  if (n > kSmallBlock) {
    const Index h = first_half(n), rest = n - h;
    // The solution comes last, as in LAPACK: l^-1 l is then 1 to rounding, however ill-conditioned l is. Products with
    // two inverses, or the solution first, lost this.
    invert_by_halves(l.bottomRightCorner(rest, rest));
    multiply_lower_left(Op::none, -1, l.bottomRightCorner(rest, rest), l.bottomLeftCorner(rest, h));
    solve_lower_right(l.topLeftCorner(h, h), Op::none, l.bottomLeftCorner(rest, h));
    invert_by_halves(l.topLeftCorner(h, h));
    return;
  }
  for (Index j = n - 1; j >= 0; --j) {
    double* column = &l(0, j);
    column[j] = 1 / column[j];
    for (Index k = n - 1; k > j; --k) {
      const double factor = column[k], *inverse = &l(0, k);
      column[k] = factor * inverse[k];
      for (Index i = k + 1; i < n; ++i) column[i] += factor * inverse[i];
    }
    for (Index i = j + 1; i < n; ++i) column[i] *= -column[j];
  }
}

/// Computes the lower triangle of l^T l, in place.
void square_by_halves(MatRef l) {
  const Index n = l.rows();
  if (n > kSmallBlock) {
    const Index h = first_half(n), rest = n - h;
    square_by_halves(l.topLeftCorner(h, h));
    syrk_lower(1.0, l.bottomLeftCorner(rest, h), Op::transpose, 1.0, l.topLeftCorner(h, h));
    multiply_lower_left(Op::transpose, 1, l.bottomRightCorner(rest, rest), l.bottomLeftCorner(rest, h));
    square_by_halves(l.bottomRightCorner(rest, rest));
    return;
  }
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) l(i, j) = l.col(i).tail(n - i).dot(l.col(j).tail(n - i));
}
#endif

// Factors a. Checks for NaN pivots, which pass the test of the BLAS for positive pivots.
bool factor_lower(MatRef a) {
#ifdef ALACARTE_HAVE_OPENBLAS
  const bool done = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', blas_int(a.rows()), a.data(), stride(a)) == 0;
#else
  const Eigen::LLT<Eigen::Ref<Matrix> > factor(a);
  const bool done = factor.info() == Eigen::Success;
#endif
  return done && a.diagonal().allFinite();
}

}  // namespace

void gemm(double alpha, ConstMat a, Op op_a, ConstMat b, Op op_b, double beta, MatRef c) {
  check_product(a, op_a, b, op_b, c);
  if (c.size() == 0) return;
#ifdef ALACARTE_HAVE_OPENBLAS
  cblas_dgemm(CblasColMajor, blas_op(op_a), blas_op(op_b), blas_int(c.rows()), blas_int(c.cols()),
              blas_int(op_a == Op::none ? a.cols() : a.rows()), alpha, a.data(), stride(a), b.data(), stride(b), beta,
              c.data(), stride(c));
#else
  eigen_product(alpha, a, op_a, b, op_b, beta, c);
#endif
}

void gemm(float alpha, const Eigen::Ref<const Eigen::MatrixXf>& a, Op op_a, const Eigen::Ref<const Eigen::MatrixXf>& b,
          Op op_b, float beta, Eigen::Ref<Eigen::MatrixXf> c) {
  check_product(a, op_a, b, op_b, c);
  if (c.size() == 0) return;
#ifdef ALACARTE_HAVE_OPENBLAS
  cblas_sgemm(CblasColMajor, blas_op(op_a), blas_op(op_b), blas_int(c.rows()), blas_int(c.cols()),
              blas_int(op_a == Op::none ? a.cols() : a.rows()), alpha, a.data(), stride(a), b.data(), stride(b), beta,
              c.data(), stride(c));
#else
  eigen_product(alpha, a, op_a, b, op_b, beta, c);
#endif
}

void gemm(const Eigen::Ref<const Eigen::MatrixXf>& a, const Eigen::Ref<const Eigen::MatrixXf>& b,
          Eigen::Ref<Eigen::MatrixXf> c) {
  gemm(1.0F, a, Op::none, b, Op::none, 0.0F, c);
}

void gemv(double alpha, ConstMat a, Op op, ConstVec x, double beta, VecRef y) {
  require((op == Op::none ? a.cols() : a.rows()) == x.size() && (op == Op::none ? a.rows() : a.cols()) == y.size(),
          "gemv: shapes do not fit");
  if (y.size() == 0) return;
#ifdef ALACARTE_HAVE_OPENBLAS
  cblas_dgemv(CblasColMajor, blas_op(op), blas_int(a.rows()), blas_int(a.cols()), alpha, a.data(), stride(a), x.data(),
              1, beta, y.data(), 1);
#else
  if (beta == 0) {
    y.setZero();
  } else {
    y *= beta;
  }
  if (op == Op::none) {
    y.noalias() += alpha * a * x;
  } else {
    y.noalias() += alpha * a.transpose() * x;
  }
#endif
}

void syrk_lower(double alpha, ConstMat a, Op op_a, double beta, MatRef c) {
  const Index inner = op_a == Op::none ? a.cols() : a.rows();
  require(c.rows() == c.cols() && c.rows() == (op_a == Op::none ? a.rows() : a.cols()), "syrk: shapes do not fit");
  if (c.size() == 0) return;
#ifdef ALACARTE_HAVE_OPENBLAS
  cblas_dsyrk(CblasColMajor, CblasLower, blas_op(op_a), blas_int(c.rows()), blas_int(inner), alpha, a.data(), stride(a),
              beta, c.data(), stride(c));
#else
  if (beta == 0) {
    c.triangularView<Eigen::Lower>().setZero();
  } else if (beta != 1) {
    c.triangularView<Eigen::Lower>() *= beta;
  }
  if (inner == 0) return;
  if (op_a == Op::none) {
    c.selfadjointView<Eigen::Lower>().rankUpdate(a, alpha);
  } else {
    c.selfadjointView<Eigen::Lower>().rankUpdate(a.transpose(), alpha);
  }
#endif
}

void solve_lower(ConstMat l, Op op, MatRef x) {
  require(l.rows() == l.cols() && l.cols() == x.rows(), "triangular solve: shapes do not fit");
  if (x.size() == 0) return;
#ifdef ALACARTE_HAVE_OPENBLAS
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, blas_op(op), CblasNonUnit, blas_int(x.rows()), blas_int(x.cols()),
              1.0, l.data(), stride(l), x.data(), stride(x));
#else
  eigen_solve_lower(l, op, x);
#endif
}

void solve_lower_vector(ConstMat l, Op op, VecRef x) {
  require(l.rows() == l.cols() && l.cols() == x.size(), "triangular solve: shapes do not fit");
  if (x.size() == 0) return;
#ifdef ALACARTE_HAVE_OPENBLAS
  cblas_dtrsv(CblasColMajor, CblasLower, blas_op(op), CblasNonUnit, blas_int(x.size()), l.data(), stride(l), x.data(),
              1);
#else
  eigen_solve_lower(l, op, x);
#endif
}

void solve_lower_right(ConstMat l, Op op, MatRef x) {
  require(l.rows() == l.cols() && l.cols() == x.cols(), "triangular solve: shapes do not fit");
  if (x.size() == 0) return;
#ifdef ALACARTE_HAVE_OPENBLAS
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, blas_op(op), CblasNonUnit, blas_int(x.rows()), blas_int(x.cols()),
              1.0, l.data(), stride(l), x.data(), stride(x));
#else
  if (op == Op::none) {
    l.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(x);
  } else {
    l.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(x);
  }
#endif
}

void multiply_unit_upper_right(ConstMat u, MatRef x) {
  require(u.rows() == u.cols() && u.cols() == x.cols(), "triangular product: shapes do not fit");
  if (x.size() == 0) return;
#ifdef ALACARTE_HAVE_OPENBLAS
  cblas_dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasUnit, blas_int(x.rows()), blas_int(x.cols()),
              1.0, u.data(), stride(u), x.data(), stride(x));
#else
  const Matrix product = x * u.triangularView<Eigen::UnitUpper>();
  x = product;
#endif
}

void invert_lower(MatRef l) {
  require(l.rows() == l.cols(), "inverse: the factor is not square");
  if (l.rows() == 0) return;
  if ((l.diagonal().array() == 0).any()) throw NumericalError("inverse", "the triangular factor is singular");
#ifdef ALACARTE_HAVE_OPENBLAS
  LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', blas_int(l.rows()), l.data(), stride(l));
#else
  Matrix inverse = Matrix::Identity(l.rows(), l.cols());
  l.triangularView<Eigen::Lower>().solveInPlace(inverse);
  l.triangularView<Eigen::Lower>() = inverse;
#endif
}

void mirror_lower(MatRef matrix) {
  require(matrix.rows() == matrix.cols(), "mirror: the matrix is not square");
  const Index n = matrix.rows();
  for (Index j0 = 0; j0 < n; j0 += kMirrorBlock)
    for (Index i0 = j0; i0 < n; i0 += kMirrorBlock)
      for (Index j = j0; j < std::min(n, j0 + kMirrorBlock); ++j)
        for (Index i = std::max(i0, j + 1); i < std::min(n, i0 + kMirrorBlock); ++i) matrix(j, i) = matrix(i, j);
}

double safe_cholesky(MatRef a, const char* stage) {
  require(a.rows() == a.cols(), "Cholesky: the matrix is not square");
  // The upper triangle holds the original while the lower one is factored.
  mirror_lower(a);
  return safe_cholesky(a, stage, [&] { restore_from_upper(a); });
}

double safe_cholesky(MatRef a, const char* stage, const std::function<void()>& restore) {
  require(a.rows() == a.cols(), "Cholesky: the matrix is not square");
  if (a.rows() == 0) return 0;
  const Vector diagonal = a.diagonal();
  const double level = diagonal.mean();
  if (!std::isfinite(level)) throw NumericalError(stage, "the matrix to factor is not finite", level);
  if (factor_lower(a)) return 0;
  for (double share = kFirstJitter; share <= 1.5 * kLastJitter; share *= 10) {
    const double jitter = share * std::abs(level);
    restore();
    a.diagonal() = diagonal.array() + jitter;
    if (factor_lower(a)) return jitter;
  }
  throw NumericalError(stage, "the matrix is not positive definite, whatever jitter is added", level);
}

void invert_lower_from_cholesky(MatRef l) {
  require(l.rows() == l.cols(), "inverse: the factor is not square");
  if (l.rows() == 0) return;
#ifdef ALACARTE_HAVE_OPENBLAS
  if ((l.diagonal().array() == 0).any()) throw NumericalError("inverse", "the Cholesky factor is singular");
  if (l.rows() <= kMaxHalvedSize) {
    invert_by_halves(l);
    square_by_halves(l);
  } else {
    LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', blas_int(l.rows()), l.data(), stride(l));
  }
#else
  Matrix inverse = Matrix::Identity(l.rows(), l.cols());
  l.triangularView<Eigen::Lower>().solveInPlace(inverse);
  l.triangularView<Eigen::Lower>() = inverse.transpose() * inverse;
#endif
}

void invert_from_cholesky(MatRef l) {
  invert_lower_from_cholesky(l);
  mirror_lower(l);
}

double log_determinant(ConstMat l) { return 2.0 * l.diagonal().array().log().sum(); }

Vector symmetric_product(ConstMat matrix, const Vector& right) {
  const Index n = matrix.rows();
  Vector product = Vector::Zero(n);
  for (Index j = 0; j < n; ++j) {
    const auto below = matrix.col(j).tail(n - j - 1);
    product[j] += matrix(j, j) * right[j] + below.dot(right.tail(n - j - 1));
    product.tail(n - j - 1) += below * right[j];
  }
  return product;
}

Vector symmetric_row_sums(ConstMat matrix) {
  const Index n = matrix.rows();
  Vector sums = Vector::Zero(n);
  for (Index j = 0; j < n; ++j) {
    const auto below = matrix.col(j).tail(n - j - 1);
    sums[j] += matrix(j, j) + below.sum();
    sums.tail(n - j - 1) += below;
  }
  return sums;
}

}  // namespace alacarte
