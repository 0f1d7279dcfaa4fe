#pragma once
#include <memory>
#include <vector>

#include "alacarte/features/feature_map.hpp"

namespace alacarte {

/// The predictor f = f_1 + .. + f_T of a map whose features are those of T parts side by side.
std::unique_ptr<LinearPredictor> join_predictors(std::vector<std::unique_ptr<LinearPredictor>> parts);

}  // namespace alacarte
