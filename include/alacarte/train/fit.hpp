#pragma once
// From a recipe and rows to a fitted model: standardise, start, train every member, assemble.
#include <alacarte/model/fitted_model.hpp>
#include <alacarte/train/trainer.hpp>

namespace alacarte {

struct FitOptions {
  std::uint64_t seed = 0;
  int threads = 1;
  TrainingObserver* observer = nullptr;
  const std::atomic<bool>* interrupt = nullptr;
  std::string
      checkpoint_path;  ///< "" = none; written atomically after every accepted improvement, at most every second
  bool resume =
      false;  ///< go on from checkpoint_path if it is there; a checkpoint of another recipe, seed or data is an IoError
};

/// What will happen, before it happens: one plan for each fit, and the totals.
struct TrainingPlan {
  struct Fit {
    std::string name;  ///< "gm 2/3"
    EvaluationPlan evaluation;
    Index planned_evaluations = 0;
  };
  std::vector<Fit> fits;
  double total_flops = 0, memory_bytes = 0, model_bytes = 0;
  int concurrent_fits = 1;
};

/// training: encoded training rows in raw units. Throws ConfigError when the model file would exceed max_model_mb
/// (naming the size), DataError for a training set no model can use (no rows, constant target is allowed and fits its
/// mean).
TrainingPlan plan_training(const Recipe& recipe, const Dataset& training, const FitOptions& options);
FittedModel fit(const Recipe& recipe, const Schema& schema, const Dataset& training, const FitOptions& options);

}  // namespace alacarte
