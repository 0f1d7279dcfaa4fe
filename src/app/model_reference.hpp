#pragma once
// A registered model described for people.
#include <alacarte/core/model_info.hpp>
#include <string>

namespace alacarte {

/// Formula, accuracy, cost, settings, reference and a recipe of one model, and the parameters that it has under that
/// recipe: text of several lines, ending in the recipe as JSON.
std::string model_reference(const ModelInfo& info);

}  // namespace alacarte
