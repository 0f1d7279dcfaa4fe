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

/// Returns the log density or probability (rows) of each target by the prediction of its row.
Vector log_scores(const Prediction& prediction, const Vector& target);

/// Returns the weights of the fits that succeeded, which sum to their number, by Recipe::weights:
/// - equal: ones;
/// - leave-one-out: those under which the mixture of the fits' leave-one-out predictions makes the rows most probable
///   (stacking; Yao et al. 2018; docs/math.md, section 9), with a Dirichlet prior that counts as six rows for each fit,
///   or six groups of them: these predictions ignore how overfitted the parameters are;
/// - held-out: the same by the held-out rows, with a prior of one row or group. By leave-one-out if no rows were held
///   out;
/// - folds: the same from FitOutcome::fold_values, of all rows, with a prior of six rows for each member. By held-out
/// or leave-one-out rows where a fit has none. Ones if a prediction does not exist. Cost O(rows fits).
Vector mixture_weights(const LeftOutFits& fits);

/// Drops the fits, with the samples of their hyperparameters, whose weights are less than a hundredth of all: they cost
/// every prediction as much as the others. Returns the weights of the others, which sum to their number, and adds a
/// line for each that is dropped. weights: mixture_weights() of these outcomes.
Vector drop_negligible(const Vector& weights, const std::vector<FitJob>& jobs, FitOutcomes& outcomes,
                       std::vector<std::string>& notes);

/// Draws held_out_rows(), or `most` rows if that is less, increasing.
std::vector<Index> draw_held_out(Index rows, std::uint64_t seed, Index most = kMaxHeldOut);
/// Returns the other rows, with the held-out ones beside them.
TrainingRows rows_seen(const TrainingRows& rows, const std::vector<Index>& held_out);

}  // namespace alacarte
