#pragma once
// The outcome of one fit: parameters, posterior and what it predicts for the rows that it left out.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "alacarte/inference/inference.hpp"

namespace alacarte {

/// One fit that ended. Its samples of the hyperparameters, if it has any, are outcomes themselves.
struct FitOutcome {
  Vector theta;            ///< of the map or kernel
  nlohmann::json summary;  ///< how the search went
  Index evaluations = 0;   ///< of the whole search
  bool cut_short = false;  ///< by the clock or an interrupt
  std::unique_ptr<Posterior> posterior;
  LeaveOneOut leave_one_out;
  Matrix class_values{};              ///< (rows left out, K) probabilities of the classes
  Vector likelihood_theta{};          ///< parameters of the likelihood
  std::vector<Solution> more{};       ///< of the targets beside the first
  std::vector<FitOutcome> samples{};  ///< further samples of the hyperparameters, until spread_samples()
  bool is_sample = false;             ///< true for such a sample: it belongs to the fit of the outcome before
};

/// One outcome for each job; empty for a fit that was left out.
using FitOutcomes = std::vector<std::optional<FitOutcome>>;

}  // namespace alacarte
