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

/// The slots that learner.scales sets.
std::vector<ParameterSlot> lengthscale_slots(const ParameterLayout& layout);

/// The first start of a job; for a classifier, with every length-scale set to `scale` (0: the smallest of its grid)
/// times the median distance of two rows.
Vector initial_parameters(const FitJob& job, const TrainingStatistics& statistics, double scale = 0);

/// The plan of one solution. Throws ConfigError for scales where there is no length-scale, a checkpoint, or logistic
/// regression with an exact kernel.
EvaluationPlan plan_classifier(const FitJob& job, const TrainingRows& rows, const FitOptions& options);

/// Solutions on all of so many rows.
Index planned_solutions(const FitJob& job, Index rows);

/// Fits one job; its summary uses the keys of TrainingSummary's JSON where they apply. After an interrupt the best of
/// what was tried is fitted to all rows; NumericalError when nothing was. `context`: of them observer, clock
/// (both not null) and interrupt.
FitOutcome search_classifier(const FitJob& job, const TrainingRows& rows, std::uint64_t seed, int threads,
                             const FitContext& context);

}  // namespace alacarte
