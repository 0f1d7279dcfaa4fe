#pragma once
// Kernels a^2 phi(r^2) with r^2 = sum_j ((x_j - x'_j)/lengthscale_j)^2.
#include <memory>
#include <optional>

#include "alacarte/core/types.hpp"
#include "linalg/pair_loops.hpp"

namespace alacarte {

/// phi. Const and shared by threads.
class Profile {
 public:
  using Array = Eigen::Ref<Eigen::ArrayXd>;
  virtual ~Profile() = default;
  /// r^2 -> phi(r^2), in place. `shape`: exp of the log shape parameter; 0 where there is none.
  virtual void apply(Array r2, double shape) const = 0;
  /// By which training takes values and slopes. Without one it takes apply() and apply_slope().
  virtual std::optional<PairProfile> closed_form() const { return {}; }
  /// r^2 -> -2 phi'(r^2), in place: what multiplies ((x_j - x'_j)/lengthscale_j)^2 in d phi / d log lengthscale_j. At
  /// r^2 = 0, where it may have a pole, the product is 0: so is what this gives there.
  virtual void apply_slope(Array) const {}
  /// -2 phi'(0), the variance of the process's derivative along an input of length-scale 1; 0 where that is infinite:
  /// such processes have no derivative.
  virtual double slope_at_zero() const { return 0; }
};

std::unique_ptr<Profile> squared_exponential();
/// Matern-nu of sqrt(2 nu) r; closed forms for nu = 1/2, 3/2, 5/2, tables of Bessel functions else. 0 < nu <= 50, or
/// ConfigError.
std::unique_ptr<Profile> matern(double nu);
/// (1 + r^2/(2 alpha))^-alpha; alpha is the shape.
std::unique_ptr<Profile> rational_quadratic();

}  // namespace alacarte
