#pragma once
// Training of the classifiers of a recipe (learner svm or logistic): the kernel's parameters are held at their start,
// cost and scale of the length-scales are chosen by stratified cross-validation, and the best pair is fitted to all
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

/// The rows of a training as classifiers take them.
struct ClassifierRows {
  const RowSource* source = nullptr;
  const TrainingStatistics* statistics = nullptr;
  std::vector<int> classes;  ///< of each row
  Index class_count = 0;
  double bytes = 0;  ///< what the rows take of the memory
  Index rows() const { return static_cast<Index>(classes.size()); }
};

/// What one job came to; `summary` as TrainingSummary's JSON where they mean the same.
struct ClassifierOutcome {
  Vector theta;
  std::unique_ptr<Posterior> posterior;
  nlohmann::json summary;
  bool cut_short = false;
};

/// Whether the slot is one of those that learner.scales sets.
bool is_lengthscale(const ParameterSlot& slot);

/// Theta that a classifier holds: the first start, each length-scale at `scale` times the median distance of two rows.
Vector held_parameters(const FitJob& job, const TrainingStatistics& statistics, double scale);

/// Where the learning of a job starts; what a classifier holds under the smallest of its scales.
Vector job_start(const FitJob& job, const TrainingStatistics& statistics);

/// The plan of these jobs. Throws MemoryLimitError, and ConfigError for a model file that is too large, scales where
/// there is no length-scale, a checkpoint, or logistic regression with an exact kernel.
TrainingPlan plan_classifiers(const Recipe& recipe, const std::vector<FitJob>& jobs, const ClassifierRows& rows,
                              const FitOptions& options);

/// Fits one job. After an interrupt the best of what was tried is fitted to all rows; when nothing was, there is no
/// posterior.
ClassifierOutcome fit_classifier(const FitJob& job, const ClassifierRows& rows, const FitOptions& options,
                                 const std::function<double()>& seconds);

}  // namespace alacarte
