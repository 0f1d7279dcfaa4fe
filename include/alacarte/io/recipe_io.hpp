#pragma once
// Recipes as strict JSON. One table of fields parses, writes and documents, so the three cannot disagree.
#include <alacarte/core/recipe.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace alacarte {

/// Throws ConfigError with the JSON pointer for: an unknown key (lists the allowed keys and the nearest spelling), a
/// wrong type, a value out of range, duplicate keys, a model name that is not registered (`model_names`, given by the
/// caller).
Recipe parse_recipe(const nlohmann::json& json, const std::vector<std::string>& model_names);
/// Reads a file; syntax errors become a ConfigError with line and column. Throws IoError if it cannot be read.
Recipe read_recipe(const std::string& path, const std::vector<std::string>& model_names);
/// Every field, defaults included; parse_recipe(to_json(r)) == r.
nlohmann::json to_json(const Recipe& recipe);
/// The reference as text: each key with type, default, range and meaning.
std::string recipe_reference(const std::vector<std::string>& model_names);
/// JSON text to a document, refusing duplicate keys; used for every JSON file of the program. `name` is for messages.
nlohmann::json parse_json(const std::string& text, const std::string& name);

}  // namespace alacarte
