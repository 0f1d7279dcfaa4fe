#pragma once
// Polynomials on the sphere of R^D.
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// The Gegenbauer polynomial of one degree with value 1 at 1 (Legendre's for D = 3), or the power t^n, by the
/// three-term recurrence, stable on [-1, 1]: (k + D - 2) P_(k+1) = (2k + D - 2) t P_k - k P_(k-1).
class SphereProfile {
 public:
  SphereProfile(bool powers, Index degree, Index dimension);

  struct Value {
    double value, slope;
  };
  Value operator()(double t) const;

 private:
  bool powers_;
  Index degree_;
  std::vector<double> rise_, fall_;
};

/// Number of independent harmonics of one degree on the sphere of R^dimension, dimension >= 2.
double sphere_harmonics(Index degree, Index dimension);

/// lambda_n of t^p = sum_n lambda_n P_n(t), n = 0 .. p, in `dimension` dimensions; none negative.
std::vector<double> gegenbauer_coefficients_of_power(Index p, Index dimension);

}  // namespace alacarte
