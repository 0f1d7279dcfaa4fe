#pragma once
// Random features of dot-product kernels: with x~ = [x ./ lengthscale, sqrt(c)], rho = |x~|, v_i uniform on the unit
// sphere, n the degree of feature i and m_n the number of features of degree n,
//   psi_i(x) = a sqrt(lambda_n N_n / m_n) rho^e_n g_n(x~.v_i / rho),
// where g_n is the Gegenbauer polynomial of the sphere (Legendre's in three dimensions) with g_n(1) = 1 and N_n the
// number of its harmonics, or the power t^n with N_n = 1. Since E_v[P_n(u.v) P_n(u'.v)] = P_n(u.u') / N_n for unit
// vectors, the kernel of the first kind is a^2 sum_n lambda_n (rho rho')^e_n P_n(u.u'). Le, Sarlos, Smola 2013, section
// 4.4 and eq. 28. The directions are Fastfood rows, Gaussian in R^l, cut to the inputs in use and scaled to length 1,
// hence uniform.
#include <functional>
#include <string>
#include <vector>

#include "alacarte/core/types.hpp"
#include "alacarte/features/fastfood.hpp"
#include "features/maps.hpp"

namespace alacarte {

struct DirectionalDegree {
  Index degree = 0;        ///< n
  double coefficient = 0;  ///< lambda_n > 0; its initial value if it is learned
  double exponent = 0;     ///< e_n
};

struct DirectionalSpec {
  std::string name;                 ///< prefix of the slot names
  bool isotropic = false;           ///< one length-scale for all inputs
  bool powers = false;              ///< g_n is the power t^n, not the Gegenbauer polynomial
  double offset = 0;                ///< c >= 0, its initial value if it is learned; 0: x~ has no constant entry
  bool learn_offset = false;        ///< c is a parameter
  bool has_coefficients = false;    ///< lambda has a slot in theta
  bool learn_coefficients = false;  ///< true: the slot is trained; needs has_coefficients
  std::vector<DirectionalDegree> degrees;
  std::vector<double> shares;  ///< share of the features for each degree; degree 0 always has one feature
};

/// Returns the map with `frequencies` features in all, and their draws. Throws ConfigError for fewer features than
/// degrees.
MapPointer directional_map(DirectionalSpec spec, Index frequencies, Index inputs,
                           const std::function<FastfoodDraws(Index dimension, Index features)>& draw);

/// Returns the registry entry of the maps of a specification.
template <DirectionalSpec (*kSpec)(const Recipe&, Index inputs)>
FeatureMapEntry directional_entry(ModelInfo info) {
  return {std::move(info),
          [](const Recipe& recipe, Index inputs, const RandomStreams& streams, const TrainingStatistics&) {
            return directional_map(kSpec(recipe, inputs), recipe.features.frequencies, inputs,
                                   [&](Index d, Index m) { return FastfoodDraws(d, m, streams); });
          },
          [](const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
            return directional_map(kSpec(recipe, inputs), recipe.features.frequencies, inputs,
                                   [&](Index d, Index m) { return FastfoodDraws(d, m, bundle, prefix); });
          }};
}

/// Returns the dimension of x~: `inputs`, plus 1 with an offset, and at least 2, since the unit sphere of the line is
/// two points, which have only two polynomials.
Index directional_dimension(Index inputs, double offset);

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
