#pragma once
// Monotone transforms of a regression target, under which its noise is more nearly normal. Inference takes place in the
// transformed unit u = t(y); predictions are undone exactly (math.md section 9).
#include <alacarte/core/recipe_words.hpp>
#include <alacarte/core/types.hpp>
#include <cmath>
#include <limits>
#include <string>

namespace alacarte {

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

}  // namespace alacarte
