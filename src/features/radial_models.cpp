// The models of radial_map.hpp: the laws of their frequencies, and their descriptions.
#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "features/radial_map.hpp"
#include "spectrum/radial.hpp"

namespace alacarte {
namespace {

/// Fixed lengths (m), no parameter. mean_square: expected squared length under their law.
class FixedLengths final : public RadialParameters {
 public:
  FixedLengths(Vector lengths, double mean_square) : lengths_(std::move(lengths)), mean_square_(mean_square) {}
  void add_slots(ParameterLayout&, const std::string&) override {}
  void start(double, VecRef) const override {}
  bool learned() const override { return false; }
  Vector lengths(ConstVec) const override { return lengths_; }
  void pullback(ConstVec, ConstVec, ConstVec, VecRef) const override {}
  double mean_square(ConstVec) const override { return mean_square_; }
  RadialDescription describe(ConstVec) const override { return {}; }

 private:
  Vector lengths_;
  double mean_square_;
};

/// Scales of a Gaussian scale mixture at quantile levels (m) in (0, 1), with the slot "log_nu" or "log_alpha": trained
/// if `learned`, else fixed at log(shape).
class GammaScales final : public RadialParameters {
 public:
  GammaScales(GammaScale::Kind kind, ConstVec levels, double shape, bool learned)
      : law_(kind, levels),
        name_(kind == GammaScale::Kind::matern ? "nu" : "alpha"),
        log_shape_(std::log(shape)),
        learned_(learned) {}

  // Adds bounds that include every shape that a recipe may set.
  void add_slots(ParameterLayout& layout, const std::string& prefix) override {
    at_ = layout.add({.name = prefix + "log_" + name_,
                      .trainable = learned_,
                      .prior = {ParameterPrior::Kind::normal, Vector::Constant(1, log_shape_), 1},
                      .lower = -3.3,
                      .upper = 7.2});
  }
  void start(double, VecRef theta) const override { theta[at_] = log_shape_; }
  bool learned() const override { return learned_; }
  Vector lengths(ConstVec theta) const override { return law_.scales(std::exp(theta[at_])); }
  void pullback(ConstVec theta, ConstVec lengths, ConstVec length_bar, VecRef theta_bar) const override {
    theta_bar[at_] += length_bar.cwiseProduct(lengths).dot(law_.slopes(std::exp(theta[at_]), lengths));
  }
  // Uses that of the Gaussian rows: Matern's is infinite up to nu = 1, where 1 / length-scale still measures the decay.
  double mean_square(ConstVec) const override { return 1; }
  RadialDescription describe(ConstVec theta) const override {
    const double shape = std::exp(theta[at_]);
    return name_ == "nu" ? RadialDescription{.nu = shape} : RadialDescription{.alpha = shape};
  }

