#pragma once
// Columns of the training rows that boosted trees predict without having seen the row (Breiman 1996, stacked
// regressions), and the function that gives new rows theirs.
#include <alacarte/core/random.hpp>
#include <alacarte/data/row_source.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "boosting.hpp"

namespace alacarte {

/// The choices of a cross-fitting, by which it can be repeated.
struct CrossFittedWork {
  Index effort = 0, candidate = 0;  ///< places in the lists of efforts and settings
  std::vector<Index> rounds = {};   ///< rounds of each fold
};

struct CrossFitting {
  BoostingLoss loss = BoostingLoss::squares;
  Index classes = 0;        ///< number of classes, for BoostingLoss::classes
  double flops = 0;         ///< operations for all of it, by which the steps are chosen; 0: enough for small ones
  bool is_shallow = false;  ///< shallow trees alone: the target is nearly all noise
  std::uint64_t seed = 1;
  int threads = 1;
  const CrossFittedWork* repeated = nullptr;  ///< work that is repeated; null: none
  /// Called after each round, one call at a time, with the rounds of all fits so far; true: no more rounds, and what
  /// was learned until then is kept.
  std::function<bool(Index rounds)> after_round = {};
};

struct CrossFitted {
  std::shared_ptr<const BoostedTrees> trees;  ///< (d) -> (c): mean of the folds' trees, in the unit of the columns
  Matrix columns;                             ///< (n, c) of mean 0 and standard deviation 1
  std::string note;                           ///< one line for people
  CrossFittedWork work;
};

/// Boosts on four fifths of the rows for each fifth of them (where operations are few, two thirds for each third),
/// whose loss tells when to stop and whose columns they predict: one for a number (its mean), a count (its log rate)
/// and two classes (log odds), and one for each of more classes. A few settings race on the first fifth, unless
/// is_shallow. Rows of one group are in one fifth, and of rows with times each fifth is a stretch of time. Equal bits
/// for any number of threads. Throws like check_cross_fitting() and boost(), and DataError for `repeated` of other
/// trees. Memory: a copy of the rows, and for each thread 30 bytes for each input of each row while its fit runs.
CrossFitted cross_fit_trees(const RowSource& rows, const SplitColumns& columns, const CrossFitting& how);

/// Throws ConfigError at /data/trees for rows by their nonzeros and without XGBoost, DataError for too few rows.
void check_cross_fitting(const RowSource& rows);

/// Returns the number of columns of trees for a target of so many classes (0: no classes).
inline Index tree_outputs(Index classes) { return classes > 2 ? classes : 1; }

/// Returns how many values (d) the inputs have, at most 256 each, as far as a thousand dense rows tell: indicators have
/// fewer thresholds to try than numbers. Cost: O(1000 d).
std::vector<Index> split_values(const RowSource& rows);
/// Returns the operations of cross_fit_trees() with its largest steps and fewest folds, in units of
/// train/plan/cost_model.hpp. values: split_values().
double least_cross_fitting_flops(Index rows, const std::vector<Index>& values, Index outputs);
/// Returns about those of cross_fit_trees() with shallow trees of one output.
double shallow_tree_flops(Index rows, Index inputs);

}  // namespace alacarte
