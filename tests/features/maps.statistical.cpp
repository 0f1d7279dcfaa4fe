// Convergence of the features to their kernels. Seeds are fixed, so results are reproducible; each bound is five
// standard errors, which a single number exceeds by chance in one of 1.7 million seeds.
#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "features/maps_under_test.hpp"
#include "spectrum/density.hpp"
#include "spectrum/radial.hpp"

namespace alacarte {
namespace {

MapCase case_of(const std::string& label, Index frequencies) {
  for (const MapCase& c : map_cases(frequencies))
    if (c.label == label) return c;
  throw std::invalid_argument(label);
}

/// Returns the characteristic function at r of a uniform point of the sphere of R^d, and of its ball.
double of_sphere(double d, double r) {
  return std::tgamma(d / 2) * std::pow(2 / r, d / 2 - 1) * std::cyl_bessel_j(d / 2 - 1, r);
}
double of_ball(double d, double r) { return of_sphere(d + 2, r); }

/// Returns kernels of scaled distances that are not Gaussian: closed forms, and a quadrature for a list of quantiles.
std::optional<double> other_kernel(const FeatureMap& map, const std::string& name, ConstVec theta,
                                   const Vector& delta) {
  const auto& layout = map.parameters();
  const auto value = [&](const std::string& slot) { return std::exp(theta[layout.find(name + "." + slot).offset]); };
  if (name == "gm" || !layout.contains(name + ".log_lengthscale")) return {};
  const Index at = layout.find(name + ".log_lengthscale").offset, d = delta.size();
  if (layout.find(name + ".log_lengthscale").size != d) return {};
  const Vector scaled = delta.cwiseQuotient(theta.segment(at, d).array().exp().matrix());
  const double r = scaled.norm(), power = std::pow(value("log_amplitude"), 2);
  if (name == "laplace") {  // without the tails, the rest of each coordinate's law weighs more
    const double share = 2 * std::atan(kMaxScale) / std::numbers::pi;
    return power * std::exp(-scaled.lpNorm<1>()) / std::pow(share, d);
  }
  if (name == "rq") return power * std::pow(1 + r * r / (2 * value("log_alpha")), -value("log_alpha"));
  if (name == "matern") {
    const double nu = value("log_nu"), z = std::sqrt(2 * nu) * r;
    return power * std::pow(2, 1 - nu) / std::tgamma(nu) * std::pow(z, nu) * std::cyl_bessel_k(nu, z);
  }
  const Recipe recipe = example_recipe(name, 16);
  if (name == "ball") return power * std::pow(of_ball(static_cast<double>(d), r), recipe.kernel.balls);
  if (name != "radial") return {};
  constexpr Index kLevels = 200;
  const Vector levels = (Vector::LinSpaced(kLevels, 0, kLevels - 1).array() + 0.5) / kLevels;
  double sum = 0;
  for (const double s : interpolated_quantiles(recipe.kernel.quantiles, levels))
    sum += of_sphere(static_cast<double>(d), s * r);
  return power * sum / kLevels;
}

double kernel_of(const FeatureMap& map, const std::string& name, ConstVec theta, const Vector& delta) {
  const auto& layout = map.parameters();
  const auto entries = [&](const std::string& slot) {
    const ParameterSlot& found = layout.find(slot);
    return Vector(theta.segment(found.offset, found.size));
  };
  const auto gaussian = [&](const Vector& log_scale, double log_amplitude) {
    const Vector scale = log_scale.size() == 1 ? Vector::Constant(delta.size(), log_scale[0]) : log_scale;
    const double square = delta.cwiseQuotient(scale.array().exp().matrix()).squaredNorm();
    return std::exp(2 * log_amplitude - 0.5 * square);
  };
  if (const auto other = other_kernel(map, name, theta, delta)) return *other;
  if (name != "gm") return gaussian(entries(name + ".log_lengthscale"), entries(name + ".log_amplitude")[0]);
  double sum = 0;
  for (const std::string q : {"gm[0].", "gm[1]."}) {
    const Vector scale = entries(q + "log_lengthscale").array().exp();
    const double phase = delta.cwiseQuotient(scale).dot(entries(q + "mean_frequency"));
    sum += gaussian(entries(q + "log_lengthscale"), entries(q + "log_amplitude")[0]) * std::cos(phase);
  }
  return sum;
}

TEST(MapStatistics, UnbiasedWithinFiveStandardErrors) {
  // d = 5 is padded to 8; with chi(d) lengths instead of chi(l) this fails by many standard errors.
  const Index d = 5, seeds = 1500;
  for (const std::string label : {"rbf",
                                  "ard",
                                  "gm",
                                  "ard_gaussian",
                                  "fsard",
                                  "ssgpr",
                                  "ard_orthogonal",
                                  "ard_sobol",
                                  "ard_hashed",
                                  "ard_offset",
                                  "matern",
                                  "matern_gaussian",
                                  "matern_sobol",
                                  "matern_hashed",
                                  "matern_hashed_offset",
                                  "rq",
                                  "rq_orthogonal",
                                  "laplace",
                                  "laplace_sobol",
                                  "laplace_hashed",
                                  "ball",
                                  "ball_gaussian",
                                  "ball_orthogonal",
                                  "ball_hashed",
                                  "radial",
                                  "radial_sobol",
                                  "radial_hashed"}) {
    const MapCase c = case_of(label, 16);
    const Matrix x = 0.8 * normal_matrix(6, d, 1);
    Matrix sum = Matrix::Zero(6, 6), square = Matrix::Zero(6, 6), exact(6, 6);
    for (Index seed = 0; seed < seeds; ++seed) {
      const auto map = make_map(c, d, 1000 + static_cast<std::uint64_t>(seed));
      RandomStream stream(2);
      Vector theta = map->start(small_statistics(d), 1, stream);
      for (const ParameterSlot& slot : map->parameters().slots())  // slots that are not draws
        if (slot.name.find("frequency") != std::string::npos && c.name == "gm")
          theta.segment(slot.offset, slot.size) = Vector::LinSpaced(slot.size, -0.8, 0.7);
      const Matrix psi = features(*map, theta, x);
      const Matrix k = psi * psi.transpose();
      sum += k;
      square += k.cwiseProduct(k);
      for (Index i = 0; seed == 0 && i < 6; ++i)
        for (Index j = 0; j < 6; ++j) exact(i, j) = kernel_of(*map, c.name, theta, x.row(i) - x.row(j));
    }
    const Matrix mean = sum / seeds, variance = square / seeds - mean.cwiseProduct(mean);
    for (Index i = 0; i < 6; ++i)
      for (Index j = 0; j < i; ++j)
        EXPECT_LT(std::abs(mean(i, j) - exact(i, j)), 5 * std::sqrt(variance(i, j) / seeds)) << label;
  }
}

double rms_error(const std::string& label, Index frequencies, Index seeds) {
  const Index d = 6;
  const Matrix x = normal_matrix(12, d, 3);
  double sum = 0;
  for (Index seed = 0; seed < seeds; ++seed) {
    const MapCase c = case_of(label, frequencies);
    const auto map = make_map(c, d, 50 + static_cast<std::uint64_t>(seed));
    RandomStream stream(2);
    const Vector theta = map->start(small_statistics(d), 1, stream);
    const Matrix psi = features(*map, theta, x);
    const Matrix k = psi * psi.transpose();
    for (Index i = 0; i < 12; ++i)
      for (Index j = 0; j < i; ++j) sum += std::pow(k(i, j) - kernel_of(*map, c.name, theta, x.row(i) - x.row(j)), 2);
  }
  return std::sqrt(sum / (66.0 * static_cast<double>(seeds)));
}

// The rms over 66 pairs and 60 seeds has a relative standard error <= 1/sqrt(2 * 60), so the slope over a factor of 64
// has 0.03.
TEST(MapStatistics, ErrorFallsAsTheInverseRootOfTheFrequencies) {
  for (const std::string label : {"rbf", "ard", "gm", "ard_gaussian", "ard_hashed", "ard_offset",
                                  "ard_offset_normalized", "matern", "rq", "laplace", "ball", "radial"}) {
    const double slope = std::log(rms_error(label, 1024, 60) / rms_error(label, 16, 60)) / std::log(64.0);
    EXPECT_NEAR(slope, -0.5, 0.15) << label;
  }
}

TEST(MapStatistics, FastfoodIsAsAccurateAsDenseFrequencies) {
  const double fastfood = rms_error("ard", 256, 100), dense = rms_error("ard_gaussian", 256, 100);
  EXPECT_LT(fastfood, 1.3 * dense);
  EXPECT_GT(fastfood, 0.3 * dense);
}

TEST(MapStatistics, EvenDrawsAreMoreAccurateThanIndependentOnes) {
  const double dense = rms_error("ard_gaussian", 256, 100);
  EXPECT_LT(rms_error("ard_sobol", 256, 100), 0.8 * dense);
  EXPECT_LT(rms_error("ard_orthogonal", 256, 100), dense);
  // one feature per frequency instead of two
  EXPECT_GT(rms_error("ard_offset", 256, 100), 1.1 * rms_error("ard", 256, 100));
}

// pwl's kernel has no closed form, but its curvature at 0 is the second moment of the frequencies, which describe()
// states.
TEST(MapStatistics, RelevanceIsTheRootMeanSquareFrequency) {
  const Index d = 3;
  const double h = 1e-3;
  for (const std::string label :
       {"rbf", "ard", "gm", "pwl", "pwl_knots", "fsard", "fsgbard", "ssgpr", "ball", "radial"}) {
    const MapCase c = case_of(label, 8192);
    const auto map = make_map(c, d);
    RandomStream stream(4);
    const Vector theta = map->start(small_statistics(d), 1, stream);
    const auto report = map->describe(theta);
    const double power = std::pow(report.amplitude, 2);
    for (Index j = 0; j < d; ++j) {
      const double relevance = report.relevance[j];
      Matrix x = Matrix::Zero(2, d);
      x(1, j) = h / relevance;
      const Matrix psi = features(*map, theta, x);
      const double curvature = (psi.row(0) - psi.row(1)).squaredNorm() / (h * h * power);
      // omega² of a Gaussian coordinate has relative standard deviation sqrt(2): sqrt(2 / 8192) = 0.016.
      EXPECT_NEAR(curvature, 1, 5 * 0.016) << label << " input " << j;
    }
  }
}

NamedValues named(const FeatureMap& map, ConstVec theta) {
  NamedValues values;
  for (const ParameterSlot& slot : map.parameters().slots()) {
    const Vector part = theta.segment(slot.offset, slot.size);
    values[slot.name] = {part.data(), part.data() + part.size()};
  }
  return values;
}

/// Returns the share of the frequencies whose value is below `at`.
double share_below(const Vector& values, const Vector& shares, double at) {
  return (values.array() < at).select(shares, 0.0).sum();
}

// The densities of spectrum/density.hpp know parameters by name only; the maps draw the frequencies. Rows of a Fastfood
// block are dependent, which the bound of five standard errors of m independent ones allows for.
TEST(MapStatistics, DrawnFrequenciesFollowTheDensities) {
  const Index d = 4, m = 4096;  // d = l, so that lengths over the inputs follow pwl's law
  for (const std::string label : {"rbf", "ard", "ard_gaussian", "ard_orthogonal", "ard_sobol", "ard_hashed", "gm",
                                  "pwl", "pwl_knots", "matern", "matern_hashed"}) {
    const MapCase c = case_of(label, m);
    const auto map = make_map(c, d);
    Vector theta = test_theta(*map);
    for (const ParameterSlot& slot : map->parameters().slots()) {
      if (slot.name.find("mean_frequency") != std::string::npos)
        theta.segment(slot.offset, slot.size) = Vector::LinSpaced(slot.size, -2, 3);
      // One scale for all inputs makes a length in its unit one number.
      if (slot.name.find("log_lengthscale") != std::string::npos)
        theta.segment(slot.offset, slot.size).setConstant(0.4);
    }
    const FrequencyRows drawn = map->frequencies(theta);
    EXPECT_NEAR(drawn.shares.sum(), 1, 1e-12) << label;
    const auto spectrum = learned_spectrum(named(*map, theta), d, 1.5);
    ASSERT_NE(spectrum, nullptr) << label;
    const auto compare = [&](const Vector& values, const std::vector<double>& grid, auto&& density, const char* what) {
      double below = 0, from = 0;
      for (const double to : grid) {
        below += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(density, from, to, 5, 1e-9);
        from = to;
        EXPECT_NEAR(share_below(values, drawn.shares, to), below, 5 * std::sqrt(0.25 / m)) << label << what << to;
      }
    };
    compare(
        drawn.rows.rowwise().norm() * std::exp(0.4), spectrum->radial_grid(),
        [&](double r) { return spectrum->radial(r); }, " length ");
    for (Index j = 0; j < d; ++j)
      compare(
          drawn.rows.col(j).cwiseAbs(), spectrum->marginal_grid(j), [&](double w) { return spectrum->marginal(j, w); },
          " frequency ");
  }
}

// describe() names the frequencies that the features use.
TEST(MapStatistics, NamedFrequenciesAreThoseOfTheFeatures) {
  const Index d = 3;
  for (const MapCase& c : map_cases(16)) {
    const auto map = make_map(c, d);
    const Vector theta = test_theta(*map);
    const FrequencyRows named = map->frequencies(theta);
    EXPECT_EQ(named.rows.rows() > 0, c.waves) << c.label;
    if (!c.waves || !c.pairs) continue;  // offsets satisfy this only in the mean
    const Matrix x = normal_matrix(2, d, 9);
    const Matrix psi = features(*map, theta, x);
    const double power = psi.row(0).squaredNorm();
    const Vector phases = named.rows * (x.row(0) - x.row(1)).transpose();
    EXPECT_NEAR(psi.row(0).dot(psi.row(1)), power * named.shares.dot(phases.array().cos().matrix()), 1e-9 * power)
        << c.label;
  }
}

}  // namespace
}  // namespace alacarte
