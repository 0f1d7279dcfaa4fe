#pragma once
// T linear Gaussians over the same features, one for each target (T = 1: PrimalGaussian alone, bit for bit).
//
// The Gram matrix Psi^T Psi is shared by all targets, and the cotangents of the features add up to
//
//   psi_bar = Psi sum_t B_t^-1 / s_t^2 - sum_t r_t w_t^T / s_t^2,
//
// one product with D x D numbers and one with T columns. Each target has a factor of its own, of B_t with its noise: an
// eigendecomposition would serve all, but takes the time of some ten factors and inverses.
#include <vector>
#include "model/linear_gaussian.hpp"

namespace alacarte {

/// Sums over rows for T targets: all of those for the first target, and those that differ for each further one.
struct TargetSums {
  PrimalSums first;
  Matrix target;                     ///< (D, T - 1) Psi^T Y
  Vector target_sum, target_square;  ///< (T - 1)
  double shared_rows = 0;            ///< number of rows as ranks add it

  void reset(Index features, Index targets);
  void clear() { reset(target.rows(), target.cols() + 1); }
  /// Adds rows with features psi (rows, D) and targets y (rows, T). Cost rows (D^2 + 2 T D) flops.
  void add(ConstMat psi, ConstMat y);
  /// Adds rows with weights, of which roots (rows) are the square roots. psi and y are multiplied by them.
  void add(MatRef psi, MatRef y, ConstVec roots);
  TargetSums& operator+=(const TargetSums& other);
  /// Adds D (D + 1) / 2 + 2 D + 5 numbers to a message of the ranks, and D + 2 for each further target.
  void add_to(auto& sums) {
    shared_rows = static_cast<double>(first.rows);
    sums.add_triangle(first.gram);
    sums.add(first.features);
    sums.add(first.target);
    for (double* value : {&first.target_sum, &first.target_square, &shared_rows, &first.weight, &first.log_weight})
      sums.add(*value);
    if (target.cols() == 0) return;
    sums.add(target);
    sums.add(target_sum);
    sums.add(target_square);
  }
  /// Returns a copy of the sums for one target.
  PrimalSums of(Index t) const;
};

class PrimalTargets {
 public:
  PrimalTargets(MeanKind mean, Index targets) : gaussians_(static_cast<std::size_t>(targets), PrimalGaussian(mean)) {}

  Index count() const { return static_cast<Index>(gaussians_.size()); }  ///< T
  const PrimalGaussian& of(Index t) const { return gaussians_[static_cast<std::size_t>(t)]; }

  /// Factors each B_t; `sums` is overwritten. Throws NumericalError. Cost T D^3/3.
  void factor(TargetSums& sums, ConstVec noise_variances);
  /// Computes the inverses for cotangent() and PrimalGaussian::precision_diagonal(), once for each factor. Cost
  /// 2 T D^3/3.
  void invert();

  /// Returns true if cotangent_single() may be called after invert(): one target, whose inverse is explicit.
  bool has_single() const { return count() == 1 && explicit_; }
  void make_single_inverse() { gaussians_.front().make_single_inverse(); }

  /// Fills residuals (rows, T) of y (rows, T) and adds their squares, times the weights if there are any, to
  /// `squares` (T).
  void residuals(ConstMat psi, ConstMat y, ConstVec weights, MatRef residuals, VecRef squares) const;
  /// Fills psi_bar (rows, D), the derivative of the sum of values by psi; weights of rows multiply it afterwards.
  void cotangent(ConstMat psi, ConstMat residuals, MatRef psi_bar) const;
  /// Computes cotangent() with its largest product in single precision; needs has_single().
  void cotangent_single(ConstMat psi, ConstMat residuals, PrimalGaussian::SingleWork& work, MatRef psi_bar) const {
    gaussians_.front().cotangent_single(psi, residuals.col(0), work, psi_bar);
  }

  double value_bound() const;            ///< lower bound of value(), known after factor()
  double value(ConstVec squares) const;  ///< sum of the negative log evidences, from the squared residuals (T)
  double max_jitter() const;

 private:
  std::vector<PrimalGaussian> gaussians_;
  bool inverted_ = false, explicit_ = true;
  // For several targets with explicit inverses:
  Matrix inverse_, slopes_;  // (D, D) the sum of B_t^-1 / s_t^2; (D, T) w_t / s_t^2
  Vector centre_;            // (D) that sum times the centre
};

}  // namespace alacarte
