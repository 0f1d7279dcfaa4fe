#pragma once
// Bayesian linear regression on given features Psi (math.md, section 1). y = mean + Psi w + e, w ~ N(0, I), e ~ N(0, s2
// I).
//
// MeanKind::constant: a constant with a flat prior, integrated out. With C = I - 11^T/n and K = Psi Psi^T,
//
//   log|K + s2 I| + log 1^T (K + s2 I)^-1 1 = log|C K C + s2 I| + log n - log s2,
//
// and the projected inverse P of math.md is C (C K C + s2 I)^-1 C: integrating the constant out is the same as centring
// the columns of Psi (or the Gram matrix) and y, and counting one row less. No difference of large numbers 1^T K^-1 1
// is ever formed, so the constant costs no digits at small noise. At a new row, f = mean(y) + (psi - mean psi)^T w + c
// with c ~ N(0, s2/n) independent of w.
//
// Rows with weights have e ~ N(0, s2 W^-1), W = diag(w). With R = W^(1/2), R y has noise s2 I, features R Psi and a
// constant in the direction u = R 1 in place of 1: C = I - u u^T / |u|^2, and log n becomes log |u|^2, n otherwise
// stays the number of rows. log p(y) is that of R y plus sum log w / 2. A row of weight w has the posterior of w equal
// rows at the same s2; those have more evidence by the constant -((w - 1) log(2 pi s2) + log w) / 2 of each such row.
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>
#include <vector>

namespace alacarte {

/// Sums over rows collected by pass one: all that the factor needs. Plain sums, so those of threads and processes are
/// merged by addition.
struct PrimalSums {
  Matrix gram;               ///< (D, D) Psi^T Psi, lower triangle
  Vector features;           ///< (D) Psi^T 1
  Vector target;             ///< (D) Psi^T y
  double target_sum = 0;     ///< 1^T y
  double target_square = 0;  ///< y^T y
  Index rows = 0;            ///< n
  double weight = 0;         ///< sum of the weights of rows; n without any
  double log_weight = 0;     ///< sum of their logarithms

  void reset(Index feature_count);  ///< sets all sums to zero, for feature_count features
  /// Adds rows: psi (rows, D), y (rows). Cost rows D^2 flops.
  void add(ConstMat psi, ConstVec y);
  /// Adds rows with weights, whose square roots are roots (rows). psi and y are multiplied by them, row by row.
  void add(MatRef psi, VecRef y, ConstVec roots);
  PrimalSums& operator+=(const PrimalSums& more);  ///< adds the sums of other rows
};

/// The primal form, for D <= n: a D x D factor of B = I + Psi^T Psi / s2 (Psi centred when there is a constant).
class PrimalGaussian {
 public:
  explicit PrimalGaussian(MeanKind mean) : mean_(mean) {}  ///< mean: kind of the process's mean

  /// Factors B from the sums of pass one (sums.gram is overwritten). `with_inverse`: also computes the inverse for
  /// cotangent() and precision_diagonal(). Throws NumericalError. Cost D^3/3, with the inverse D^3.
  void factor(PrimalSums& sums, double noise_variance, bool with_inverse);

  /// Returns a lower bound of the negative log evidence, available after factor() without a second pass over the rows:
  /// |r|^2/s2 + |w|^2 = (y^T y - y^T Psi w)/s2, less a bound of its cancellation error. It lets a line search reject a
  /// trial early. Cost O(D).
  double value_bound() const { return value_bound_; }

  /// Computes the inverse for cotangent() and precision_diagonal(), if factor() was called without it. Cost 2 D^3/3.
  void invert();

  /// Computes r = y - mean - Psi w into residual (rows); returns |r|^2. Value and gradient come from r and not from
  /// y^T y - b^T B^-1 b, which cancels catastrophically at small noise. Weights change nothing here: value() takes
  /// sum w r^2, and the cotangent of a row is w times that of cotangent().
  double residual(ConstMat psi, ConstVec y, VecRef residual) const;

  /// Computes psi_bar (rows, D) = d NLML / d psi = Psi B^-1 / s2 - r w^T / s2, with residual (rows) from residual().
  /// Row-local. Cost 2 rows D^2.
  void cotangent(ConstMat psi, ConstVec residual, MatRef psi_bar) const;

  /// Returns true if B^-1 is held explicitly, as cotangent_single() requires.
  bool explicit_inverse() const { return !uses_solves_; }
  /// (D, D) B^-1 / s2, after invert(). cotangent() is psi times this, less scaled_centre() and residuals times w / s2.
  const Matrix& scaled_inverse() const { return inverse_; }
  const Vector& scaled_centre() const { return centre_inverse_; }  ///< (D) scaled_inverse() centre()

  /// Buffers of cotangent_single(), kept between calls.
  struct SingleWork {
    Eigen::MatrixXf psi, psi_bar;  ///< (rows, D) features, and their cotangents
  };
  /// Computes cotangent() with the product Psi B^-1 in single precision. For gradients only: value and residual stay in
  /// double precision. Needs explicit_inverse().
  void cotangent_single(ConstMat psi, ConstVec residual, SingleWork& work, MatRef psi_bar) const;
  /// Makes the single-precision copy of the inverse; after invert(). Cost D^2.
  void make_single_inverse();

