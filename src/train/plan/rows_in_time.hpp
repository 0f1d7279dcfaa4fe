#pragma once
// How many rows a recipe can be trained on in the time that it is given.
#include "alacarte/train/fit.hpp"

namespace alacarte {

struct RowsInTime {
  Index rows = 0;
  bool is_short = false;     ///< not even one fit of each member has time for all of its evaluations on all rows
  bool takes_bound = false;  ///< nor has it for softmax with the joint curvature of all classes
};

/// Returns the largest number of rows that the fits of a recipe by name can be trained on in training.seconds: for each
/// some evaluations and its posterior, by their operations at the nominal speed (cost_model.hpp). All of them where no
/// time is given, for "auto" without random effects of levels, which plans for itself, for learners svm and logistic,
/// and for rows that processes share; never fewer than 500, and no more than fit into a quarter of options.memory_bytes
/// (0: 2 GB). classes: 0 where the target is a number. Depends on no clock, so that a training that goes on has the
/// same rows with the same threads and memory. Throws ConfigError where the maps alone are too large. Cost: draws the
/// maps, from the statistics of 1000 rows.
RowsInTime rows_in_time(const Recipe& recipe, const RowSource& training, Index classes, const FitOptions& options);

/// Sets "evidence" of the recipe, or of each member of a mixture, to one block a class, where it says nothing and the
/// model has features.
void take_bound(Recipe& recipe);

/// Where time is short, gives the recipe, or each member of a mixture, subsamples, the first of 1000 rows and each of
/// twice as many, unless it has its own, no iterations or fewer than 1200 rows, begins at labels or is trained on
/// minibatches: in little time a search goes further on few rows than in a dozen evaluations on many. From 30 seconds
/// and 10,000 rows on, short or not, learned frequencies (ssgpr, fsgbard) of Gaussian noise have rows drawn anew in
/// place of these. seconds: of all the training, 0 = no limit. Returns whether any was given.
bool begin_on_few_rows(Recipe& recipe, const RowsInTime& planned, double seconds);

/// Draws these rows by the seed ("rows_in_time"), increasing.
std::vector<Index> draw_training_rows(Index all, Index count, std::uint64_t seed);

}  // namespace alacarte
