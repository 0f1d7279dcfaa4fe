#pragma once
// From the fits of a training to models: members, mixture weights, leave-one-out scores, the record.
#include <functional>
#include <optional>
#include <vector>

#include "alacarte/model/training_record.hpp"
#include "left_out.hpp"
#include "train/search/fit_outcome.hpp"

namespace alacarte {

/// Targets and weights of the rows with leave-one-out scores.
struct ScoredRows {
  Vector target, weights;  ///< (rows), raw; no weights: all 1
  Vector offsets = {};     ///< (rows) logarithms of exposures; empty: all 0
  bool held_out = false;   ///< no parameter saw these rows
  double prior_rows = 1;   ///< LeftOutFits::prior_rows
};
/// All rows with their raw inputs, for weights "folds".
struct FoldRows {
  std::shared_ptr<const MemoryRows> rows;  ///< null: other weights
  Vector weights;                          ///< (rows); empty: all 1
};
/// Reads the scored rows. scored: increasing; empty = all. Cost: one read for each row.
ScoredRows read_scored(const RowSource& training, const std::vector<Index>& scored);

/// Returns the scores of left-out predictions of these rows, for FittedModel::training.
LeftOutScores left_out_scores(const Prediction& prediction, const ScoredRows& scored);

/// Expands samples of hyperparameters into outcomes, each behind the first of its fit, and jobs beside them.
void spread_samples(FitOutcomes& outcomes, std::vector<FitJob>& jobs);

/// Returns the part of FittedModel::training that all targets share.
TrainingRecord training_record(const TrainingRows& rows, const Schema& schema, const PlannedJobs& planned,
                               const FitOutcomes& outcomes, double seconds, int threads);

/// Makes the model of another target of the same rows, without members.
FittedModel model_for_target(const FittedModel& first, const Schema& schema, const Standardizer& of_target);

/// Returns the outcomes of one of several targets (not the first), as if it had been alone; moves its posteriors out.
FitOutcomes outcomes_of(FitOutcomes& all, std::size_t target);

/// Adds the fits that succeeded, their weights and their leave-one-out scores; returns their predictions. center_of:
/// the centre of a fit's prior on the noise. Throws NumericalError for a model whose predictions of its own rows are
/// not finite.
std::optional<Prediction> add_members(FittedModel& model, FitOutcomes& outcomes, const std::vector<FitJob>& jobs,
                                      const ScoredRows& scored, const FoldRows& folds,
                                      const std::function<NoiseCenter(const FitJob&)>& center_of,
                                      const TrainingRows& rows, int threads);

/// Returns the summary that the model keeps.
FitSummary fit_summary(const TrainingSummary& training);

}  // namespace alacarte