  /// Computes P_ii (rows), the diagonal of the projected inverse covariance: leave-one-out variances are 1/P_ii and
  /// means y_i - (w_i r_i/s2)/P_ii. work (rows, D) is overwritten. weights: (rows), or empty: all 1.
  void precision_diagonal(ConstMat psi, ConstVec weights, MatRef work, VecRef diagonal) const;
  /// Returns the block (rows, rows) of P of these rows. Arguments as for precision_diagonal().
  Matrix precision_block(ConstMat psi, ConstVec weights, MatRef work) const;

  /// Returns the negative log evidence, given |r|^2 over all rows.
  double value(double squared_residual) const;
  /// Returns d NLML / d s2, given |r|^2 over all rows.
  double noise_bar(double squared_residual) const;

  const Vector& weights() const { return weights_; }         ///< (D) posterior mean of w
  const Vector& centre() const { return centre_; }           ///< (D) mean of psi; zero without a constant
  double offset() const { return offset_; }                  ///< the mean function is offset + psi^T w
  double constant_variance() const;                          ///< s2 / sum of weights with a constant, else 0
  const Matrix& factor_matrix() const { return factor_; }    ///< (D, D) lower L with L L^T = B
  double jitter() const { return jitter_; }                  ///< jitter of the last factorisation; 0: none was needed
  double noise_variance() const { return noise_variance_; }  ///< s2, of the last factorisation

  /// Computes psi B^-1 / s2 into out (rows, D), after invert(). Cost 2 rows D^2.
  void apply_inverse(ConstMat psi, MatRef out) const;

 private:
  double value_of(double quadratic) const;

  MeanKind mean_;
  Index rows_ = 0;
  double weight_ = 0, log_weight_ = 0;
  double noise_variance_ = 1, jitter_ = 0, offset_ = 0, log_det_ = 0, trace_inverse_ = 0;
  Vector weights_, centre_, centre_inverse_;
  double value_bound_ = 0;
  Matrix factor_, inverse_;
  Eigen::MatrixXf inverse_single_;
  bool uses_solves_ = false;
};

/// The dual form, on the n x n Gram matrix: features with n < D, or an exact kernel.
class DualGaussian {
 public:
  explicit DualGaussian(MeanKind mean) : mean_(mean) {}  ///< mean: kind of the process's mean

  /// Factors gram (n, n), Psi Psi^T or k(X, X) without noise, of which the lower triangle is read, with y (n). roots:
  /// (n) square roots of the weights of rows, or empty: all 1. Throws NumericalError. Cost n^3/3.
  void factor(ConstMat gram, ConstVec y, double noise_variance, ConstVec roots = Vector());

  /// Fills gram_bar(), precision_diagonal() and noise_bar(). `whole`: both triangles of gram_bar(). Cost 2 n^3/3.
  void adjoint(bool whole);

  double value() const;                            ///< negative log evidence
  double noise_bar() const { return noise_bar_; }  ///< d NLML / d s2
  /// (n, n) d NLML / d gram = (P - a a^T)/2; its strict upper triangle is undefined unless adjoint() made the whole.
  const Matrix& gram_bar() const { return gram_bar_; }
  const Vector& precision_diagonal() const { return precision_diagonal_; }  ///< (n) P_ii
  /// Returns P_ii of some rows i, increasing, (rows.size()); needs no adjoint(). Cost n^2 / 3 for each of rows that are
  /// spread evenly; memory (n, 256).
  Vector precision_diagonal(const std::vector<Index>& rows) const;
  /// Returns the block (rows.size(), rows.size()) of P of some rows, increasing; needs no adjoint(). Cost at most n^2
  /// for each; memory (n, rows.size()).
  Matrix precision_block(const std::vector<Index>& rows) const;
  const Vector& alpha() const { return alpha_; }       ///< (n) a = P y; sums to zero with a constant
  const Vector& roots() const { return roots_; }       ///< (n) roots of the weights, or empty
  double target_mean() const { return target_mean_; }  ///< weighted mean of the training targets
  double constant_variance() const;                    ///< s2 / sum of weights with a constant, else 0
  /// Returns the offset of the mean function offset + k(x, X) a: with a constant the mean of y - gram a.
  double offset() const;
  /// (n) mean of each row of gram; zero without a constant; R gram w / sum w for rows with weights.
  const Vector& row_means() const { return row_means_; }
  /// (n, n) lower L with L L^T = C gram C + s2 I + tau 11^T/n; rows with weights take R gram R, and u for 1. tau only
  /// sets the eigenvalue of the direction 1, which is s2 otherwise and would spoil the condition; vectors that sum to
  /// zero never meet it.
  const Matrix& factor_matrix() const { return factor_; }
  double jitter() const { return jitter_; }                  ///< jitter of the last factorisation; 0: none was needed
  double noise_variance() const { return noise_variance_; }  ///< s2, of the last factorisation

 private:
  /// Returns the shift of P by the constant mean.
  double constant_shift() const;

  MeanKind mean_;
  double noise_variance_ = 1, jitter_ = 0, log_det_ = 0, quadratic_ = 0, noise_bar_ = 0, target_mean_ = 0;
  double constant_eigenvalue_ = 1, weight_ = 0, log_weight_ = 0;
  Vector alpha_, row_means_, precision_diagonal_;
  Vector roots_, scaled_alpha_;  // for rows with weights: R, and R^-1 alpha
  Matrix factor_, gram_bar_;
};

}  // namespace alacarte
