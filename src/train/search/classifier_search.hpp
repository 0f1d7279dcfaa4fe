#pragma once
// Training of classifiers (learner svm or logistic): theta stays at its starting point; the cost C and the scale of the
// length-scales are chosen by stratified cross-validation, and the best pair is fitted to all rows. learner.search
// "subsample" tries all pairs on learner.search_rows rows, and on all rows only the best scale, with the best cost and
// its neighbours in the list.
#include "fit_outcome.hpp"
#include "inference/classifier.hpp"
#include "optimise/fit_context.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {

/// Returns the slots that learner.scales sets.
std::vector<ParameterSlot> lengthscale_slots(const ParameterLayout& layout);

/// Returns the first start of a job; for a classifier, every length-scale is `scale` (0: the smallest of its grid)
/// times the median distance of two rows.
Vector initial_parameters(const FitJob& job, const TrainingStatistics& statistics, double scale = 0);

/// Returns the plan of one solution. Throws ConfigError for scales without a length-scale, a checkpoint, or logistic
/// regression with an exact kernel.
EvaluationPlan plan_classifier(const FitJob& job, const TrainingRows& rows, const FitOptions& options);

/// Returns the number of solutions on all rows.
Index planned_solutions(const FitJob& job, Index rows);

/// Fits one job; its summary uses the keys of TrainingSummary's JSON where they apply. After an interrupt the best
/// candidate so far is fitted to all rows; throws NumericalError if there is none. Uses the observer, clock (both not
/// null) and interrupt of `context`.
FitOutcome search_classifier(const FitJob& job, const TrainingRows& rows, std::uint64_t seed, int threads,
                             const FitContext& context);

}  // namespace alacarte
