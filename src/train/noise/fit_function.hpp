#pragma once
// Fits as a function that is handed to models of the noise, so that they know nothing of how a training runs.
#include <functional>
#include <memory>

#include "alacarte/train/fit.hpp"

namespace alacarte {

/// Fits a recipe to raw rows with one schema. score_weights: rows whose weights count in scores, if the weights of the
/// rows mean something else; null: the rows themselves.
using FitFunction =
    std::function<FittedModel(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> training,
                              const FitOptions& options, const RowSource* score_weights)>;

}  // namespace alacarte
