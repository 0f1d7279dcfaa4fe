#pragma once
// Laws of the lengths of random frequencies (radial spectral densities), in radians per length-scale. A Fastfood row
// points in a uniformly random direction of R^l, so the law of its length determines the kernel. Lengths of a learned
// law are its quantile function at fixed levels, hence smooth in the parameters (Yang et al. 2015, section 4.5). For
// other kernels, random scales of frequencies: a Gaussian scale mixture multiplies standard normal rows by a random
// scale (if w | s ~ N(0, s^2 I), then k(r) = E exp(-s^2 r^2 / 2)), a law of the length multiplies rows of length 1.
#include <alacarte/core/random.hpp>
#include <alacarte/core/types.hpp>
#include <vector>

namespace alacarte {

/// Draws (count) independent chi(degrees) variables > 0, lengths of standard normal vectors: the Gaussian kernel.
Vector chi_lengths(Index count, double degrees, RandomStream& stream);

/// Draws (count) stratified levels (j + xi_j) / count, xi_j ~ U[0, 1), all inside (0, 1), in random order: sorted, each
/// Fastfood block would hold one narrow band of lengths.
Vector stratified_levels(Index count, RandomStream& stream);

/// The triangular density on [mu, mu + 2 sigma] with mode mu + sigma. Its quantile function mu + sigma c(u), with
/// c(u) = sqrt(2u) up to u = 1/2 and 2 - sqrt(2(1 - u)) above, is linear in the parameters.
class HatLaw {
 public:
  /// Takes levels (count) in [0, 1].
  explicit HatLaw(ConstVec levels);

  /// Returns (count) the quantiles at the levels.
  Vector lengths(double mu, double sigma) const;
  /// Computes the cotangents of mu and sigma, overwritten, from length_bar (count).
  void pullback(ConstVec length_bar, double& mu_bar, double& sigma_bar) const;

  static double cdf(double length, double mu, double sigma);  ///< distribution function at `length` >= 0
  static double mean_square(double mu, double sigma);         ///< E[s^2]

 private:
  Vector standard_;  // c(u_j)
};

/// A continuous piecewise linear density on the knots 0 = r_0 < r_1 < ... < r_{K+1}, proportional to
/// sum_i a_i rho_i(r) with rho_i the hat function that is 1 at r_i and 0 at the knots beside it. Parameters: the logs
/// of the K + 1 knot increments, and K logits of the weights a (softmax). The distribution function is piecewise
/// quadratic and is inverted in closed form.
class KnotLaw {
 public:
  /// Takes log_increments (K+1), logits (K), K >= 1.
  KnotLaw(ConstVec log_increments, ConstVec logits);

  const Vector& knots() const { return knots_; }      ///< (K+2)
  const Vector& heights() const { return heights_; }  ///< (K+2) density at the knots; it integrates to 1
  double density(double length) const;                ///< at `length` >= 0
  double cdf(double length) const;                    ///< at `length` >= 0
  double quantile(double level) const;                ///< level in [0, 1]
  double mean_square() const;                         ///< E[s^2]

  /// Returns (count) the quantiles at the levels.
  Vector lengths(ConstVec levels) const;
  /// Computes the cotangents of the parameters, overwritten: log_increments_bar (K+1), logits_bar (K), from lengths
  /// (count), the output of lengths(), and length_bar (count). Uses ds/dp = -(dF/dp)(s) / rho(s). Cost O(count K).
  void pullback(ConstVec levels, ConstVec lengths, ConstVec length_bar, VecRef log_increments_bar,
                VecRef logits_bar) const;

 private:
  Index segment_of(double length) const;  // j with r_{j-1} <= length <= r_j

  Vector weights_;     // (K) softmax of the logits
  Vector increments_;  // (K+1)
  Vector knots_, heights_, cumulative_;
  double mass_ = 1;  // integral of sum a_i rho_i
};

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
