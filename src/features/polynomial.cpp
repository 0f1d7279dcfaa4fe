// (x.x' + c)^p, its expansion in Gegenbauer polynomials exact: t^p = sum_n lambda_n P_n(t) with lambda_n >= 0.
#include <cmath>

#include "alacarte/core/error.hpp"
#include "features/directional.hpp"
#include "features/gegenbauer.hpp"

namespace alacarte {
namespace {

constexpr Index kMaxPolynomialDegree = 50;
constexpr double kPolynomialShareGrowth = 2;  // as for dot-product

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
    spec.shares.push_back(coefficients[n] * std::pow(kPolynomialShareGrowth, static_cast<double>(n)));
  }
  return spec;
}

MapPointer make_polynomial(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                           const TrainingStatistics&) {
  return make_directional_map(polynomial_spec(recipe, inputs), recipe.features.frequencies, inputs, streams);
}

MapPointer load_polynomial(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  return load_directional_map(polynomial_spec(recipe, inputs), recipe.features.frequencies, inputs, bundle, prefix);
}

}  // namespace

FeatureMapEntry polynomial_entry() {
  return {
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
       .recipe = R"({"model": "polynomial", "features": {"frequencies": 512}, "kernel": {"degree": 3, "offset": 1}})"},
      make_polynomial,
      load_polynomial};
}

}  // namespace alacarte
