// The models of directional.hpp: their specifications and descriptions.
#include <fmt/format.h>
#include <cmath>

#include "features/directional.hpp"

namespace alacarte {
namespace {

constexpr Index kMaxPolynomialDegree = 50;
// Ratio of the shares of features of neighbouring degrees, which are fixed. The share of degree n in the error grows
// like lambda_n 2.6^n for large D on the diagonal, like lambda_n off it; this lies between. Fixed counts avoid the
// variance of random degrees, and the estimate stays unbiased.
constexpr double kShareGrowth = 2;

/// Returns the degrees with positive coefficients lambda_0, lambda_1, ..: those of kernel.coefficients, or `defaults`.
/// Throws ConfigError naming the degree of a negative one, and if none is positive.
std::vector<DirectionalDegree> coefficients_of(const Recipe& recipe, const std::vector<double>& defaults) {
  const std::vector<double>& values = recipe.kernel.coefficients.empty() ? defaults : recipe.kernel.coefficients;
  std::vector<DirectionalDegree> degrees;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (!(values[n] >= 0))
      throw ConfigError(fmt::format("/kernel/coefficients/{}", n),
                        fmt::format("the coefficient of degree {} is negative: no kernel has such", n));
    if (values[n] > 0) degrees.push_back({static_cast<Index>(n), values[n], 0});
  }
  if (degrees.empty()) throw ConfigError("/kernel/coefficients", "at least one must be positive");
  return degrees;
}

// Specifies any dot-product kernel on the sphere by its expansion in Gegenbauer polynomials. With offset 0 only the
// direction of x matters; above, its length too.
DirectionalSpec dot_product_spec(const Recipe& recipe, Index) {
  if (!(recipe.kernel.offset >= 0)) throw ConfigError("/kernel/offset", "must not be negative");
  DirectionalSpec spec;
  spec.name = "dot-product";
  spec.isotropic = recipe.kernel.isotropic;
  spec.offset = recipe.kernel.offset;
  spec.has_coefficients = true;
  spec.learn_coefficients = recipe.kernel.learn_coefficients;
  spec.degrees = coefficients_of(recipe, {1, 1, 0.5, 0.25, 0.125, 0.0625});
  for (const auto& degree : spec.degrees)
    spec.shares.push_back(degree.coefficient * std::pow(kShareGrowth, static_cast<double>(degree.degree)));
  return spec;
}

// Specifies (x.x' + c)^p by its exact Gegenbauer expansion: t^p = sum_n lambda_n P_n(t) with lambda_n >= 0.
DirectionalSpec polynomial_spec(const Recipe& recipe, Index inputs) {
  const Index p = recipe.kernel.degree;
  if (p < 1 || p > kMaxPolynomialDegree) throw ConfigError("/kernel/degree", "must be from 1 to 50");
  if (!(recipe.kernel.offset >= 0)) throw ConfigError("/kernel/offset", "must not be negative");
  DirectionalSpec spec;
  spec.name = "polynomial";
  spec.isotropic = recipe.kernel.isotropic;
  spec.offset = recipe.kernel.offset;
  spec.learn_offset = true;
  const auto coefficients = gegenbauer_coefficients_of_power(p, directional_dimension(inputs, spec.offset));
  for (std::size_t n = 0; n < coefficients.size(); ++n) {
    if (coefficients[n] == 0) continue;
    spec.degrees.push_back({static_cast<Index>(n), coefficients[n], static_cast<double>(p)});
    spec.shares.push_back(coefficients[n] * std::pow(kShareGrowth, static_cast<double>(n)));
  }
  return spec;
}

// Specifies moments of the sphere: powers of projections on uniform directions. With x.v = rho t the exponent of rho is
// the degree. A constant has its own coefficient, so x~ needs none.
DirectionalSpec moments_spec(const Recipe& recipe, Index) {
  DirectionalSpec spec;
  spec.name = "moments";
  spec.isotropic = recipe.kernel.isotropic;
  spec.powers = true;
  spec.has_coefficients = true;
  spec.learn_coefficients = recipe.kernel.learn_coefficients;
  spec.degrees = coefficients_of(recipe, {1, 1, 1, 1});
  for (auto& degree : spec.degrees) degree.exponent = static_cast<double>(degree.degree);
  // The length of x matters as much for a degree as its coefficient: all have the same share.
  spec.shares.assign(spec.degrees.size(), 1.0);
  return spec;
}

}  // namespace

