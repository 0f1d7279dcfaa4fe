#pragma once
// Cross-validated scores of one table: means over folds with their standard errors, and significance of differences.
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>
#include "summary.hpp"

namespace alacarte {

/// Score of one method over its completed folds.
struct ComparedScore {
  FoldSummary folds;
  bool best = false;  ///< true for the best mean of the methods with the most folds; false for a single method
  /// p value of the paired t test against the best over their common folds, corrected for shared training rows
  /// (paired_t_p_value()); empty for the best, for untested scores, and with fewer than two common folds.
  std::optional<double> p_value = {};
};

struct ComparedMethod {
  std::string label;
  Index failed = 0;                         ///< folds
  std::map<Measure, ComparedScore> scores;  ///< scores in its results
};

struct Comparison {
  std::string dataset;
  Index rows = 0, inputs = 0, folds = 0;  ///< folds: the intended number
  std::vector<ComparedMethod> methods;    ///< in the order of `results.labels`
};

/// Compares the methods of `results`, all of one data set. folds: intended number of folds.
Comparison compare_methods(const ResultSet& results, Index folds);

/// Formats one method: a line per score, with mean, standard error and range over folds.
std::string scores_text(const Comparison& comparison);
/// Formats several methods: a line each, the best of each score marked *, p values beside the others.
std::string comparison_text(const Comparison& comparison);
/// Returns {"data", "rows", "inputs", "folds", "methods": [{"recipe", "failed", "scores": {NAME: {"mean",
/// "standard_error", "folds": [one per fold, null if it failed], "best", "p_value"}}}]}.
nlohmann::json to_json(const Comparison& comparison);

}  // namespace alacarte
