#pragma once
// Cross-validated scores of one table: means over folds with their standard errors, and whether methods differ.
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>
#include "summary.hpp"

namespace alacarte {

/// A score of one method over the folds that were done.
struct ComparedScore {
  FoldSummary folds;
  bool best = false;  ///< the best mean of all methods on the most folds; false where there is one method
  /// Paired t test against the best over the folds both have, corrected for the training rows that folds share
  /// (paired_t_p_value()); none for the best, for scores that are no errors, and where fewer than two folds are common.
  std::optional<double> p_value = {};
};

struct ComparedMethod {
  std::string label;
  Index failed = 0;                         ///< folds
  std::map<Measure, ComparedScore> scores;  ///< those that its results have
};

struct Comparison {
  std::string dataset;
  Index rows = 0, inputs = 0, folds = 0;  ///< folds: that there should be
  std::vector<ComparedMethod> methods;    ///< in the order of `results.labels`
};

/// Compares the methods of `results`, all of one data set. folds: that each of them should have.
Comparison compare_methods(const ResultSet& results, Index folds);

/// One method: a line for each score, with mean, standard error and range over folds.
std::string scores_text(const Comparison& comparison);
/// Several: a line for each method, the best of each score marked *, p values beside the others.
std::string comparison_text(const Comparison& comparison);
/// {"data", "rows", "inputs", "folds", "methods": [{"recipe", "failed", "scores": {NAME: {"mean", "standard_error",
/// "folds": [of each fold, null where it failed], "best", "p_value"}}}]}.
nlohmann::json to_json(const Comparison& comparison);

}  // namespace alacarte
