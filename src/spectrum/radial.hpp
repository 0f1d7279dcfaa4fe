#pragma once
// Laws of the lengths of random frequencies (radial spectral densities), in radians per length-scale. A Fastfood row
// points in a uniformly random direction of R^l, so the law of its length determines the kernel. Lengths of a learned
// law are its quantile function at fixed levels, hence smooth in the parameters (Yang et al. 2015, section 4.5).
#include <alacarte/core/random.hpp>
#include <alacarte/core/types.hpp>

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

}  // namespace alacarte
