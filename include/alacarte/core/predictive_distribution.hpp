#pragma once
// Predictive distributions of regression and of counts. Regression: for each row a mixture of Gaussians, one component
// for each fit (and for each normal of its noise mixture). A single fit is a mixture of one. Under a transform of the
// target the mixture is one of the transformed target. Formulas: math.md section 9; Grimit et al. 2006 for the CRPS.
#include <alacarte/core/target_transform.hpp>
#include <alacarte/core/types.hpp>

namespace alacarte {

/// Predictions of regression: for each row a mixture of J Gaussians, or the distribution of a target whose transform is
/// such a mixture. Everything but the components is in the unit of the target.
class PredictiveDistribution {
 public:
  PredictiveDistribution() = default;
  /// Takes means, variances (rows, J), J >= 1; variances > 0 (or >= 0 for latent values), which include the observation
  /// noise if `with_noise`; weights (J) >= 0 of components with sum J, empty: ones. Throws std::invalid_argument on
  /// both. transform: t, if the components are those of t(y).
  PredictiveDistribution(Matrix means, Matrix variances, bool with_noise, Vector weights = {},
                         TargetTransform transform = {});

  Index rows() const { return means_.rows(); }              ///< number of rows predicted
  Index component_count() const { return means_.cols(); }   ///< J
  bool with_noise() const { return with_noise_; }           ///< true: variances of observations; false: of the function
  const Matrix& component_means() const { return means_; }  ///< (rows, J)
  const Matrix& component_variances() const { return variances_; }  ///< (rows, J)
  const Vector& weights() const { return weights_; }                ///< w (J), component weights with sum J
  const TargetTransform& transform() const { return transform_; }   ///< t; the components are those of t(y)
  /// Returns the distribution of t(y).
  PredictiveDistribution of_transformed() const { return {means_, variances_, with_noise_, weights_}; }

  Vector mean() const;      ///< (rows) sum w_j m_j / J
  Vector variance() const;  ///< (rows) sum w_j (s_j + (m_j - m)^2) / J
  Vector quantile(double probability)
      const;  ///< (rows); probability in (0, 1); Gaussian in closed form, mixtures by a bracketed root finder
  Vector cdf(ConstVec y) const;          ///< (rows) P(Y_i <= y_i)
  Vector survival(ConstVec y) const;     ///< (rows) P(Y_i > y_i), accurate where it is small
  Vector log_density(ConstVec y) const;  ///< (rows) log-sum-exp over components
  Vector crps(ConstVec y) const;  ///< (rows) in units of y; cost O(rows J^2), under a transform about 1000 rows J

 private:
  /// Returns the mixture with the moments of the components in the unit of the target.
  PredictiveDistribution with_target_moments() const;

  Matrix means_, variances_;
  Vector weights_;
  bool with_noise_ = true;
  TargetTransform transform_;
};

// Predictive distribution of counts, one for each row: a mixture of Poisson or negative binomial laws whose log rate is
// Gaussian, one component for each fit. Counts are whole numbers from 0 up.

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
