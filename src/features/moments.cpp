// Moments of the sphere: powers of projections on uniform directions.
#include <cmath>

#include "features/directional.hpp"

namespace alacarte {
namespace {

// With x.v = rho t the exponent of rho is the degree. A constant has its own coefficient, so x~ needs none.
DirectionalSpec moments_spec(const Recipe& recipe) {
  DirectionalSpec spec;
  spec.name = "moments";
  spec.isotropic = recipe.kernel.isotropic;
  spec.powers = true;
  spec.has_coefficients = true;
  spec.learn_coefficients = recipe.kernel.learn_coefficients;
  spec.degrees = coefficients_of(recipe, {1, 1, 1, 1});
  for (auto& degree : spec.degrees) degree.exponent = static_cast<double>(degree.degree);
  // How much a degree adds depends on the length of x as much as on its coefficient: all have the same.
  spec.shares.assign(spec.degrees.size(), 1.0);
  return spec;
}

MapPointer make_moments(const Recipe& recipe, Index inputs, const RandomStreams& streams, const TrainingStatistics&) {
  return make_directional_map(moments_spec(recipe), recipe.features.frequencies, inputs, streams);
}

MapPointer load_moments(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  return load_directional_map(moments_spec(recipe), recipe.features.frequencies, inputs, bundle, prefix);
}

}  // namespace

FeatureMapEntry moments_entry() {
  return {
      {.name = "moments",
       .description = "Powers of projections on random directions, a learned coefficient for each degree.",
       .formula = "k(x, x') = w^2 sum_p c_p E_v[(x~.v)^p (x~'.v)^p],  x~ = x ./ lengthscale, v uniform on the "
                  "sphere;  psi_i(x) = w sqrt(c_p / m_p)\n(x~.v_i)^p, m_p features of degree p",
       .cost = "features n m (log d + degree); D = m; memory 10 m",
       .reference = "Le, Sarlos, Smola 2013, eq. 28",
       .accuracy = "unbiased",
       .fixed = "a coefficient of 0 stays 0",
       .keys = {"features.frequencies", "kernel.coefficients", "kernel.learn_coefficients", "kernel.isotropic"},
       .recipe = R"({"model": "moments", "features": {"frequencies": 512}, "kernel": {"coefficients": [1, 1, 1, 1]}})"},
      make_moments,
      load_moments};
}

}  // namespace alacarte
