#pragma once
// Kernels a^2 phi(r^2) with r^2 = sum_j ((x_j - x'_j)/lengthscale_j)^2.
#include <memory>
#include <optional>

#include "alacarte/core/types.hpp"
#include "linalg/pair_loops.hpp"

namespace alacarte {

/// The profile phi. Const and shared by threads.
class Profile {
 public:
  using Array = Eigen::Ref<Eigen::ArrayXd>;
  virtual ~Profile() = default;
  /// Replaces r^2 by phi(r^2). `shape`: exp of the log shape parameter, or 0.
  virtual void apply(Array r2, double shape) const = 0;
  /// Returns the form whose fast loops training uses; without one it uses apply() and apply_slope().
  virtual std::optional<PairProfile> closed_form() const { return {}; }
  /// Replaces r^2 by -2 phi'(r^2), the factor of ((x_j - x'_j)/lengthscale_j)^2 in d phi / d log lengthscale_j. At a
  /// pole at r^2 = 0 the product is 0, and so is the result.
  virtual void apply_slope(Array) const {}
  /// Returns -2 phi'(0), the variance of the process's derivative along an input of length-scale 1; 0 if that is
  /// infinite: such processes have no derivative.
  virtual double slope_at_zero() const { return 0; }
};

std::unique_ptr<Profile> squared_exponential();
/// Returns Matern-nu of sqrt(2 nu) r; closed forms for nu = 1/2, 3/2, 5/2, else tables of Bessel functions. Throws
/// ConfigError unless 0 < nu <= 50.
std::unique_ptr<Profile> matern(double nu);
/// Returns (1 + r^2/(2 alpha))^-alpha; alpha is the shape.
std::unique_ptr<Profile> rational_quadratic();

}  // namespace alacarte
