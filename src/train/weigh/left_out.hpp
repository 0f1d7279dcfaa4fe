#pragma once
// Leave-one-out predictions of a mixture on its training rows, and the weights that its fits get from them.
#include <optional>
#include <vector>

#include "alacarte/model/fitted_model.hpp"
#include "train/plan/minibatch_plan.hpp"
#include "train/search/fit_outcome.hpp"

namespace alacarte {

/// The fits of a model that succeeded, and the targets of their leave-one-out predictions.
struct LeftOutFits {
  const FittedModel& model;  ///< its recipe, schema and standardizer
  const FitOutcomes& outcomes;
  const std::vector<FitJob>& jobs;
  const Vector& target;      ///< (rows) targets of the rows with predictions, in their unit
  Vector row_weights = {};   ///< (rows) weights of those rows; empty: all 1
  bool held_out = false;     ///< no fit saw these rows
  Vector fold_target = {};   ///< (all rows) places of the classes for weights "folds"; empty: other weights
  Vector fold_weights = {};  ///< (all rows); empty: all 1
  double prior_rows = 1;     ///< rows that the prior of the weights by held-out rows counts as, for each fit
  Vector offsets = {};       ///< (rows) logarithms of exposures of counts; empty: all 0
};

/// Returns a fit's probabilities (rows, K) of K classes; empty if the target is no class. They dominate the cost here
/// (512 points for each row and class), so each fit makes them once, in its own time and on several threads.
Matrix left_out_class_values(const FitJob& job, const LeaveOneOut& left_out, Index classes, int threads);

/// Returns the predictions of the mixture with these weights (one for each fit that succeeded), in the kind and unit of
/// the target. Nothing for classifiers, and if a prediction does not exist (for example with one row).
std::optional<Prediction> left_out_predictions(const LeftOutFits& fits, const Vector& weights);

/// Returns the weights of the fits that succeeded, which sum to their number, by Recipe::weights:
/// - equal: ones;
/// - leave-one-out: a fifth equal, the rest in proportion to exp(b s_j): s_j is the mean log density (or probability)
///   that fit j gives the rows without seeing them, b = 10 min(1, (rows / 700)^2). They are nearly equal on few rows,
///   where learned features flatter themselves;
/// - held-out: those under which the mixture makes the held-out rows most probable (stacking), with a Dirichlet prior
///   that counts as one row for each fit, or as a group of them. By leave-one-out if no rows were held out;
/// - folds: the same from FitOutcome::fold_values, of all rows, with a prior of six rows for each member. By held-out
/// or leave-one-out rows where a fit has none. Ones if a prediction does not exist. Cost O(rows fits).
Vector mixture_weights(const LeftOutFits& fits);

/// Draws held_out_rows(), or `most` rows if that is less, increasing.
std::vector<Index> draw_held_out(Index rows, std::uint64_t seed, Index most = kMaxHeldOut);
/// Returns the other rows, with the held-out ones beside them.
TrainingRows rows_seen(const TrainingRows& rows, const std::vector<Index>& held_out);

}  // namespace alacarte
