#pragma once
// From the fits of a training to models: members, mixture weights, leave-one-out scores, the record.
#include <optional>
#include <vector>

#include "left_out.hpp"
#include "train/noise_center.hpp"
#include "train/search/fit_outcome.hpp"

namespace alacarte {

/// Targets and weights of the rows with leave-one-out scores.
struct ScoredRows {
  Vector target, weights;  ///< (rows), raw; no weights: all 1
  bool held_out = false;   ///< no parameter saw these rows
};
/// scored: increasing; empty = all. Cost: one read for each row.
ScoredRows read_scored(const RowSource& training, const std::vector<Index>& scored);

/// Scores of left-out predictions of these rows, as FittedModel::training keeps them.
nlohmann::json left_out_scores(const Prediction& prediction, const ScoredRows& scored, const Schema& schema);

/// Makes of every sample of hyperparameters an outcome of its own, behind the first of its fit, and a job beside it.
void spread_samples(FitOutcomes& outcomes, std::vector<FitJob>& jobs);

/// What FittedModel::training says of all targets alike.
nlohmann::json training_record(const TrainingRows& rows, const Schema& schema, const PlannedJobs& planned,
                               const FitOutcomes& outcomes, double seconds, int threads);

/// Makes the model of another target of the same rows, without members.
FittedModel model_for_target(const FittedModel& first, const Schema& schema, const Standardizer& of_target);

/// The outcomes of one of several targets (not the first), as if it had been alone; its posteriors are moved out.
FitOutcomes outcomes_of(FitOutcomes& all, std::size_t target);

/// Adds the fits that came out, their weights and their leave-one-out scores, whose predictions it returns. Throws
/// NumericalError for a model whose predictions of its own rows are not finite.
std::optional<Prediction> add_members(FittedModel& model, FitOutcomes& outcomes, const std::vector<FitJob>& jobs,
                                      const ScoredRows& scored, const NoiseCenter& center, const TrainingRows& rows,
                                      int threads);

}  // namespace alacarte
