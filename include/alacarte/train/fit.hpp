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
  /// "" = none; written atomically after improvements, at most once a second, and at the ends of fits. It stays when
  /// training ends: the caller removes it once the model is safe. That it cannot be written is a message, not an error.
  std::string checkpoint_path;
  /// Go on from checkpoint_path if it is there; a checkpoint of another recipe, seed or data is an IoError. A resumed
  /// training rebuilds its L-BFGS memory, so its result is as good as, but not the same bits as, that of one run.
  bool resume = false;
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
  std::vector<std::string> notes;  ///< what was shrunk to meet Recipe::flops, one line each
};

/// What fit() will do. Where the planned cost exceeds Recipe::flops (> 0), iterations shrink by one common factor, down
/// to 20 (or what the recipe asks, if less); if that is not enough starts shrink, down to 1; then copies, down to 1 of
/// each member. training: encoded training rows in raw units. Throws ConfigError("/max_model_mb") when the model file
/// would be too large, naming both sizes, and DataError for no rows, no inputs or values that are not finite.
/// Cost: draws the maps; O(nd).
TrainingPlan plan_training(const Recipe& recipe, const Dataset& training, const FitOptions& options);

/// Trains every fit of the recipe and joins those that came out in an equal-weight mixture. Draws come from
/// RandomStreams(seed): "training_view.pairs" for the view, scope "member[k]" for the k-th fit's map and starts
/// ("start[j]"), scope "noise_prior" for the ARD fit that centres the prior on the noise (once a training, on at most
/// 700 rows). The result is the same bits for the same recipe, rows, seed and number of threads, unless cut short by
/// the clock or an interrupt; then it is made of the best points so far, and fits that had not begun are left out.
/// Throws as plan_training, IoError for a checkpoint that does not belong, NumericalError when no fit came out.
FittedModel fit(const Recipe& recipe, const Schema& schema, const Dataset& training, const FitOptions& options);

}  // namespace alacarte
