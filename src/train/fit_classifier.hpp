#pragma once
// Training of classifiers (learner svm or logistic): the kernel's parameters stay at their starting point; the cost C
// and the scale of the length-scales are chosen by stratified cross-validation, and the best pair is fitted to all
// rows.
#include <chrono>
#include <functional>
#include <vector>

#include "alacarte/train/fit.hpp"
#include "inference/linear_solver.hpp"

namespace alacarte {

struct FitJob;
struct PreparedRows;
struct TrainingRows;

/// Training rows in the form that classifiers use.
struct ClassifierRows {
  const RowSource* source = nullptr;
  const TrainingStatistics* statistics = nullptr;
  std::vector<int> classes;  ///< of each row
  Index class_count = 0;
  double bytes = 0;  ///< memory of the rows
  Index rows() const { return static_cast<Index>(classes.size()); }
};

/// Result of one job; `summary` uses the keys of TrainingSummary's JSON where they apply.
struct ClassifierOutcome {
  Vector theta;
  std::unique_ptr<Posterior> posterior;
  nlohmann::json summary;
  bool cut_short = false;
};

/// Whether the slot is one of those that learner.scales sets.
bool is_lengthscale(const ParameterSlot& slot);

/// The fixed theta of a classifier: the first start, with every length-scale set to `scale` times the median distance
/// of two rows.
Vector fixed_parameters(const FitJob& job, const TrainingStatistics& statistics, double scale);

/// The initial theta of a job; for a classifier, fixed_parameters() at the smallest of its scales.
Vector initial_parameters(const FitJob& job, const TrainingStatistics& statistics);

/// The plan of these jobs. Throws MemoryLimitError, and ConfigError for a model file that is too large, scales where
/// there is no length-scale, a checkpoint, or logistic regression with an exact kernel.
TrainingPlan plan_classifiers(const Recipe& recipe, const std::vector<FitJob>& jobs, const ClassifierRows& rows,
                              const FitOptions& options);

/// Fits one job. After an interrupt the best of what was tried is fitted to all rows; when nothing was, there is no
/// posterior.
ClassifierOutcome fit_classifier(const FitJob& job, const ClassifierRows& rows, const FitOptions& options,
                                 const std::function<double()>& seconds);

}  // namespace alacarte
