#pragma once
// Trains a model on numeric rows and scores it on others.
#include <nlohmann/json.hpp>

#include "alacarte/eval/metrics.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"

namespace alacarte::test {

/// Trains on two threads.
inline FittedModel trained(const nlohmann::json& recipe, const Dataset& rows, FitOptions options = {}) {
  options.threads = 2;
  return fit(parse_registered_recipe(recipe), Schema::numbers(rows.inputs.cols()), rows, options);
}

inline Metrics scored(const FittedModel& model, const Dataset& rows) {
  return score(model.predict(rows.view()).distribution(), rows.target);
}

}  // namespace alacarte::test
