#pragma once
// Training of a model with learner svm or logistic.
#include <chrono>

#include "train/fit_classifier.hpp"
#include "train/fit_jobs.hpp"

namespace alacarte {

/// Inputs of the training other than the rows.
struct LearnerInputs {
  const Recipe& recipe;  ///< after apply_likelihood_defaults()
  const Schema& schema;
  Standardizer standardizer;
  std::function<std::string()> sha256;
};

/// Classes of the rows, in the order of Schema::classes().
ClassifierRows classifier_rows(const TrainingRows& rows, Index classes);

FittedModel fit_learner(LearnerInputs inputs, const ClassifierRows& rows, const FitOptions& options,
                        std::chrono::steady_clock::time_point began);

}  // namespace alacarte
