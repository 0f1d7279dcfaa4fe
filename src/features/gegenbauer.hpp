#pragma once
// Zonal polynomials on the unit sphere of R^D (Gegenbauer; Legendre for D = 3).
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// A polynomial of one degree n: the Gegenbauer polynomial P_n with P_n(1) = 1, or the power t^n. P_n comes from the
/// three-term recurrence (k + D - 2) P_(k+1) = (2k + D - 2) t P_k - k P_(k-1), stable on [-1, 1].
class SphereProfile {
 public:
  /// Makes t^n if `powers`; dimension: D >= 2.
  SphereProfile(bool powers, Index degree, Index dimension);

  struct Value {
    double value;
    double slope;  ///< its derivative in t
  };
  /// Evaluates at t. Cost O(n).
  Value operator()(double t) const;

 private:
  bool powers_;
  Index degree_;
  std::vector<double> rise_, fall_;
};

/// Returns the number of linearly independent spherical harmonics of a degree in R^dimension, dimension >= 2.
double sphere_harmonics(Index degree, Index dimension);

/// Returns the coefficients lambda_0 .. lambda_p of t^p = sum_n lambda_n P_n(t) in R^dimension; none is negative.
std::vector<double> gegenbauer_coefficients_of_power(Index p, Index dimension);

}  // namespace alacarte
