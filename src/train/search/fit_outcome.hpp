#pragma once
// The outcome of one fit: parameters, posterior and its predictions for the rows that it left out.
#include <memory>
#include <optional>
#include <vector>

#include "alacarte/model/training_record.hpp"
#include "inference/inference.hpp"

namespace alacarte {

/// One fit that ended. Its samples of the hyperparameters, if it has any, are outcomes themselves.
struct FitOutcome {
  Vector theta;            ///< parameters of the map or kernel
  FitSummary summary;      ///< how the search went
  Index evaluations = 0;   ///< number in the whole search
  bool cut_short = false;  ///< the clock or an interrupt ended it
  std::unique_ptr<Posterior> posterior;
  LeaveOneOut leave_one_out;
  Matrix class_values{};  ///< (rows left out, K) probabilities of the classes
  /// (all rows, K) probabilities of weights "folds": without the row itself, or by a fit of the kind that saw neither
  /// it nor the rest of its fold; empty: none
  Matrix fold_values{};
  Vector likelihood_theta{};          ///< parameters of the likelihood
  std::vector<Solution> more{};       ///< solutions for the targets beside the first
  std::vector<FitOutcome> samples{};  ///< further samples of the hyperparameters, until spread_samples()
  bool is_sample = false;             ///< true for such a sample: it belongs to the fit of the outcome before
};

/// One outcome for each job; empty for a fit that was left out.
using FitOutcomes = std::vector<std::optional<FitOutcome>>;

}  // namespace alacarte
