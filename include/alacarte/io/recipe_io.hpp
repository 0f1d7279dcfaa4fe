#pragma once
// Recipes as strict JSON. One table of fields parses, writes and documents them, so the three cannot disagree.
#include <alacarte/core/model_info.hpp>
#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Parses a recipe. Throws ConfigError with the JSON pointer for: an unknown key (lists the allowed keys and the
/// nearest spelling), a wrong type, a value out of range, an option without meaning for the chosen model, a model name
/// that is not among `models` ("mixture" and "auto" are always allowed). Documents of parse_json have no duplicate
/// keys.
Recipe parse_recipe(const nlohmann::json& json, const std::vector<ModelInfo>& models);
/// Reads a file; syntax errors are a ConfigError with line and column. Throws IoError if it cannot be read.
Recipe read_recipe(const std::string& path, const std::vector<ModelInfo>& models);
/// Returns a member without settings of its own: those of the mixture, and defaults.
Recipe silent_member(const Recipe& mixture);
/// Writes every field that is meaningful for the model, defaults included; parse_recipe(to_json(r)) == r for every
/// recipe from parse_recipe.
nlohmann::json to_json(const Recipe& recipe, const std::vector<ModelInfo>& models);
/// Checks a recipe that was not parsed: throws ConfigError for a model that is not among `models`, and for a key
/// without meaning for its model that is not at its default.
void refuse_unused_keys(const Recipe& recipe, const std::vector<ModelInfo>& models);
/// Returns the reference as text: each key with type, default, range and meaning.
std::string recipe_reference(const std::vector<ModelInfo>& models);
/// Parses every JSON file of the program. Throws ConfigError with `name` in place of the pointer for syntax errors
/// (with line and column), numbers beyond a double, duplicate keys and nesting deeper than 64.
nlohmann::json parse_json(const std::string& text, const std::string& name);
/// Returns the message of a JSON error without the library's identifiers.
std::string short_message(const std::exception& error);

}  // namespace alacarte
