#pragma once
// The columns of boosted trees that a recipe's fits see, learned before anything else of a training.
#include <functional>
#include <optional>

#include "optimise/fit_context.hpp"
#include "training_rows.hpp"

namespace alacarte {

/// How trees are boosted beside what recipe and options say.
struct TreeBudget {
  double flops = 0;                                           ///< operations; 0: a share of what the recipe gives
  bool is_shallow = false;                                    ///< CrossFitting::is_shallow
  SplitColumns split = {};                                    ///< groups or times of the rows, by which folds are made
  const std::optional<WorkRecord::Stages>* stages = nullptr;  ///< recorded work that is repeated; null: none
  std::function<bool(Index rounds)> after_round = {};         ///< CrossFitting::after_round
};

/// Boosts on standardised rows with counted classes, for the views of a recipe that takes_trees(). The operations
/// decide how small the steps are, by estimates and not by the clock. Throws ConfigError at /data/trees for several
/// targets, rows of several processes, and a build without XGBoost, DataError for recorded work of other trees,
/// MemoryLimitError where the memory does not hold a fit.
TreeColumns boost_columns(const Recipe& recipe, const TrainingRows& rows, const FitOptions& options,
                          const TreeBudget& budget);

/// Records what was done for the trees, by which a repetition makes the same.
void record_trees(const CrossFittedWork& work, const FitContext& context);

/// Returns columns of zeros of as many trees' outputs, by which a plan can be made without training. Throws what
/// boost_columns() throws before it trains.
TreeColumns planned_columns(const Recipe& recipe, const TrainingRows& rows);
/// Returns the memory of boost_columns(), which has fewer fits at a time where it is limited, or throws
/// MemoryLimitError.
double boosting_bytes(const RowSource& rows, const FitOptions& options);

}  // namespace alacarte
