#pragma once
// Dense algebra: the one place that calls BLAS and LAPACK (OpenBLAS when built with it, Eigen's own kernels otherwise).
// The number of threads is that of the BLAS (core/threads.hpp). Matrices are column-major; blocks with an outer stride
// are fine. Outputs must not overlap inputs. Shapes that do not fit throw std::invalid_argument.
#include <alacarte/core/types.hpp>
#include <functional>

namespace alacarte {

/// Operand of a product: the matrix itself, or its transpose.
enum class Op { none, transpose };

/// Computes c = alpha op(a) op(b) + beta c; with beta = 0 the old c is never read. Cost 2 m n k flops.
void gemm(double alpha, ConstMat a, Op op_a, ConstMat b, Op op_b, double beta, MatRef c);

/// Computes c = a b in floats; a (m, k), b (k, n), c (m, n) overwritten. Twice as fast as doubles.
void gemm(const Eigen::Ref<const Eigen::MatrixXf>& a, const Eigen::Ref<const Eigen::MatrixXf>& b,
          Eigen::Ref<Eigen::MatrixXf> c);

/// Computes c = alpha op(a) op(b) + beta c in floats; with beta = 0 the old c is never read.
void gemm(float alpha, const Eigen::Ref<const Eigen::MatrixXf>& a, Op op_a, const Eigen::Ref<const Eigen::MatrixXf>& b,
          Op op_b, float beta, Eigen::Ref<Eigen::MatrixXf> c);

/// Computes y = alpha op(a) x + beta y; with beta = 0 the old y is never read. Allocates nothing. Cost 2 m n.
void gemv(double alpha, ConstMat a, Op op, ConstVec x, double beta, VecRef y);

/// Computes the lower triangle of c = alpha op(a) op(a)^T + beta c: `none` gives a a^T, `transpose` a^T a. Leaves the
/// strict upper triangle alone. Cost n^2 k flops.
void syrk_lower(double alpha, ConstMat a, Op op_a, double beta, MatRef c);

/// Returns a b for symmetric a (n, n), whose lower triangle is read, and b (n). Cost 2 n^2.
Vector symmetric_product(ConstMat a, const Vector& b);

/// Returns a 1 for symmetric a (n, n), whose lower triangle is read. Cost n^2.
Vector symmetric_row_sums(ConstMat a);

/// Solves x := op(l)^-1 x with l (n, n) lower triangular, x (n, k). Cost n^2 k.
void solve_lower(ConstMat l, Op op, MatRef x);

/// Solves x := op(l)^-1 x for one vector x (n), without allocation. Cost n^2.
void solve_lower_vector(ConstMat l, Op op, VecRef x);

/// Solves x := x op(l)^-1 with x (k, n). Cost n^2 k.
void solve_lower_right(ConstMat l, Op op, MatRef x);

/// Computes x := x u with u (n, n) unit upper triangular (its strict upper triangle is read), x (k, n). Cost n^2 k, at
/// a higher rate than a solve.
void multiply_unit_upper_right(ConstMat u, MatRef x);

/// Inverts l (n, n) lower triangular, in place; leaves the strict upper triangle alone. Throws NumericalError if l is
/// singular. Cost n^3/3.
void invert_lower(MatRef l);

/// Copies the strict lower triangle onto the upper one. Cost O(n^2).
void mirror_lower(MatRef matrix);

/// Replaces the lower triangle of a by its Cholesky factor; the strict upper triangle is left undefined. If the matrix
/// is not positive definite in floating point, adds jitter to the diagonal: 1e-12 of its mean, then ten times more, up
/// to 1e-4. Returns the jitter added (0 normally). Throws NumericalError(stage) when a diagonal entry is not finite or
/// no jitter helps. Cost n^3/3 flops an attempt.
double safe_cholesky(MatRef a, const char* stage);

/// Factors a matrix whose lower triangle `restore` can write again, should jitter be needed: no copy is kept in the
/// strict upper triangle, which is left alone. Saves O(n^2) traffic.
double safe_cholesky(MatRef a, const char* stage, const std::function<void()>& restore);

/// Replaces the lower factor l by the inverse of l l^T, a full symmetric matrix. Cost 2 n^3/3 flops.
void invert_from_cholesky(MatRef l);

/// Computes the lower triangle of that inverse; leaves the strict upper triangle alone.
void invert_lower_from_cholesky(MatRef l);

/// Returns log det(l l^T) = 2 sum log l_ii.
double log_determinant(ConstMat l);

}  // namespace alacarte
