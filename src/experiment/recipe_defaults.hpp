#pragma once
// Recipes as results of all versions of the program have them.
#include <nlohmann/json_fwd.hpp>

namespace alacarte {

/// Takes out of a recipe, as to_json() makes it, the fields that a later version of the program added and that have
/// their defaults: results of before stay those of the same recipe. A new field is named in the list there.
void forget_defaults(nlohmann::json& recipe);

}  // namespace alacarte
