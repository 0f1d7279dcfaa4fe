#pragma once
// The JSON schema of recipes, for editors.
#include <alacarte/core/model_info.hpp>
#include <nlohmann/json.hpp>
#include <vector>

namespace alacarte {

/// A JSON schema (draft 7) made from the table of fields that parses recipes: each key with type, range, default and
/// meaning, and for each model the keys that mean something for it. It accepts every recipe that parse_recipe()
/// accepts; the parser refuses a little more, such as keys that an omitted "model" would not use.
nlohmann::json recipe_schema(const std::vector<ModelInfo>& models);

}  // namespace alacarte
