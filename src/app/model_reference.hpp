#pragma once
// Description of a registered model for people.
#include <alacarte/core/model_info.hpp>
#include <string>

namespace alacarte {

/// Returns formula, accuracy, cost, settings, reference and a recipe of one model, and its parameters under that
/// recipe: text of several lines that ends with the recipe as JSON.
std::string model_reference(const ModelInfo& info);

}  // namespace alacarte
