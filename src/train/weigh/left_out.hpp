#pragma once
// Leave-one-out predictions of a mixture on its training rows, and the weights of its fits by them.
#include <optional>
#include <vector>

#include "alacarte/model/fitted_model.hpp"
#include "train/plan/minibatch_plan.hpp"
#include "train/search/fit_outcome.hpp"

namespace alacarte {

/// The fits of a model that came out, and what their leave-one-out predictions are of.
struct LeftOutFits {
  const FittedModel& model;  ///< its recipe, schema and standardizer
  const FitOutcomes& outcomes;
  const std::vector<FitJob>& jobs;
  const Vector& target;     ///< (rows) of the rows with predictions, in the unit of the target
  Vector row_weights = {};  ///< (rows) of those rows, or empty: all 1
  bool held_out = false;    ///< no fit saw these rows
};

/// (rows, K) A fit's probabilities of K classes; empty where the target is no class. They take more time than all else
/// here, so each fit makes them once, in its own time and on several threads: 512 points for each row and class.
Matrix left_out_class_values(const FitJob& job, const LeaveOneOut& left_out, Index classes, int threads);

/// Of the mixture with these weights (one for each fit that came out), in the kind and unit of the target. Nothing for
/// classifiers, and where a prediction does not exist (for example with one row).
std::optional<Prediction> left_out_predictions(const LeftOutFits& fits, const Vector& weights);

/// Weights of the fits that came out, with their number as the sum, by Recipe::weights:
/// - equal: ones;
/// - leave-one-out: a fifth equal, the rest in proportion to exp(b s_j): s_j is the mean log density (or probability)
///   that fit j gives the rows without seeing them, b = 10 min(1, (rows / 700)^2). Of few rows nearly equal, since
///   learned features flatter themselves there;
/// - held-out: those under which the mixture makes the held-out rows most probable (stacking), with a Dirichlet prior
///   that counts as so many rows for each fit. By leave-one-out where no rows were held out.
/// Ones where a prediction does not exist. Cost O(rows fits).
Vector mixture_weights(const LeftOutFits& fits);

/// So many of the rows, or `most`, increasing.
std::vector<Index> draw_held_out(Index rows, std::uint64_t seed, Index most = kMaxHeldOut);
/// The other rows, with these beside them.
TrainingRows rows_seen(const TrainingRows& rows, const std::vector<Index>& held_out);

}  // namespace alacarte
