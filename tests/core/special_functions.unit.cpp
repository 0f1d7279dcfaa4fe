#include "core/special_functions.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>

#include "core/sobol.hpp"

namespace alacarte {
namespace {

constexpr double kPi = std::numbers::pi;

// Reference values from tables and closed forms.
TEST(SpecialFunctions, HaveTheirKnownValues) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_cdf(1), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(normal_density(0), 1 / std::sqrt(2 * kPi), 1e-16);
  EXPECT_NEAR(log_gamma(0.5), 0.5 * std::log(kPi), 1e-15);
  EXPECT_NEAR(digamma(1), -std::numbers::egamma, 1e-15);
  EXPECT_NEAR(gamma_p(1, 2) + gamma_q(1, 2), 1, 1e-15);
  EXPECT_NEAR(gamma_q(1, 2), std::exp(-2), 1e-16);
  EXPECT_NEAR(gamma_p_inverse(1, 0.75), std::log(4), 1e-14);
  EXPECT_NEAR(bessel_k(0.5, 2), std::sqrt(kPi / 4) * std::exp(-2), 1e-16);
  EXPECT_TRUE(std::isinf(bessel_k(50, 1e-12)));
  EXPECT_NEAR(student_upper_tail(1, 1), 0.25, 1e-15);
  EXPECT_NEAR(chi_squared_upper_tail(2, 3), std::exp(-1.5), 1e-15);
  EXPECT_NEAR(student_density(1, 1), 0.5 / kPi, 1e-15);
  EXPECT_NEAR(student_quantile(1, 0.75), 1, 1e-14);
  EXPECT_NEAR(fisher_density(2, 2, 1), 0.25, 1e-15);
  EXPECT_NEAR(fisher_quantile(2, 2, 0.75), 3, 1e-13);
  EXPECT_NEAR(non_central_chi_squared_density(2, 0, 3), 0.5 * std::exp(-1.5), 1e-15);
}

// Boost is accurate near the middle; this far out its series are long.
TEST(SpecialFunctions, IncompleteGammasOfLargeShapesGoOnFromSmallerOnes) {
  for (const double shape : {1.5e5, 3e6})
    for (const double z : {-6.0, -2.0, -0.01, 0.0, 0.01, 1.0, 5.0}) {
      const double x = shape + z * std::sqrt(shape);
      EXPECT_NEAR(gamma_p(shape, x), boost::math::gamma_p(shape, x), 1e-8) << shape << ' ' << z;
      EXPECT_NEAR(gamma_q(shape, x), boost::math::gamma_q(shape, x), 1e-8) << shape << ' ' << z;
    }
  EXPECT_NEAR(gamma_p(1e12, 1e12 - 1.0 / 3), 0.5, 1e-10);  // the median
  EXPECT_EQ(gamma_p(1e12, 0.5e12), 0);
  EXPECT_EQ(gamma_q(1e12, 2e12), 0);
  EXPECT_EQ(gamma_q(1e12, 0.5e12), 1);
}

TEST(SpecialFunctions, IncompleteGammasOfSmallArgumentsAreOneAndNothing) {
  for (const double shape : {1754.0, 1755.0, 8001.0, 9e4}) {
    EXPECT_EQ(gamma_q(shape, 1e-11), 1) << shape;
    EXPECT_EQ(gamma_p(shape, 1e-11), 0) << shape;
  }
}

TEST(SpecialFunctions, RootsAreFoundInBracketsOfAnyLength) {
  // A function that is flat except for a step of width 1 in a bracket of 1e26.
  const auto step = [](double x) { return normal_cdf(x - 3) - 0.7; };
  EXPECT_NEAR(find_root(step, -1e26, 1.3e26, -0.7, 0.3), 3 + normal_quantile(0.7), 1e-9);
}

TEST(SpecialFunctions, IntegrateAndFindRoots) {
  EXPECT_NEAR(integrate([](double x) { return std::exp(-x); }, 0, 1), 1 - std::exp(-1), 1e-12);
  EXPECT_NEAR(find_root([](double x) { return x * x - 2; }, 1, 2, -1, 2), std::numbers::sqrt2, 1e-14);
}

// The first dimension is van der Corput's sequence in Gray code.
TEST(Sobol, BeginsAsItShould) {
  constexpr std::uint64_t kQuarter = std::uint64_t{1} << 62;
  const std::vector<std::uint64_t> points = sobol_points(3, 2);
  EXPECT_EQ(points,
            (std::vector<std::uint64_t>{2 * kQuarter, 2 * kQuarter, 3 * kQuarter, kQuarter, kQuarter, 3 * kQuarter}));
}

}  // namespace
}  // namespace alacarte
