#pragma once
// Predictive distributions of regression and of counts. Regression: for each row a mixture of Gaussians, one component
// for each fit (and for each normal of its noise mixture). A single fit is a mixture of one. Under a transform of the
// target the mixture is one of the transformed target. Formulas: math.md section 9; Grimit et al. 2006 for the CRPS.
#include <alacarte/core/recipe_words.hpp>
#include <alacarte/core/types.hpp>
#include <cmath>
#include <limits>
#include <string>

namespace alacarte {

// Monotone transforms of a regression target, under which its noise is more nearly normal. Inference takes place in the
// transformed unit u = t(y); predictions are undone exactly (math.md section 9).

/// A monotone transform u = t(y) of the target: the identity, log y, or the power of Yeo and Johnson (2000) of y / unit
/// with an exponent from 0 to 2, for which t maps the real line onto itself, so that every normal u has a proper
/// density and all moments in y. Values below `minimum` do not occur: the lower tail of u stands for the minimum
/// itself.
class TargetTransform {
 public:
  enum class Kind { identity, log, yeo_johnson };

  /// Mean and variance of a value in the unit of the target.
  struct Moments {
    double mean = 0, variance = 0;
  };

  TargetTransform() = default;  ///< the identity
  /// Returns log y, of targets above 0.
  static TargetTransform log();
  /// Returns the power with exponent `lambda` of y / unit. minimum: 0, or -infinity. Throws std::invalid_argument for
  /// lambda outside [0, 2], a unit that is not above 0 and finite, or another minimum.
  static TargetTransform yeo_johnson(double lambda, double unit,
                                     double minimum = -std::numeric_limits<double>::infinity());
  /// Learns the power from finite targets (n >= 1): unit is the median of |y| (1 if that is 0), lambda the exponent of
  /// greatest likelihood of normal u with free mean and variance, minimum 0 if no target is below. Cost O(n) for each
  /// of about 40 exponents.
  static TargetTransform learn_yeo_johnson(ConstVec targets);

  Kind kind() const { return kind_; }                           ///< which transform it is
  bool is_identity() const { return kind_ == Kind::identity; }  ///< u = y
  double lambda() const { return lambda_; }                     ///< exponent of yeo_johnson
  double unit() const { return unit_; }                         ///< y is divided by it in yeo_johnson
  double minimum() const { return minimum_; }                   ///< smallest value of a target

  /// Returns t(y); -infinity for a y that does not occur.
  double forward(double y) const;
  Vector forward(ConstVec y) const;  ///< (n) t of each
  /// Returns the y with t(y) = u, at least the minimum.
  double inverse(double u) const;
  Vector inverse(ConstVec u) const;  ///< (n) inverse of each
  /// Returns log dt/dy at a y that occurs.
  double log_slope(double y) const;
  /// Returns the moments of y for u ~ N(mean, variance): in closed form for log, else by Gauss-Legendre quadrature with
  /// relative errors below 1e-8. They are infinite where they exceed the range of doubles.
  Moments moments(double mean, double variance) const;
  /// Returns the integral of (F(y) - [y >= target])^2 over y, F the distribution function of u ~ sum_j weights_j
  /// N(means_j, variances_j) / J, in the unit of the target: the continuous ranked probability score. Adaptive
  /// quadrature, relative error below 1e-7.
  double crps(ConstVec means, ConstVec variances, ConstVec weights, double target) const;
  /// Describes it: "log", or "yeo-johnson with exponent 0.25 of the target in units of 3".
  std::string text() const;
  bool operator==(const TargetTransform&) const = default;  ///< memberwise

 private:
  double raw_inverse(double u) const;        // without minimum
  double log_inverse_slope(double u) const;  // of dy/du; -infinity below the minimum
  Kind kind_ = Kind::identity;
  double lambda_ = 1, unit_ = 1, minimum_ = -std::numeric_limits<double>::infinity();
};

/// Returns true if the scaling transforms the target: log and yeo-johnson.
constexpr bool is_transform(TargetScaling scaling) {
  return scaling == TargetScaling::log || scaling == TargetScaling::yeo_johnson;
}
/// Returns the transform of a scaling, learned from finite targets (n >= 1); the identity for other scalings.
TargetTransform learn_transform(TargetScaling scaling, ConstVec targets);

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
  /// Adds rare components that count in densities far out alone: means, variances (rows, K), and logarithms of their
  /// weights (K), relative to those of sum J. Throws std::invalid_argument on shapes.
  void add_far(Matrix means, Matrix variances, Vector log_weights);

  Index rows() const { return means_.rows(); }              ///< number of rows predicted
  Index component_count() const { return means_.cols(); }   ///< J
  bool with_noise() const { return with_noise_; }           ///< true: variances of observations; false: of the function
  const Matrix& component_means() const { return means_; }  ///< (rows, J)
  const Matrix& component_variances() const { return variances_; }  ///< (rows, J)
  const Vector& weights() const { return weights_; }                ///< w (J), component weights with sum J
  const TargetTransform& transform() const { return transform_; }   ///< t; the components are those of t(y)
  /// Returns the distribution of t(y).
  PredictiveDistribution of_transformed() const;

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
  Matrix far_means_, far_variances_;
  Vector far_log_weights_;
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
