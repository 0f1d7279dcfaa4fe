#include "report/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace alacarte {
namespace {

TEST(Statistics, PairedTestAgreesWithClosedForms) {
  // One degree of freedom gives the Cauchy law, two an algebraic distribution function.
  EXPECT_NEAR(paired_t_p_value({1, 3}), 1 - 2 / std::numbers::pi * std::atan(2.0), 1e-12);
  const double t = 2 * std::sqrt(3.0);
  EXPECT_NEAR(paired_t_p_value({1, 2, 3}), 1 - t / std::sqrt(t * t + 2), 1e-12);
  EXPECT_DOUBLE_EQ(paired_t_p_value({-1, -2, -3}), paired_t_p_value({1, 2, 3}));
  EXPECT_DOUBLE_EQ(paired_t_p_value({-1, 1}), 1);
}

TEST(Statistics, PairedTestOfEqualDifferences) {
  EXPECT_EQ(paired_t_p_value({0, 0, 0}), 1);
  EXPECT_EQ(paired_t_p_value({0.5, 0.5}), 0);
}

TEST(Statistics, EqualValuesShareTheirRanks) {
  EXPECT_EQ(ranks_of({3, 1, 2}), (std::vector<double>{3, 1, 2}));
  EXPECT_EQ(ranks_of({1, 5, 1, 0}), (std::vector<double>{2.5, 4, 2.5, 1}));
  EXPECT_EQ(ranks_of({7, 7, 7}), (std::vector<double>{2, 2, 2}));
}

TEST(Statistics, FriedmanByHand) {
  // Four equal orders of three: 4 * 2, and chi-squared with two degrees of freedom is exponential.
  const FriedmanTest agreed = friedman({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}});
  EXPECT_NEAR(agreed.statistic, 8, 1e-12);
  EXPECT_NEAR(agreed.p_value, std::exp(-4.0), 1e-12);
  const FriedmanTest tied = friedman({{1.5, 1.5, 3}, {1.5, 1.5, 3}});
  EXPECT_NEAR(tied.statistic, 4, 1e-12);
  const FriedmanTest mixed = friedman({{1, 2}, {2, 1}});
  EXPECT_NEAR(mixed.statistic, 0, 1e-12);
  EXPECT_NEAR(mixed.p_value, 1, 1e-12);
  EXPECT_EQ(friedman({{1.5, 1.5}}).p_value, 1);
}

TEST(Statistics, CriticalDifferenceUsesTheTabulatedQuantiles) {
  // Demsar, JMLR 7 (2006), table 5 (a), alpha = 0.05, two to ten methods.
  const double table[] = {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164};
  for (int k = 2; k <= 10; ++k)
    EXPECT_NEAR(nemenyi_critical_difference(k, 1) / std::sqrt(k * (k + 1) / 6.0), table[k - 2], 0.001) << k;
  // Demsar's example: four classifiers on 14 data sets.
  EXPECT_NEAR(nemenyi_critical_difference(4, 14), 1.25, 0.005);
}

}  // namespace
}  // namespace alacarte
