#pragma once
// Features of directions: with x~ = [x ./ lengthscale, sqrt(c)], rho = |x~|, and v uniform on the sphere of x~,
//   psi_i(x) = a sqrt(lambda_n N_n / m_n) rho^e_n g_n(x~.v_i / rho),   n = the degree of feature i, m_n features of
//   each,
// g_n the Gegenbauer polynomial of the sphere (Legendre in three dimensions) with g_n(1) = 1 and N_n its harmonics, or
// the power t^n with N_n = 1. Since E_v[P_n(u.v) P_n(u'.v)] = P_n(u.u') / N_n for unit vectors, the kernel of the first
// is a^2 sum_n lambda_n (rho rho')^e_n P_n(u.u'). Le, Sarlos, Smola 2013, section 4.4 and eq. 28. The directions are
// Fastfood rows, Gaussian in R^l, cut to the inputs in use and scaled to length 1: so they are uniform.
#include <string>
#include <vector>

#include "features/maps.hpp"

namespace alacarte {

struct DirectionalDegree {
  Index degree = 0;
  double coefficient = 0;  ///< lambda_n > 0, or where its learning starts
  double exponent = 0;     ///< e_n
};

struct DirectionalSpec {
  std::string name;        ///< begins the slot names
  bool isotropic = false;  ///< one length-scale for all inputs
  bool powers = false;
  double offset = 0;  ///< c >= 0, or where its learning starts; 0: x~ has no constant
  bool learn_offset = false;
  bool has_coefficients = false;    ///< as a slot; else they stay inside the features
  bool learn_coefficients = false;  ///< has_coefficients, and the slot is trained
  std::vector<DirectionalDegree> degrees;
  std::vector<double> shares;  ///< of the features, for each degree; degree 0 has one feature whatever its share
};

/// Throws ConfigError when there are fewer frequencies than degrees.
MapPointer make_directional_map(DirectionalSpec spec, Index frequencies, Index inputs, const RandomStreams& streams);
MapPointer load_directional_map(DirectionalSpec spec, Index frequencies, Index inputs, const TensorBundle& bundle,
                                const std::string& prefix);

/// Dimension of the sphere's space for `inputs` inputs: one more with an offset, and at least 2, since on the two
/// points of the line's sphere there are only two polynomials.
Index directional_dimension(Index inputs, double offset);

/// How many features each degree has, `frequencies` in all (1 if degree 0 is the only one). Throws ConfigError when
/// there are fewer than degrees.
std::vector<Index> split_features(const DirectionalSpec& spec, Index frequencies);

/// kernel.coefficients, or the given ones where it has none: as degrees, those of coefficient 0 left out. Throws
/// ConfigError naming the degree of a negative one, and when none is positive.
std::vector<DirectionalDegree> coefficients_of(const Recipe& recipe, const std::vector<double>& otherwise);

}  // namespace alacarte
