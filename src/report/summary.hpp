#pragma once
// Summary of results: means over folds, significance tests of differences, ranks over data sets, and failures.
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "experiment/catalogue.hpp"
#include "experiment/results.hpp"

namespace alacarte {

inline constexpr double kSignificance = 0.05;  ///< level of every test

struct Moments {
  double mean = 0, variance = 0;  ///< divisor n - 1; 0 of a single value
};

/// Needs one value at least.
Moments moments_of(const std::vector<double>& values);

/// Two-sided p value of a paired t test: whether differences with this mean come from a law of mean 0. All differences
/// 0 give 1; equal ones that are not 0 give 0. Needs two differences at least.
///
/// Folds of one table share their training rows, so their differences are not independent and the test would find too
/// much. `test_share`, rows that test by rows that train, corrects the variance of their mean from s^2 / n to
/// s^2 (1 / n + test_share). Nadeau and Bengio, Machine Learning 52 (2003), section 5.1. 0: independent differences.
double paired_t_p_value(const std::vector<double>& differences, double test_share = 0);

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

/// A measure of one method on one data set. A fold that was run with several seeds counts once, with their mean.
struct FoldSummary {
  std::map<Index, double> folds;
  double mean = 0;
  std::optional<double> sd;       ///< over folds, divisor folds - 1; none for one fold
  double standard_error() const;  ///< sd / sqrt(folds); 0 for one fold
  /// Paired t test against the best of the row over the folds both have; none for the best and where fewer than two
  /// folds are common.
  std::optional<double> p_value;
  bool marked = false;  ///< the best of the row, or not significantly worse than it
};

struct MethodResults {
  Index failed = 0;  ///< runs
  std::map<Measure, FoldSummary> measures;
};

struct DatasetSummary {
  std::string name, title;
  Index rows = 0, inputs = 0;  ///< 0 = not known
  Index folds = 0;  ///< that there should be: of the catalogue, or else the number that any method was tried on
  std::map<std::string, MethodResults> methods;

  /// Null when the method has no value of the measure here.
  const FoldSummary* find(const std::string& method, Measure measure) const;
};

/// Average ranks of methods (1 = least error) over the data sets on which all of them have values, by the mean over the
/// folds that all of them have.
struct Ranking {
  Measure measure = Measure::rmse;
  std::vector<std::string> methods;   ///< by average rank
  std::vector<double> ranks;          ///< average, one a method
  std::vector<std::string> datasets;  ///< that count
  double friedman = 0, p_value = 1;
  double critical_difference = 0;  ///< Nemenyi's
};

struct Summary {
  std::vector<std::string> methods;
  std::vector<DatasetSummary> datasets;
  std::vector<Ranking> rankings;                ///< of rmse and nlpd, where two methods share a data set
  std::vector<RunResult> failed;                ///< runs, without predictions
  std::vector<std::string> programs, machines;  ///< that made the results, each once
};

/// One minus other, on the folds both have.
std::vector<double> paired_differences(const FoldSummary& one, const FoldSummary& other);

/// `catalogue` may be null; it gives titles, fold counts and the order of data sets the experiment does not name. The
/// best of a row is the least mean among the methods with the most folds; a row with one fold has no marks.
Summary summarise(const ResultSet& results, const Catalogue* catalogue);

}  // namespace alacarte