FeatureMapEntry dot_product_entry() {
  return directional_entry<dot_product_spec>(
      {.name = "dot-product",
       .description = "Dot-product kernel on the sphere, its Gegenbauer (Legendre) coefficients given and learned.",
       .formula = "k(x, x') = v^2 sum_n lambda_n P_n(u.u'),  u = x~/|x~|, x~ = [x ./ lengthscale, sqrt(offset)], P_n "
                  "the Gegenbauer polynomial\nof the sphere of x~, P_n(1) = 1;  psi_i(x) = v sqrt(lambda_n N_n / m_n) "
                  "P_n(u.v_i), N_n harmonics of degree n, m_n features of each",
       .cost = "features n m (log d + 12 degree); D = m; memory 10 m",
       .reference = "Le, Sarlos, Smola 2013, section 4.4",
       .accuracy = "unbiased; how many features each degree has is fixed from the given coefficients",
       .fixed = "kernel.offset stays what the recipe says; a coefficient of 0 stays 0",
       .keys = {"features.frequencies", "kernel.coefficients", "kernel.learn_coefficients", "kernel.offset",
                "kernel.isotropic"},
       .recipe =
           R"({"model": "dot-product", "features": {"frequencies": 512}, "kernel": {"coefficients": [1, 1, 0.5, 0.25]}})"});
}

FeatureMapEntry polynomial_entry() {
  return directional_entry<polynomial_spec>(
      {.name = "polynomial",
       .description =
           "Polynomial kernel of any degree through spherical harmonics, one length-scale for each input (or for all).",
       .formula = "k(x, x') = v^2 (sum_j x_j x'_j / lengthscale_j^2 + c)^p = v^2 (|x~||x~'|)^p sum_n lambda_n "
                  "P_n(u.u'),  u = x~/|x~|,\nx~ = [x ./ lengthscale, sqrt(c)];  psi_i(x) = v |x~|^p sqrt(lambda_n "
                  "N_n / m_n) P_n(u.v_i)",
       .cost = "features n m (log d + 12 p); D = m; memory 10 m",
       .reference = "Le, Sarlos, Smola 2013, section 4.4",
       .accuracy = "unbiased",
       .fixed = "kernel.degree stays what the recipe says, and an offset of 0 stays 0 (homogeneous)",
       .keys = {"features.frequencies", "kernel.degree", "kernel.offset", "kernel.isotropic"},
       .recipe = R"({"model": "polynomial", "features": {"frequencies": 512}, "kernel": {"degree": 3, "offset": 1}})"});
}

FeatureMapEntry moments_entry() {
  return directional_entry<moments_spec>(
      {.name = "moments",
       .description = "Powers of projections on random directions, a learned coefficient for each degree.",
       .formula = "k(x, x') = w^2 sum_p c_p E_v[(x~.v)^p (x~'.v)^p],  x~ = x ./ lengthscale, v uniform on the "
                  "sphere (of one input, which gets a 0 beside it, on the\ncircle);  psi_i(x) = w sqrt(c_p / m_p) "
                  "(x~.v_i)^p, m_p features of degree p",
       .cost = "features n m (log d + degree); D = m; memory 10 m",
       .reference = "Le, Sarlos, Smola 2013, eq. 28",
       .accuracy = "unbiased",
       .fixed = "a coefficient of 0 stays 0",
       .keys = {"features.frequencies", "kernel.coefficients", "kernel.learn_coefficients", "kernel.isotropic"},
       .recipe =
           R"({"model": "moments", "features": {"frequencies": 512}, "kernel": {"coefficients": [1, 1, 1, 1]}})"});
}

}  // namespace alacarte
