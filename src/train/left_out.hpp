#pragma once
// Leave-one-out predictions of a mixture on its training rows, and the weights of its fits by them.
#include <optional>
#include <vector>

#include "alacarte/model/fitted_model.hpp"
#include "fit_jobs.hpp"
#include "fit_pool.hpp"

namespace alacarte {

using FitOutcomes = std::vector<std::optional<FitOutcome>>;

/// The fits of a model that came out, and what their leave-one-out predictions are of.
struct LeftOutFits {
  const FittedModel& model;  ///< its recipe, schema and standardizer
  const FitOutcomes& outcomes;
  const std::vector<FitJob>& jobs;
  const Vector& target;     ///< (rows) of the rows with predictions, in the unit of the target
  Vector row_weights = {};  ///< (rows) of those rows, or empty: all 1
};

/// Of the mixture with these weights (one for each fit that came out), in the kind and unit of the target. Nothing for
/// classifiers, and where a prediction does not exist (for example with one row).
std::optional<Prediction> left_out_predictions(const LeftOutFits& fits, const Vector& weights);

/// A fifth equal, the rest in proportion to exp(b s_j), with the number of fits as their sum: s_j is the mean log
/// density (or probability), by the weights of the rows, that fit j gives the rows without seeing them, b = 10 min(1,
/// (rows / 700)^2). Of few rows nearly equal, since learned features flatter themselves there. Ones where a prediction
/// does not exist. Cost O(rows fits).
Vector left_out_weights(const LeftOutFits& fits);

}  // namespace alacarte
