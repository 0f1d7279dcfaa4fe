#pragma once
// Summary of results: means over folds, significance tests of differences, ranks over data sets, and failures.
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "experiment/catalogue.hpp"
#include "experiment/results.hpp"

namespace alacarte {

inline constexpr double kSignificance = 0.05;  ///< level of all tests

struct Moments {
  double mean = 0, variance = 0;  ///< divisor n - 1; variance 0 for a single value
};

/// Returns the moments of at least one value.
Moments moments_of(const std::vector<double>& values);

/// Returns the two-sided p value of a paired t test that the differences have mean 0. Zero differences give 1; equal
/// nonzero ones give 0. Needs at least two differences.
///
/// Folds of one table share training rows, so their differences are dependent and the plain test is too often
/// significant. `test_share`, the ratio of test to training rows, corrects the variance of the mean from s^2 / n to
/// s^2 (1 / n + test_share). Nadeau and Bengio, Machine Learning 52 (2003), section 5.1. 0: independent differences.
double paired_t_p_value(const std::vector<double>& differences, double test_share = 0);

/// Returns indices by increasing or decreasing value; equal values keep their order.
std::vector<std::size_t> order_of(const std::vector<double>& values, bool falling = false);

/// Returns ranks from 1 (the smallest value); ties share their mean rank.
std::vector<double> ranks_of(const std::vector<double>& values);

struct FriedmanTest {
  double statistic = 0;  ///< chi-squared with methods - 1 degrees of freedom, corrected for ties
  double p_value = 1;
};

/// Tests if all methods have the same distribution of ranks. ranks: [data set][method] from ranks_of(); at least one
/// data set and two methods. Friedman, JASA 32 (1937).
FriedmanTest friedman(const std::vector<std::vector<double>>& ranks);

/// Returns the least significant difference of average ranks at the level 0.05 among `methods` >= 2 methods on
/// `datasets` >= 1 data sets: q sqrt(k (k + 1) / (6 N)) with q the 0.95 quantile of the range of k independent standard
/// normal numbers, divided by sqrt 2. Demsar, JMLR 7 (2006), equation in section 3.2.2 (Nemenyi's test).
double nemenyi_critical_difference(Index methods, Index datasets);

/// Measure of one method on one data set. A fold with several seeds counts once, with their mean.
struct FoldSummary {
  std::map<Index, double> folds;
  double mean = 0;
  std::optional<double> sd;       ///< over folds, divisor folds - 1; empty for one fold
  double standard_error() const;  ///< returns sd / sqrt(folds); 0 for one fold
  /// p value of the paired t test against the best of the row over their common folds; empty for the best and with
  /// fewer than two common folds.
  std::optional<double> p_value;
  bool marked = false;  ///< true if the best of the row, or not significantly worse
};

struct MethodResults {
  Index failed = 0;  ///< runs
  std::map<Measure, FoldSummary> measures;
};

struct DatasetSummary {
  std::string name, title;
  Index rows = 0, inputs = 0;  ///< 0 = unknown
  Index folds = 0;             ///< intended number: from the catalogue, or else the most that any method was tried on
  std::map<std::string, MethodResults> methods;

  /// Returns null if the method has no value of the measure here.
  const FoldSummary* find(const std::string& method, Measure measure) const;
};

/// Average ranks of methods (1 = least error) over the data sets where all have values, by the mean over common folds.
struct Ranking {
  Measure measure = Measure::rmse;
  std::vector<std::string> methods;   ///< in order of average rank
  std::vector<double> ranks;          ///< average rank per method
  std::vector<std::string> datasets;  ///< data sets that count
  double friedman = 0, p_value = 1;
  double critical_difference = 0;  ///< Nemenyi's critical difference
};

struct Summary {
  std::vector<std::string> methods;
  std::vector<DatasetSummary> datasets;
  std::vector<Ranking> rankings;                ///< for rmse and nlpd, if two methods share a data set
  std::vector<RunResult> failed;                ///< failed runs, without predictions
  std::vector<std::string> programs, machines;  ///< origins of the results, each once
};

/// Returns one minus other on their common folds.
std::vector<double> paired_differences(const FoldSummary& one, const FoldSummary& other);

/// Summarises results. `catalogue` may be null; it gives titles, fold counts and the order of data sets that the
/// experiment does not name. The best of a row has the least mean among the methods with the most folds; one fold has
/// no marks.
Summary summarise(const ResultSet& results, const Catalogue* catalogue);

}  // namespace alacarte
