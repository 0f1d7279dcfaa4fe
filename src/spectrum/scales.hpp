#pragma once
// Random scales of frequencies, for kernels other than those of radial.hpp. A Gaussian scale mixture multiplies
// standard normal rows by a random scale: if w | s ~ N(0, s^2 I), then k(r) = E exp(-s^2 r^2 / 2). A law of the length
// multiplies rows of length 1.
#include <alacarte/core/random.hpp>
#include <alacarte/core/types.hpp>
#include <vector>

namespace alacarte {

/// Largest frequency of heavy-tailed laws, in units of 1 / length-scale. The mass beyond is noise to any data: 0.6 % of
/// a Cauchy coordinate, 0.8 % of Matern's scales at nu = 1/2, a millionth at 3/2. But its gradients are large and
/// meaningless, and stop an optimiser early.
inline constexpr double kMaxScale = 100;

/// Returns the quantile at `level` in [0, 1] of the Cauchy distribution truncated to [-kMaxScale, kMaxScale].
double truncated_cauchy_quantile(double level);

/// Scales s = sqrt(shape / g) (matern: rows become multivariate t, the kernel Matern-nu with nu = shape) or
/// s = sqrt(g / shape) (rational_quadratic: (1 + r^2 / (2 shape))^-shape), g the quantiles of Gamma(shape, 1) at fixed
/// levels: smooth in the shape. The law is truncated to scales up to kMaxScale. Rasmussen and Williams 2006,
/// eqs. 4.14, 4.19, 4.20.
class GammaScale {
 public:
  /// Formula of the scales, see above.
  enum class Kind { matern, rational_quadratic };
  /// Takes levels (m) in (0, 1).
  GammaScale(Kind kind, ConstVec levels);
  /// Returns (m) the scales. Cost: one inverse of the incomplete gamma function each.
  Vector scales(double shape) const;
  /// Returns (m) d log scale / d log shape at scales = scales(shape), by implicit differentiation of the quantiles;
  /// error 1e-12. Cost: one sum of some 10 to 300 terms each (of order sqrt(shape)), two for matern.
  Vector slopes(double shape, ConstVec scales) const;

 private:
  Kind kind_;
  Vector levels_;
};

/// Draws (count) independent values of |b_1 + .. + b_balls|, the b_i independent and uniform in the unit ball of
/// R^dimension (Le, Sarlos and Smola 2013, eq. 37). Cost O(count balls dimension).
Vector ball_sum_lengths(Index count, Index balls, Index dimension, RandomStream& stream);

/// Returns (count) quantiles at `levels` (count) in [0, 1], by linear interpolation between `quantiles`: at least two,
/// at equally spaced levels from 0 to 1.
Vector interpolated_quantiles(const std::vector<double>& quantiles, ConstVec levels);
/// Returns the expected square under that law.
double mean_square_of_quantiles(const std::vector<double>& quantiles);

}  // namespace alacarte
