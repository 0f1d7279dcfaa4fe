#pragma once
// The JSON schema of recipes, for editors.
#include <alacarte/core/model_info.hpp>
#include <nlohmann/json.hpp>
#include <vector>

namespace alacarte {

/// Returns a JSON schema (draft 7) from the table of fields that parses recipes: each key with type, range, default and
/// meaning, and the meaningful keys of each model. It accepts every recipe that parse_recipe() accepts; the parser
/// refuses a little more, such as keys that an omitted "model" would not use.
nlohmann::json recipe_schema(const std::vector<ModelInfo>& models);

}  // namespace alacarte
