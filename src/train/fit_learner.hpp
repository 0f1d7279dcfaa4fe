#pragma once
// A whole training of learner svm or logistic: rows in, fitted model out.
#include <chrono>

#include "train/fit_classifier.hpp"
#include "train/fit_jobs.hpp"

namespace alacarte {

/// What it takes beside the rows themselves.
struct LearnerInputs {
  const Recipe& recipe;  ///< resolved
  const Schema& schema;
  Standardizer standardizer;
  std::function<std::string()> sha256;
};

/// Classes of the rows, in the order of Schema::classes().
ClassifierRows classifier_rows(const TrainingRows& rows, Index classes);

FittedModel fit_learner(LearnerInputs inputs, const ClassifierRows& rows, const FitOptions& options,
                        std::chrono::steady_clock::time_point began);

}  // namespace alacarte
