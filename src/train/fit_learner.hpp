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

/// What maps that take sparse rows may ask of a view: the number of inputs, and the usual length of a row, by the mean
/// of the rows' squared lengths.
TrainingView sparse_view(Index rows, Index inputs, double mean_square);

/// Whether the map of each fit of the recipe takes sparse rows, and starts without asking for distances of rows.
bool maps_take_sparse_rows(const Recipe& recipe);

/// Classes of the rows, in the order of Schema::classes().
ClassifierRows classifier_rows(const TrainingRows& rows, Index classes);

FittedModel fit_learner(LearnerInputs inputs, const ClassifierRows& rows, const FitOptions& options,
                        std::chrono::steady_clock::time_point began);

/// The same of a sparse Dataset. Throws ConfigError unless takes_sparse_rows().
FittedModel fit_sparse(const Recipe& recipe, const Schema& schema, Dataset training, const FitOptions& options,
                       std::chrono::steady_clock::time_point began);

}  // namespace alacarte
