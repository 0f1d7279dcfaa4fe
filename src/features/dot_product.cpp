// Any dot-product kernel on the sphere by its expansion in Gegenbauer polynomials.
#include <cmath>

#include "alacarte/core/error.hpp"
#include "features/directional.hpp"

namespace alacarte {
namespace {

// The proposal for degrees, drawn once and fixed: of the estimate's error, degree n has on the diagonal a share that
// grows like lambda_n 2.6^n for large D, off it like lambda_n; between the two. Fixed counts, not random degrees: the
// variance among degrees falls away, and what is left is unbiased all the same.
constexpr double kShareGrowth = 2;

// An offset of 0 leaves the direction of x alone; above, its length matters too.
DirectionalSpec dot_product_spec(const Recipe& recipe) {
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

MapPointer make_dot_product(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                            const TrainingStatistics&) {
  return make_directional_map(dot_product_spec(recipe), recipe.features.frequencies, inputs, streams);
}

MapPointer load_dot_product(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  return load_directional_map(dot_product_spec(recipe), recipe.features.frequencies, inputs, bundle, prefix);
}

}  // namespace

FeatureMapEntry dot_product_entry() {
  return {
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
           R"({"model": "dot-product", "features": {"frequencies": 512}, "kernel": {"coefficients": [1, 1, 0.5, 0.25]}})"},
      make_dot_product,
      load_dot_product};
}

}  // namespace alacarte
