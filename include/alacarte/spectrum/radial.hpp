#pragma once
// Laws of the lengths of frequencies. A Fastfood row points in a uniformly random direction of R^l; the law of its
// length is what makes the kernel. Lengths of a learned law are its quantile function at fixed levels, so they move
// smoothly with the parameters (Yang et al. 2015, section 4.5).
#include <alacarte/core/random.hpp>
#include <alacarte/core/types.hpp>

namespace alacarte {

/// (count) lengths of standard normal vectors in R^degrees: the Gaussian kernel.
Vector chi_lengths(Index count, double degrees, RandomStream& stream);

/// (count) levels (j + xi_j) / count, xi_j ~ U[0, 1), one in each stratum, in random order: in order, each Fastfood
/// block would hold one narrow band of lengths. All inside (0, 1).
Vector stratified_levels(Index count, RandomStream& stream);

/// One hat on [mu, mu + 2 sigma], mode mu + sigma: the density of the length rises and falls linearly. Its quantile is
/// mu + sigma c(u), c(u) = sqrt(2u) up to u = 1/2, 2 - sqrt(2(1 - u)) above: linear in the parameters.
class HatLaw {
 public:
  explicit HatLaw(ConstVec levels);

  Vector lengths(double mu, double sigma) const;
  /// d(mu, sigma) from length_bar (count): both overwritten.
  void pullback(ConstVec length_bar, double& mu_bar, double& sigma_bar) const;

  static double cdf(double length, double mu, double sigma);
  static double mean_square(double mu, double sigma);  ///< E[s²]

 private:
  Vector standard_;  // c(u_j)
};

/// K hats on knots 0 = r_0 < r_1 < ... < r_{K+1}: density proportional to sum_i a_i rho_i(r), rho_i the hat that is 1
/// at r_i and 0 at the knots beside it. Parameters: log of the K + 1 knot increments, K logits of the weights a
/// (softmax). The distribution function is piecewise quadratic and inverted in closed form.
class KnotLaw {
 public:
  /// log_increments (K+1), logits (K), K >= 1.
  KnotLaw(ConstVec log_increments, ConstVec logits);

  const Vector& knots() const { return knots_; }      ///< (K+2)
  const Vector& heights() const { return heights_; }  ///< (K+2) density at the knots; it integrates to 1
  double density(double length) const;
  double cdf(double length) const;
  double quantile(double level) const;  ///< level in [0, 1]
  double mean_square() const;           ///< E[s²]

  /// (count) quantiles at the levels.
  Vector lengths(ConstVec levels) const;
  /// Cotangents of the parameters from length_bar (count), overwritten. ds/dp = -(dF/dp)(s) / rho(s). Cost O(count K).
  void pullback(ConstVec levels, ConstVec lengths, ConstVec length_bar, VecRef log_increments_bar,
                VecRef logits_bar) const;

 private:
  Index segment_of(double length) const;  // j with r_{j-1} <= length <= r_j

  Vector weights_;     // (K) softmax of the logits
  Vector increments_;  // (K+1)
  Vector knots_, heights_, cumulative_;
  double mass_ = 1;  // of sum a_i rho_i
};

}  // namespace alacarte
