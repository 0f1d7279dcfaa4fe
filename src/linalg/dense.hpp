#pragma once
// Dense algebra: the one place that calls BLAS and LAPACK (OpenBLAS when built with it, Eigen's own kernels otherwise).
// Threads: whatever the BLAS is set to (core/threads.hpp). Matrices are column-major; blocks with an outer stride are
// fine. Outputs must not overlap inputs. Shapes that do not fit throw std::invalid_argument.
#include <alacarte/core/types.hpp>
#include <functional>

namespace alacarte {

/// What a product takes: the matrix itself, or its transpose.
enum class Op { none, transpose };

/// c = alpha op(a) op(b) + beta c; with beta = 0 the old c is never read. Cost 2 m n k flops.
void gemm(double alpha, ConstMat a, Op op_a, ConstMat b, Op op_b, double beta, MatRef c);

/// c = a b in floats; a (m, k), b (k, n), c (m, n) overwritten. Twice the speed of doubles.
void gemm(const Eigen::Ref<const Eigen::MatrixXf>& a, const Eigen::Ref<const Eigen::MatrixXf>& b,
          Eigen::Ref<Eigen::MatrixXf> c);

/// c = alpha op(a) op(b) + beta c in floats, as the same in doubles.
void gemm(float alpha, const Eigen::Ref<const Eigen::MatrixXf>& a, Op op_a, const Eigen::Ref<const Eigen::MatrixXf>& b,
          Op op_b, float beta, Eigen::Ref<Eigen::MatrixXf> c);

/// y = alpha op(a) x + beta y; with beta = 0 the old y is never read. Allocates nothing. Cost 2 m n.
void gemv(double alpha, ConstMat a, Op op, ConstVec x, double beta, VecRef y);

/// Lower triangle of c = alpha op(a) op(a)^T + beta c: `none` gives a a^T, `transpose` a^T a. The strict upper triangle
/// is left alone. Cost n^2 k flops.
void syrk_lower(double alpha, ConstMat a, Op op_a, double beta, MatRef c);

/// a b of a symmetric a (n, n), of which the lower triangle is read, and b (n). Cost 2 n^2.
Vector symmetric_product(ConstMat a, const Vector& b);

/// a 1 of a symmetric a (n, n), of which the lower triangle is read. Cost n^2.
Vector symmetric_row_sums(ConstMat a);

/// x := op(l)^-1 x with l (n, n) lower triangular, x (n, k). Cost n^2 k.
void solve_lower(ConstMat l, Op op, MatRef x);

/// x := op(l)^-1 x for one vector x (n), without allocation. Cost n^2.
void solve_lower_vector(ConstMat l, Op op, VecRef x);

/// x := x op(l)^-1 with x (k, n). Cost n^2 k.
void solve_lower_right(ConstMat l, Op op, MatRef x);

/// x := x u with u (n, n) unit upper triangular (its strict upper triangle is read), x (k, n). Cost n^2 k, at a higher
/// rate than a solve.
void multiply_unit_upper_right(ConstMat u, MatRef x);

/// Inverse of l (n, n) lower triangular, in place; the strict upper triangle is left alone. Throws NumericalError when
/// it is singular. Cost n^3/3.
void invert_lower(MatRef l);

/// Copies the strict lower triangle onto the upper one. Cost O(n^2).
void mirror_lower(MatRef matrix);

/// Lower Cholesky factor of a (its lower triangle is read), in place; the strict upper triangle is left undefined. When
/// the matrix is not positive definite in floating point, adds jitter to the diagonal: 1e-12 of its mean, then ten
/// times more, up to 1e-4. Returns the jitter added (0 normally). Throws NumericalError(stage) when a diagonal entry is
/// not finite or no jitter helps. Cost n^3/3 flops an attempt.
double safe_cholesky(MatRef a, const char* stage);

/// The same for a matrix whose lower triangle `restore` can write again, should jitter be needed: no copy of it is kept
/// in the strict upper triangle, which is left alone. Saves O(n^2) traffic.
double safe_cholesky(MatRef a, const char* stage, const std::function<void()>& restore);

/// Inverse of l l^T from the lower factor l, in place, as a full symmetric matrix. Cost 2 n^3/3 flops.
void invert_from_cholesky(MatRef l);

/// The lower triangle of that inverse; the strict upper triangle is left alone.
void invert_lower_from_cholesky(MatRef l);

/// log det(l l^T) = 2 sum log l_ii.
double log_determinant(ConstMat l);

}  // namespace alacarte
