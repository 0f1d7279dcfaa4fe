#pragma once
// Recipes in the form that results of all program versions have.
#include <nlohmann/json_fwd.hpp>

namespace alacarte {

/// Removes from a recipe, as to_json() makes it, the fields that later program versions added if they have their
/// defaults, so that older results still match the recipe. New fields must be listed there.
void forget_defaults(nlohmann::json& recipe);

}  // namespace alacarte
