// The models of radial_map.hpp: the laws of their frequencies, and their descriptions.
#include <algorithm>

#include "alacarte/core/error.hpp"
#include "features/radial_map.hpp"
#include "features/scale_laws.hpp"

namespace alacarte {
namespace {

using Law = std::unique_ptr<RadialParameters>;
using Kept = RadialModel::Kept;

Law unscaled(const Recipe& recipe, Index, ConstVec) {
  return fixed_lengths(Vector::Ones(recipe.features.frequencies), 1);
}

Law matern_law(const Recipe& recipe, Index, ConstVec levels) {
  return gamma_scales(GammaScale::Kind::matern, levels, recipe.kernel.nu, recipe.kernel.learn_shape);
}

Law rational_quadratic_law(const Recipe& recipe, Index, ConstVec levels) {
  return gamma_scales(GammaScale::Kind::rational_quadratic, levels, recipe.kernel.alpha, recipe.kernel.learn_shape);
}

// The mean square of a uniform point of the ball of R^d is d / (d + 2), and points add.
Law ball_law(const Recipe& recipe, Index inputs, ConstVec lengths) {
  const auto d = static_cast<double>(inputs);
  return fixed_lengths(lengths, static_cast<double>(recipe.kernel.balls) * d / (d + 2));
}

Law listed_law(const Recipe& recipe, Index, ConstVec levels) {
  const std::vector<double>& quantiles = recipe.kernel.quantiles;
  if (quantiles.size() < 2) throw ConfigError("/kernel/quantiles", "needs at least two quantiles, of levels 0 and 1");
  if (!std::is_sorted(quantiles.begin(), quantiles.end()) || !(quantiles.front() >= 0) || !(quantiles.back() > 0))
    throw ConfigError("/kernel/quantiles", "must not fall, begin at 0 or above, and end above 0");
  return fixed_lengths(interpolated_quantiles(quantiles, levels), mean_square_of_quantiles(quantiles));
}

// One object of each model, which outlives every map of it.
const RadialModel& rbf() {
  static const RadialModel model{"rbf", RowLaw::gaussian, true, Kept::nothing, unscaled};
  return model;
}
const RadialModel& ard() {
  static const RadialModel model{"ard", RowLaw::gaussian, false, Kept::nothing, unscaled};
  return model;
}
const RadialModel& matern() {
  static const RadialModel model{"matern", RowLaw::gaussian, false, Kept::levels, matern_law};
  return model;
}
const RadialModel& rational_quadratic() {
  static const RadialModel model{"rq", RowLaw::gaussian, false, Kept::levels, rational_quadratic_law};
  return model;
}
const RadialModel& laplace() {
  static const RadialModel model{"laplace", RowLaw::cauchy, false, Kept::nothing, unscaled};
  return model;
}
const RadialModel& ball() {
  static const RadialModel model{"ball", RowLaw::unit, false, Kept::lengths, ball_law};
  return model;
}
const RadialModel& listed() {
  static const RadialModel model{"radial", RowLaw::unit, false, Kept::levels, listed_law};
  return model;
}

template <const RadialModel& (*kModel)()>
MapPointer make_radial(const Recipe& recipe, Index inputs, const RandomStreams& streams, const TrainingStatistics&) {
  return make_radial_map(kModel(), recipe, inputs, streams);
}

template <const RadialModel& (*kModel)()>
MapPointer load_radial(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  return load_radial_map(kModel(), recipe, inputs, bundle, prefix);
}

/// The keys of every model here, and its own.
std::vector<std::string> keys_with(std::vector<std::string> own) {
  std::vector<std::string> keys = {"features.draws", "features.phase", "features.normalized", "features.frequencies"};
  keys.insert(keys.end(), own.begin(), own.end());
  return keys;
}

constexpr const char* kCost =
    "features n m log d (draws fastfood, fft) or n m d (the others), up to half as much again with phase offset; D = 2 "
    "m (pair) or m (offset);\nhashed makes its rows anew for each chunk: as long as the features of some 400 rows;\n"
    "memory of a chunk of features, and 13 m numbers for fastfood, 7 m for fft, 3 m for hashed, 3 m d for gaussian, "
    "orthogonal and sobol draws";
constexpr const char* kDenseCost =
    "features n m d, up to half as much again with phase offset; D = 2 m (pair) or m (offset);\nmemory of a chunk of "
    "features, and 3 m d numbers for gaussian and sobol draws, 3 m for hashed";
constexpr const char* kDenseAccuracy =
    "unbiased but for the limit on lengths, with standard deviation of order v^2 / sqrt(m), less with sobol draws; "
    "normalized is biased";
constexpr const char* kAccuracy =
    "unbiased, with standard deviation of order v^2 / sqrt(m), less with orthogonal and sobol draws; draws fft are "
    "biased, and so is normalized";

}  // namespace

FeatureMapEntry rbf_entry() {
  return {{.name = "rbf",
           .description = "Gaussian kernel with one length-scale.",
           .formula = "k(x, x') = v^2 exp(-|x - x'|^2 / (2 lengthscale^2));  psi(x) = v / sqrt(m) [cos u, sin u]",
           .cost = kCost,
           .reference = "Le, Sarlos and Smola 2013, section 3; Rahimi and Recht 2007",
           .accuracy = kAccuracy,
           .fixed = "",
           .keys = keys_with({}),
           .recipe = R"({"model": "rbf", "features": {"frequencies": 256}, "copies": 3})"},
          make_radial<rbf>,
          load_radial<rbf>};
}

FeatureMapEntry ard_entry() {
  return {{.name = "ard",
           .description = "Gaussian kernel with one length-scale for each input.",
           .formula = "k(x, x') = v^2 exp(-r^2 / 2), r = |(x - x') ./ lengthscale|;  psi(x) = v / sqrt(m) [cos u, "
                      "sin u]",
           .cost = kCost,
           .reference = "Le, Sarlos and Smola 2013, section 3; Yang et al. 2015, section 4",
           .accuracy = kAccuracy,
           .fixed = "",
           .keys = keys_with({}),
           .recipe = R"({"model": "ard", "features": {"frequencies": 256}, "copies": 3})"},
          make_radial<ard>,
          load_radial<ard>};
}

FeatureMapEntry matern_entry() {
  return {
      {.name = "matern",
       .description =
           "Matern kernel of any smoothness nu, which is learned, with one length-scale for each input (or for all).",
       .formula =
           "k(x, x') = v^2 2^(1-nu) / Gamma(nu) z^nu K_nu(z), z = sqrt(2 nu) r, r = |(x - x') ./ "
           "lengthscale|;\nfrequencies are normal times sqrt(nu / g), g of Gamma(nu, 1), that root no larger than 100",
       .cost = kCost,
       .reference = "Rasmussen and Williams 2006, eq. 4.14; Le, Sarlos and Smola 2013, section 4.4",
       .accuracy = kAccuracy,
       .fixed = "",
       .keys = keys_with({"kernel.nu", "kernel.learn_shape", "kernel.isotropic"}),
       .recipe = R"({"model": "matern", "features": {"frequencies": 256}, "kernel": {"nu": 1.5}, "copies": 3})"},
      make_radial<matern>,
      load_radial<matern>};
}

FeatureMapEntry rational_quadratic_entry() {
  return {{.name = "rq",
           .description = "Rational quadratic kernel, whose alpha is learned (alpha = 1: Cauchy).",
           .formula = "k(x, x') = v^2 (1 + r^2 / (2 alpha))^-alpha, r = |(x - x') ./ lengthscale|;\nfrequencies are "
                      "normal times sqrt(g / alpha), g of Gamma(alpha, 1)",
           .cost = kCost,
           .reference = "Rasmussen and Williams 2006, eq. 4.19",
           .accuracy = kAccuracy,
           .fixed = "",
           .keys = keys_with({"kernel.alpha", "kernel.learn_shape", "kernel.isotropic"}),
           .recipe = R"({"model": "rq", "features": {"frequencies": 256}, "kernel": {"alpha": 1}, "copies": 3})"},
          make_radial<rational_quadratic>,
          load_radial<rational_quadratic>};
}

FeatureMapEntry laplace_entry() {
  return {{.name = "laplace",
           .description = "Laplace kernel of the sum of absolute differences, on dense frequencies.",
           .formula = "k(x, x') = v^2 exp(-sum_j |x_j - x'_j| / lengthscale_j);\nfrequencies have independent Cauchy "
                      "coordinates (no longer than 100 / lengthscale)",
           .cost = kDenseCost,
           .reference = "Rahimi and Recht 2007, figure 1",
           .accuracy = kDenseAccuracy,
           .fixed = "",
           .keys = keys_with({"kernel.isotropic"}),
           .recipe = R"({"model": "laplace", "features": {"draws": "gaussian", "frequencies": 256}, "copies": 3})"},
          make_radial<laplace>,
          load_radial<laplace>};
}

FeatureMapEntry ball_entry() {
  return {
      {.name = "ball",
       .description = "Kernel whose frequencies are sums of points of the unit ball (the Matern of Fastfood's paper).",
       .formula = "k(x, x') = v^2 b(r)^t, b the Fourier transform of the uniform law of the unit ball of R^d, r = "
                  "|(x - x') ./ lengthscale|",
       .cost = kCost,
       .reference = "Le, Sarlos and Smola 2013, eq. 37",
       .accuracy = kAccuracy,
       .fixed = "kernel.balls stays what the recipe says",
       .keys = keys_with({"kernel.balls", "kernel.isotropic"}),
       .recipe = R"({"model": "ball", "features": {"frequencies": 256}, "kernel": {"balls": 10}, "copies": 3})"},
      make_radial<ball>,
      load_radial<ball>};
}

FeatureMapEntry listed_entry() {
  return {{.name = "radial",
           .description = "Kernel whose frequencies have lengths of a law that the recipe lists by its quantiles.",
           .formula = "k(x, x') = v^2 E cos(s u.((x - x') ./ lengthscale)), u uniform on the sphere of R^d, s by "
                      "kernel.quantiles at equally spaced levels, linear between",
           .cost = kCost,
           .reference = "Le, Sarlos and Smola 2013, section 4.4",
           .accuracy = kAccuracy,
           .fixed = "kernel.quantiles stay what the recipe says",
           .keys = keys_with({"kernel.quantiles", "kernel.isotropic"}),
           .recipe = R"({"model": "radial", "features": {"frequencies": 256},
 "kernel": {"quantiles": [0, 1.5, 2, 2.5, 3, 4]}, "copies": 3})"},
          make_radial<listed>,
          load_radial<listed>};
}

}  // namespace alacarte
