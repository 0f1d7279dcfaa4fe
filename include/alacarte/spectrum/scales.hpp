#pragma once
// Lengths of frequencies beside those of radial.hpp. A kernel that is a mixture of Gaussian kernels of all widths has
// normal rows times a random scale (math: if w | s ~ N(0, s^2 I), then k = E exp(-s^2 r^2 / 2)); a law that is stated
// for the length itself gives that length to a row of length 1.
#include <alacarte/core/random.hpp>
#include <alacarte/core/types.hpp>
#include <vector>

namespace alacarte {

/// Of laws with heavy tails, no frequency is so many times longer than 1 / length-scale. What lies beyond is noise to
/// any data, and no loss: 0.6 % of a Cauchy coordinate, 0.8 % of Matern's scales at nu = 1/2, a millionth at 3/2. But
/// its gradients are large and mean nothing, and a search that meets them stops early.
inline constexpr double kLongestScale = 100;

/// The quantile of a standard Cauchy number, given that it is no longer than kLongestScale. level in [0, 1].
double limited_cauchy(double level);

/// Scales s = sqrt(shape / g) (matern: rows become multivariate t, the kernel Matern-nu with nu = shape) or
/// s = sqrt(g / shape) (rational_quadratic: (1 + r^2 / (2 shape))^-shape), g the quantiles of Gamma(shape, 1) at fixed
/// levels: smooth in the shape. Scales above kLongestScale are left out of the law. Rasmussen and Williams 2006,
/// eqs. 4.14, 4.19, 4.20.
class GammaScale {
 public:
  enum class Kind { matern, rational_quadratic };
  /// levels (m) in (0, 1).
  GammaScale(Kind kind, ConstVec levels);
  /// (m). Cost: one inverse of the incomplete gamma function each.
  Vector scales(double shape) const;
  /// (m) d log scale / d log shape at scales = scales(shape), by implicit differentiation of the quantiles; error
  /// 1e-12. Cost: one sum of some 10 to 300 terms each (of order sqrt(shape)), two for matern.
  Vector slopes(double shape, ConstVec scales) const;

 private:
  Kind kind_;
  Vector levels_;
};

/// (count) lengths of sums of `balls` independent uniform points of the unit ball of R^dimension (Le, Sarlos and Smola
/// 2013, eq. 37). Cost O(count balls dimension).
Vector ball_sum_lengths(Index count, Index balls, Index dimension, RandomStream& stream);

/// (count) values at the levels of the quantile function that is linear between `quantiles` (at least two) at equally
/// spaced levels from 0 to 1.
Vector interpolated_quantiles(const std::vector<double>& quantiles, ConstVec levels);
/// Mean square of that law.
double mean_square_of_quantiles(const std::vector<double>& quantiles);

}  // namespace alacarte
