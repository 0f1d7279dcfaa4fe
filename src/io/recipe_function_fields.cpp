// Fields of the sections features and kernel; each model uses those that its ModelInfo::keys lists.
#include "recipe_fields.hpp"

namespace alacarte {
namespace {

// Feature maps and n x n matrices far beyond this do not fit any memory; the limit catches slips such as 1e9.
constexpr double kManyFeatures = 1 << 24;

void add_features(std::vector<RecipeField>& table) {
  const auto add = [&](const char* key, FieldPointer (*at)(Recipe&), double minimum, double maximum,
                       std::vector<std::string> choices, const char* doc) {
    table.push_back({"features", key, at, minimum, maximum, std::move(choices), {}, doc});
  };
  add(
      "draws", [](Recipe& r) -> FieldPointer { return &r.features.draws; }, 0, 0,
      {"fastfood", "fft", "gaussian", "orthogonal", "sobol", "hashed"},
      "where the directions of frequencies come from: Hadamard or Fourier products, dense independent rows, dense "
      "orthogonal blocks, a Sobol sequence, or rows made again from a hash in every pass and never stored");
  add(
      "phase", [](Recipe& r) -> FieldPointer { return &r.features.phase; }, 0, 0, {"pair", "offset"},
      "pair: cosine and sine of each phase, two features a frequency; offset: one cosine of the phase plus a fixed "
      "uniform angle");
  add(
      "normalized", [](Recipe& r) -> FieldPointer { return &r.features.normalized; }, 0, 0, {},
      "divide the features of each row by their own length; only with phase offset, the other has that length already");
  add(
      "frequencies", [](Recipe& r) -> FieldPointer { return &r.features.frequencies; }, 1, kManyFeatures, {},
      "how many random frequencies, for gm and pwl in each component");
  add(
      "components", [](Recipe& r) -> FieldPointer { return &r.features.components; }, 1, 1000, {},
      "components of the spectral mixture");
  add(
      "knots", [](Recipe& r) -> FieldPointer { return &r.features.knots; }, 0, 1000, {},
      "hats of the radial density: 0 = one of fixed shape, K > 0 = K on learned knots");
  add(
      "learn_lengthscale", [](Recipe& r) -> FieldPointer { return &r.features.learn_lengthscale; }, 0, 0, {},
      "learn length-scales, beside the frequencies of ssgpr; without them tensor-sketch takes the inputs as they are");
  add(
      "landmarks", [](Recipe& r) -> FieldPointer { return &r.features.landmarks; }, 0, 0,
      {"uniform", "kmeans", "leverage"},
      "how landmarks are taken from the training rows: by chance, as centres of clusters, or by leverage scores");
  add(
      "sketch", [](Recipe& r) -> FieldPointer { return &r.features.sketch; }, 1, kManyFeatures, {},
      "features of a sketch");
  add(
      "buckets", [](Recipe& r) -> FieldPointer { return &r.features.buckets; }, 0, 0, {"random", "balanced"},
      "of a sketch: hashed, or chosen so that products of inputs meet as rarely as possible, never while there are at "
      "least (inputs + 1)^degree features");
  add(
      "samples", [](Recipe& r) -> FieldPointer { return &r.features.samples; }, 1, kManyFeatures, {},
      "how many consistent samples of a row");
  add(
      "bits", [](Recipe& r) -> FieldPointer { return &r.features.bits; }, 1, 24, {},
      "lowest bits b kept of a sample, which makes 2^b features of it, or fewer of few inputs, one of them not 0");
  add(
      "code", [](Recipe& r) -> FieldPointer { return &r.features.code; }, 0, 0, {"zero-bit", "full"},
      "what those bits are of: the sampled coordinate alone, or with its level");
}

void add_kernel(std::vector<RecipeField>& table) {
  const auto add = [&](const char* key, FieldPointer (*at)(Recipe&), double minimum, double maximum, const char* doc) {
    table.push_back({"kernel", key, at, minimum, maximum, {}, {}, doc});
  };
  add(
      "isotropic", [](Recipe& r) -> FieldPointer { return &r.kernel.isotropic; }, 0, 0,
      "one length-scale for all inputs in place of one for each");
  add(
      "nu", [](Recipe& r) -> FieldPointer { return &r.kernel.nu; }, 0.05, 1000, "smoothness of the Matern kernel");
  add(
      "alpha", [](Recipe& r) -> FieldPointer { return &r.kernel.alpha; }, 0.05, 1000,
      "of the rational quadratic kernel (1 + r^2 / (2 alpha))^-alpha; 1 is the Cauchy kernel");
  add(
      "learn_shape", [](Recipe& r) -> FieldPointer { return &r.kernel.learn_shape; }, 0, 0,
      "learn nu or alpha from there; false = it stays");
  add(
      "degree", [](Recipe& r) -> FieldPointer { return &r.kernel.degree; }, 1, 100, "p of (x.x' + c)^p");
  add(
      "offset", [](Recipe& r) -> FieldPointer { return &r.kernel.offset; }, 0, 1e6, "c of (x.x' + c)^p");
  add(
      "balls", [](Recipe& r) -> FieldPointer { return &r.kernel.balls; }, 1, 10000,
      "how many uniform points of the unit ball sum to a frequency");
  add(
      "quantiles", [](Recipe& r) -> FieldPointer { return &r.kernel.quantiles; }, 0, 1e6,
      "of the length of a frequency in units of 1 / length-scale, at equally spaced levels from 0 to 1");
  add(
      "coefficients", [](Recipe& r) -> FieldPointer { return &r.kernel.coefficients; }, -1e9, 1e9,
      "of the expansion, from degree 0 on");
  add(
      "learn_coefficients", [](Recipe& r) -> FieldPointer { return &r.kernel.learn_coefficients; }, 0, 0,
      "learn the coefficients from there; false = they stay");
}

}  // namespace

void add_function_fields(std::vector<RecipeField>& table) {
  add_features(table);
  add_kernel(table);
}

}  // namespace alacarte
