#pragma once
// Training of classifiers (learner svm or logistic): theta stays at its starting point; the cost C and the scale of the
// length-scales are chosen by stratified cross-validation, and the best pair is fitted to all rows. learner.search
// "subsample" tries all pairs on learner.search_rows rows, and on all rows only the best scale, with the best cost and
// its neighbours in the list.
#include "fit_outcome.hpp"
#include "optimise/fit_context.hpp"
#include "train/plan/classifier_plan.hpp"

namespace alacarte {

/// Fits one job; its summary uses the keys of TrainingSummary's JSON where they apply. After an interrupt the best
/// candidate so far is fitted to all rows; throws NumericalError if there is none. Uses the observer, clock (both not
/// null) and interrupt of `context`.
FitOutcome search_classifier(const FitJob& job, const TrainingRows& rows, std::uint64_t seed, int threads,
                             const FitContext& context);

}  // namespace alacarte
