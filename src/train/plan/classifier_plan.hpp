#pragma once
// The plan of a classifier (learner svm or logistic): its costs and scales, its starting point and its solutions.
#include <memory>
#include <vector>

#include "fit_jobs.hpp"
#include "inference/classifier.hpp"

namespace alacarte {

/// Return the costs and scales of a search, ascending; the defaults where the recipe names none.
std::vector<double> costs_of(const Recipe& recipe);
std::vector<double> scales_of(const Recipe& recipe);
/// Tells whether all pairs of these are tried on a subsample of so many rows.
bool searches_subsample(const Recipe& recipe, Index rows);

/// Returns the slots that learner.scales sets.
std::vector<ParameterSlot> lengthscale_slots(const ParameterLayout& layout);

/// Returns the first start of a job; for a classifier, with every length-scale set to `scale` (0: the smallest of its
/// grid) times the median distance of two rows.
Vector initial_parameters(const FitJob& job, const TrainingStatistics& statistics, double scale = 0);

/// Plans one solution. Throws ConfigError for scales where there is no length-scale, a checkpoint, or logistic
/// regression with an exact kernel.
EvaluationPlan plan_classifier(const FitJob& job, const TrainingRows& rows, const FitOptions& options);

/// Returns the number of solutions on all of so many rows.
Index planned_solutions(const FitJob& job, Index rows);

/// Returns the number of folds that a search by subsample tries side by side, each on one thread; a grid takes them in
/// turn, in the memory of one.
int folds_abreast(const FitJob& job, int threads);

std::unique_ptr<Classifier> make_job_classifier(const FitJob& job, const TrainingRows& rows, int threads);

}  // namespace alacarte