 private:
  GammaScale law_;
  std::string name_;
  double log_shape_;
  bool learned_;
  Index at_ = 0;
};

using Law = std::unique_ptr<RadialParameters>;
using Kept = RadialModel::Kept;

Law unscaled(const Recipe& recipe, Index, ConstVec) {
  return std::make_unique<FixedLengths>(Vector::Ones(recipe.features.frequencies), 1);
}

Law matern_law(const Recipe& recipe, Index, ConstVec levels) {
  return std::make_unique<GammaScales>(GammaScale::Kind::matern, levels, recipe.kernel.nu, recipe.kernel.learn_shape);
}

Law rational_quadratic_law(const Recipe& recipe, Index, ConstVec levels) {
  return std::make_unique<GammaScales>(GammaScale::Kind::rational_quadratic, levels, recipe.kernel.alpha,
                                       recipe.kernel.learn_shape);
}

// Uses that a uniform point of the ball of R^d has mean square d / (d + 2), and points add.
Law ball_law(const Recipe& recipe, Index inputs, ConstVec lengths) {
  const auto d = static_cast<double>(inputs);
  return std::make_unique<FixedLengths>(lengths, static_cast<double>(recipe.kernel.balls) * d / (d + 2));
}

Law listed_law(const Recipe& recipe, Index, ConstVec levels) {
  const std::vector<double>& quantiles = recipe.kernel.quantiles;
  if (quantiles.size() < 2) throw ConfigError("/kernel/quantiles", "needs at least two quantiles, of levels 0 and 1");
  if (!std::is_sorted(quantiles.begin(), quantiles.end()) || !(quantiles.front() >= 0) || !(quantiles.back() > 0))
    throw ConfigError("/kernel/quantiles", "must not fall, begin at 0 or above, and end above 0");
  return std::make_unique<FixedLengths>(interpolated_quantiles(quantiles, levels), mean_square_of_quantiles(quantiles));
}

constexpr RadialModel kRbf{"rbf", RowLaw::gaussian, true, Kept::nothing, unscaled};
constexpr RadialModel kArd{"ard", RowLaw::gaussian, false, Kept::nothing, unscaled};
constexpr RadialModel kMatern{"matern", RowLaw::gaussian, false, Kept::levels, matern_law};
constexpr RadialModel kRationalQuadratic{"rq", RowLaw::gaussian, false, Kept::levels, rational_quadratic_law};
constexpr RadialModel kLaplace{"laplace", RowLaw::cauchy, false, Kept::nothing, unscaled};
constexpr RadialModel kBall{"ball", RowLaw::unit, false, Kept::lengths, ball_law};
constexpr RadialModel kListed{"radial", RowLaw::unit, false, Kept::levels, listed_law};

constexpr const char* kPair =
    "psi(x) = v / sqrt(m) [cos u, sin u] (phase pair)\nthe complex map z'(x) = v / sqrt(m) exp(i u) (Sivertsen 2014, "
    "eq. 2.13) is the same estimate: psi(x).psi(x') is the real part of z'(x)^T conj(z'(x'))";
constexpr const char* kCost =
    "features n m log d (draws fastfood, fft) or n m d (the others), up to half as much again with phase offset; D = 2 "
    "m (pair) or m (offset);\nhashed makes its rows anew for each chunk: as long as the features of some 400 rows;\n"
    "memory of a chunk of features, and 13 m numbers for fastfood, 7 m for fft, 3 m for hashed, 3 m d for gaussian, "
    "orthogonal and sobol draws;\northogonal takes d^3 to draw, and d^2 numbers while it does, whatever m is";
constexpr const char* kDenseCost =
    "features n m d, up to half as much again with phase offset; D = 2 m (pair) or m (offset);\nmemory of a chunk of "
    "features, and 3 m d numbers for gaussian and sobol draws, 3 m for hashed";
constexpr const char* kDenseAccuracy =
    "unbiased but for the limit on lengths, with standard deviation of order v^2 / sqrt(m), less with sobol draws; "
    "normalized is biased";
constexpr const char* kAccuracy =
    "unbiased, with standard deviation of order v^2 / sqrt(m), less with orthogonal and sobol draws; draws fft are "
    "biased, and so is normalized";

/// Adds keys common to all models here to its own; cost and accuracy are those of most.
template <const RadialModel& kModel>
FeatureMapEntry radial_entry(ModelInfo info) {
  info.name = kModel.name;
  info.keys.insert(info.keys.begin(),
                   {"features.draws", "features.phase", "features.normalized", "features.frequencies"});
  if (info.cost.empty()) info.cost = kCost;
  if (info.accuracy.empty()) info.accuracy = kAccuracy;
  return {std::move(info),
          [](const Recipe& recipe, Index inputs, const RandomStreams& streams, const TrainingStatistics&) {
            return make_radial_map(kModel, recipe, inputs, streams);
          },
          [](const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
            return load_radial_map(kModel, recipe, inputs, bundle, prefix);
          }};
}

}  // namespace

FeatureMapEntry rbf_entry() {
  return radial_entry<kRbf>({.description = "Gaussian kernel with one length-scale.",
                             .formula = std::string("k(x, x') = v^2 exp(-|x - x'|^2 / (2 lengthscale^2));  ") + kPair,
                             .reference = "Le, Sarlos and Smola 2013, section 3; Rahimi and Recht 2007",
                             .recipe = R"({"model": "rbf", "features": {"frequencies": 256}, "copies": 3})"});
}

FeatureMapEntry ard_entry() {
  return radial_entry<kArd>(
      {.description = "Gaussian kernel with one length-scale for each input.",
       .formula = std::string("k(x, x') = v^2 exp(-r^2 / 2), r = |(x - x') ./ lengthscale|;  ") + kPair,
       .reference = "Le, Sarlos and Smola 2013, section 3; Yang et al. 2015, section 4",
       .recipe = R"({"model": "ard", "features": {"frequencies": 256}, "copies": 3})"});
}

FeatureMapEntry matern_entry() {
  return radial_entry<kMatern>(
      {.description =
           "Matern kernel of any smoothness nu, which is learned, with one length-scale for each input (or for all).",
       .formula =
           "k(x, x') = v^2 2^(1-nu) / Gamma(nu) z^nu K_nu(z), z = sqrt(2 nu) r, r = |(x - x') ./ "
           "lengthscale|;\nfrequencies are normal times sqrt(nu / g), g of Gamma(nu, 1), that root no larger than 100",
       .reference = "Rasmussen and Williams 2006, eq. 4.14; Le, Sarlos and Smola 2013, section 4.4",
       .accuracy = std::string(kAccuracy) +
                   ";\nof nu below 1 the limit of 100 tells: at r = 0.3 the kernel is 0.747 for 0.741 of nu 0.5, 0.62 "
                   "for 0.57 of nu 0.25",
       .keys = {"kernel.nu", "kernel.learn_shape", "kernel.isotropic"},
       .recipe = R"({"model": "matern", "features": {"frequencies": 256}, "kernel": {"nu": 1.5}, "copies": 3})"});
}

FeatureMapEntry rational_quadratic_entry() {
  return radial_entry<kRationalQuadratic>(
      {.description = "Rational quadratic kernel, whose alpha is learned (alpha = 1: Cauchy).",
       .formula = "k(x, x') = v^2 (1 + r^2 / (2 alpha))^-alpha, r = |(x - x') ./ lengthscale|;\nfrequencies are "
                  "normal times sqrt(g / alpha), g of Gamma(alpha, 1)",
       .reference = "Rasmussen and Williams 2006, eq. 4.19",
       .keys = {"kernel.alpha", "kernel.learn_shape", "kernel.isotropic"},
       .recipe = R"({"model": "rq", "features": {"frequencies": 256}, "kernel": {"alpha": 1}, "copies": 3})"});
}

FeatureMapEntry laplace_entry() {
  return radial_entry<kLaplace>(
      {.description = "Laplace kernel of the sum of absolute differences, on dense frequencies.",
       .formula = "k(x, x') = v^2 exp(-sum_j |x_j - x'_j| / lengthscale_j);\nfrequencies have independent Cauchy "
                  "coordinates (no longer than 100 / lengthscale)",
       .cost = kDenseCost,
       .reference = "Rahimi and Recht 2007, figure 1",
       .accuracy = kDenseAccuracy,
       .keys = {"kernel.isotropic"},
       .recipe = R"({"model": "laplace", "features": {"draws": "gaussian", "frequencies": 256}, "copies": 3})"});
}

FeatureMapEntry ball_entry() {
  return radial_entry<kBall>(
      {.description = "Kernel whose frequencies are sums of points of the unit ball (the Matern of Fastfood's paper).",
       .formula = "k(x, x') = v^2 b(r)^t, b the Fourier transform of the uniform law of the unit ball of R^d, r = "
                  "|(x - x') ./ lengthscale|",
       .reference = "Le, Sarlos and Smola 2013, eq. 37",
       .fixed = "kernel.balls stays what the recipe says",
       .keys = {"kernel.balls", "kernel.isotropic"},
       .recipe = R"({"model": "ball", "features": {"frequencies": 256}, "kernel": {"balls": 10}, "copies": 3})"});
}

FeatureMapEntry listed_entry() {
  return radial_entry<kListed>(
      {.description = "Kernel whose frequencies have lengths of a law that the recipe lists by its quantiles.",
       .formula = "k(x, x') = v^2 E cos(s u.((x - x') ./ lengthscale)), u uniform on the sphere of R^d, s by "
                  "kernel.quantiles at equally spaced levels, linear between",
       .reference = "Le, Sarlos and Smola 2013, section 4.4",
       .fixed = "kernel.quantiles stay what the recipe says",
       .keys = {"kernel.quantiles", "kernel.isotropic"},
       .recipe = R"({"model": "radial", "features": {"frequencies": 256},
 "kernel": {"quantiles": [0, 1.5, 2, 2.5, 3, 4]}, "copies": 3})"});
}

}  // namespace alacarte
