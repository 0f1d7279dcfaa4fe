#pragma once
// Significance tests of differences between methods.
#include <alacarte/core/types.hpp>
#include <vector>

namespace alacarte {

inline constexpr double kSignificance = 0.05;  ///< level of every test

struct Moments {
  double mean = 0, variance = 0;  ///< divisor n - 1; 0 of a single value
};

/// Needs one value at least.
Moments moments_of(const std::vector<double>& values);

/// Two-sided p value of a paired t test: whether differences with this mean come from a law of mean 0. All differences
/// 0 give 1; equal ones that are not 0 give 0. Needs two differences at least.
double paired_t_p_value(const std::vector<double>& differences);

/// Indices by rising or falling value; equal values keep their order.
std::vector<std::size_t> order_of(const std::vector<double>& values, bool falling = false);

/// Ranks from 1 (the smallest value); ties share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values);

struct FriedmanTest {
  double statistic = 0;  ///< chi-squared with methods - 1 degrees of freedom, corrected for ties
  double p_value = 1;
};

/// Whether all methods have the same law of ranks. ranks: [data set][method] as ranks_of gives them; one data set and
/// two methods at least. Friedman, JASA 32 (1937).
FriedmanTest friedman(const std::vector<std::vector<double>>& ranks);

/// Least difference of average ranks that is significant at the level 0.05 among `methods` >= 2 methods on `datasets`
/// >= 1 data sets: q sqrt(k (k + 1) / (6 N)) with q the 0.95 quantile of the range of k independent standard normal
/// numbers, divided by sqrt 2. Demsar, JMLR 7 (2006), equation in section 3.2.2 (Nemenyi's test).
double nemenyi_critical_difference(Index methods, Index datasets);

}  // namespace alacarte
