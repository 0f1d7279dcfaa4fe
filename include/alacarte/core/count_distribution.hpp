#pragma once
// Predictive distribution of counts, one for each row: a mixture of Poisson or negative binomial laws whose log rate is
// Gaussian, one component for each fit. Counts are whole numbers from 0 up.
#include <alacarte/core/types.hpp>

namespace alacarte {

/// Predictions of counts. Const member functions may run side by side.
class CountDistribution {
 public:
  /// Takes means, variances (rows, J) of the log rate, J >= 1; variances >= 0; component weights (J) >= 0 with sum J,
  /// empty: equal; dispersions (J) >= 0: a of the variance u + a u^2 given the rate u, empty: 0, Poisson. Throws
  /// std::invalid_argument on shapes and weights.
  CountDistribution(Matrix means, Matrix variances, Vector weights = {}, Vector dispersions = {});

  Index rows() const { return means_.rows(); }  ///< number of rows predicted
  /// Returns (rows) the mean over the components of exp(m + v/2).
  Vector mean() const;
  /// Returns (rows) the variance of the mixture; a component with mean u has u + u^2 ((1 + a) exp(v) - 1).
  Vector variance() const;
  /// Returns (rows) P(Y_i <= y_i), by quadrature over the log rate: error below 1e-8.
  Vector cdf(ConstVec y) const;
  /// Returns (rows) P(Y_i > y_i) for any real y; absolute error below 1e-8.
  Vector survival(ConstVec y) const;
  /// Returns (rows) the smallest count with P(Y <= count) >= probability in (0, 1).
  Vector quantile(double probability) const;
  /// Returns (rows) log P(Y_i = y_i), by quadrature about the mode of the integrand.
  Vector log_probability(ConstVec y) const;

 private:
  /// Returns P(Y_i <= y_i), or P(Y_i > y_i) if `upper`.
  Vector tail(ConstVec y, bool upper) const;

  Matrix means_, variances_;
  Vector weights_, dispersions_;
};

}  // namespace alacarte
