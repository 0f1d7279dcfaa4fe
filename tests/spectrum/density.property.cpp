#include "spectrum/density.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "alacarte/core/random.hpp"

namespace alacarte {
namespace {

using boost::math::quadrature::gauss_kronrod;

/// Integrates a density over the positive numbers, piecewise between the points it names.
template <class Density>
double mass(const std::vector<double>& grid, Density&& density) {
  double sum = 0, from = 0;
  for (const double to : grid) {
    sum += gauss_kronrod<double, 31>::integrate(density, from, to, 5, 1e-9);
    from = to;
  }
  return sum + gauss_kronrod<double, 61>::integrate(density, from, std::numeric_limits<double>::infinity(), 10, 1e-9);
}

const NamedValues kRbf = {{"rbf.log_amplitude", {0.3}}, {"rbf.log_lengthscale", {-0.7}}};
const NamedValues kArd = {{"ard.log_amplitude", {0.3}}, {"ard.log_lengthscale", {-0.7, 2, 9}}};
const NamedValues kMatern = {{"matern.log_amplitude", {-1}}, {"matern.log_lengthscale", {0, 1, 2}}};
const NamedValues kMixture = {
    {"gm[0].log_amplitude", {0.1}},           {"gm[0].log_lengthscale", {0.2, 1, 5}},
    {"gm[0].mean_frequency", {3, 0, 9}},      {"gm[1].log_amplitude", {-400}},  // its square underflows
    {"gm[1].log_lengthscale", {0, 0, 0}},     {"gm[1].mean_frequency", {1, 1, 1}},
    {"gm[2].log_amplitude", {0.5}},           {"gm[2].log_lengthscale", {-1, 3, 0}},
    {"gm[2].mean_frequency", {1e-4, 0.5, -2}}};
const NamedValues kOneHat = {{"pwl[0].log_amplitude", {0.1}}, {"pwl[0].log_lengthscale", {0.2, 1, 5}},
                             {"pwl[0].log_mu", {0.4}},        {"pwl[0].log_sigma", {0.1}},
                             {"pwl[1].log_amplitude", {0.2}}, {"pwl[1].log_lengthscale", {-1, 1, 2}},
                             {"pwl[1].log_mu", {-3.0}},       {"pwl[1].log_sigma", {-8.0}}};
const NamedValues kKnots = {{"pwl[0].log_amplitude", {0.1}},
                            {"pwl[0].log_lengthscale", {0.2, 1, 5}},
                            {"pwl[0].log_knot_increment", {0.3, -1, 0.2, 0.5}},
                            {"pwl[0].weight_logit", {0.1, 1, -1}}};

TEST(Densities, IntegrateToOne) {
  for (const NamedValues& values : {kRbf, kArd, kMatern, kMixture, kOneHat, kKnots}) {
    const auto spectrum = learned_spectrum(values, 3, 1.5);
    ASSERT_NE(spectrum, nullptr);
    const std::string name = values.begin()->first;
    EXPECT_NEAR(mass(spectrum->radial_grid(), [&](double r) { return spectrum->radial(r); }), 1, 1e-5) << name;
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(mass(spectrum->marginal_grid(j), [&](double w) { return spectrum->marginal(j, w); }), 1, 1e-4)
          << name << " input " << j;
  }
}

// Charts show straight lines between the points of the grid, over the logarithm.
TEST(Densities, GridsHoldWhatThereIs) {
  for (const NamedValues& values : {kRbf, kArd, kMatern, kMixture, kOneHat, kKnots}) {
    const auto spectrum = learned_spectrum(values, 3, 1.5);
    const auto trapezium = [](const std::vector<double>& grid, auto&& density) {
      double sum = 0;
      for (std::size_t i = 1; i < grid.size(); ++i)
        sum +=
            0.5 * std::log(grid[i] / grid[i - 1]) * (grid[i] * density(grid[i]) + grid[i - 1] * density(grid[i - 1]));
      return sum;
    };
    const std::string name = values.begin()->first;
    EXPECT_NEAR(trapezium(spectrum->radial_grid(), [&](double r) { return spectrum->radial(r); }), 1, 0.03) << name;
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(trapezium(spectrum->marginal_grid(j), [&](double w) { return spectrum->marginal(j, w); }), 1, 0.03)
          << name << " input " << j;
  }
}

TEST(Densities, OneInputIsItsOwnRadius) {
  const NamedValues hat = {{"pwl[0].log_amplitude", {0}},
                           {"pwl[0].log_lengthscale", {std::log(2.0)}},
                           {"pwl[0].log_mu", {0}},
                           {"pwl[0].log_sigma", {0}}};
  const auto spectrum = learned_spectrum(hat, 1, 1.5);
  EXPECT_NEAR(spectrum->radial(1.5), 0.5, 1e-12);  // the hat rises from 1 to the height 1 at 2
  EXPECT_NEAR(spectrum->marginal(0, 0.75), 2 * 0.5, 1e-12);
}

TEST(Densities, MaternOfOneInputIsStudents) {
  // nu = 1/2 gives the Cauchy law of exp(-|x| / l).
  const auto spectrum =
      learned_spectrum({{"matern.log_amplitude", {1}}, {"matern.log_lengthscale", {std::log(0.5)}}}, 1, 0.5);
  const double pi = std::acos(-1.0);
  EXPECT_NEAR(spectrum->marginal(0, 3), 2 / pi * 0.5 / (1 + 2.25), 1e-12);
  EXPECT_NEAR(spectrum->radial(1.5), 2 / pi / (1 + 2.25), 1e-9);
  EXPECT_NEAR(spectrum->radial(0), 2 / pi, 1e-12);
}

TEST(Densities, OfOneInputIsFiniteAtNothing) {
  const auto gaussian = learned_spectrum({{"ard.log_amplitude", {1}}, {"ard.log_lengthscale", {0}}}, 1, 1.5);
  EXPECT_NEAR(gaussian->radial(0), std::sqrt(2 / std::acos(-1.0)), 1e-12);
  EXPECT_NEAR(gaussian->radial(1e-9), gaussian->radial(0), 1e-9);
}

TEST(Densities, OnlyWhatIsWholeHasASpectrum) {
  EXPECT_EQ(learned_spectrum({}, 3, 1.5), nullptr);
  EXPECT_EQ(learned_spectrum({{"linear.log_amplitude", {0}}}, 3, 1.5), nullptr);
  EXPECT_EQ(learned_spectrum({{"ssgpr.log_amplitude", {0}}, {"ssgpr.log_lengthscale", {0, 0, 0}}}, 3, 1.5), nullptr);
  NamedValues missing = kMixture, bad = kMixture, wrong = kMixture;
  missing.erase("gm[0].mean_frequency");
  EXPECT_EQ(learned_spectrum(missing, 3, 1.5), nullptr);
  bad["gm[2].log_lengthscale"][1] = std::nan("");
  EXPECT_EQ(learned_spectrum(bad, 3, 1.5), nullptr);
  wrong["gm[2].log_lengthscale"] = {1, 2};
  EXPECT_THROW(learned_spectrum(wrong, 3, 1.5), std::invalid_argument);
}

TEST(Densities, OfSamplesFollowTheirLaw) {
  RandomStream stream(7);
  const Index m = 4000;
  Matrix rows(m, 2);
  for (Index i = 0; i < rows.size(); ++i) rows.data()[i] = stream.normal();
  const auto spectrum = sampled_spectrum(rows, Vector::Constant(m, 1.0 / m), Vector::Ones(2));
  const auto exact = learned_spectrum({{"rbf.log_amplitude", {0}}, {"rbf.log_lengthscale", {0}}}, 2, 1.5);
  EXPECT_NEAR(mass(spectrum->radial_grid(), [&](double r) { return spectrum->radial(r); }), 1, 1e-5);
  EXPECT_NEAR(mass(spectrum->marginal_grid(1), [&](double w) { return spectrum->marginal(1, w); }), 1, 1e-5);
  // With width 0.9 sd m^(-1/5) = 0.12 in the logarithm, a density near 0.5 has a standard error of about 0.02.
  for (const double at : {0.5, 1.0, 2.0}) {
    EXPECT_NEAR(spectrum->radial(at), exact->radial(at), 0.07) << at;
    EXPECT_NEAR(spectrum->marginal(0, at), exact->marginal(0, at), 0.1) << at;
  }
}

}  // namespace
}  // namespace alacarte
