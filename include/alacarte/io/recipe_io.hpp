#pragma once
// Recipes as strict JSON. One table of fields parses, writes and documents them, so the three cannot disagree.
#include <alacarte/core/model_info.hpp>
#include <alacarte/model/registered.hpp>
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
/// Parses or reads a recipe with all registered models, then calls apply_likelihood_defaults().
Recipe parse_registered_recipe(const nlohmann::json& json);
Recipe read_registered_recipe(const std::string& path);  ///< reads a file; IoError if it cannot be read
/// Reads a recipe of the registered models; each override is "/section/key=JSON" (a JSON pointer and a value, or a bare
/// word) and goes through the same strict parser. Throws ConfigError (pointer "--set KEY" for an override) or IoError.
Recipe read_recipe_with(const std::string& path, const std::vector<std::string>& overrides);

/// Returns a recipe with such overrides. Throws ConfigError as read_recipe_with().
Recipe recipe_with(const Recipe& recipe, const std::vector<std::string>& overrides);
/// Parses a text with all registered models, without further defaults. `name`: for messages.
Recipe parse_recipe_text(const std::string& text, const std::string& name);
/// Returns the value of one key as JSON text; throws std::out_of_range or a JSON error for a missing key.
std::string value_text(const Recipe& recipe, const std::string& section, const std::string& key);
/// Returns a member without its own settings: those of the mixture, and defaults.
Recipe silent_member(const Recipe& mixture);
/// Writes every field that is meaningful for the model, defaults included; parse_recipe(to_json(r)) == r for every
/// recipe from parse_recipe.
nlohmann::json to_json(const Recipe& recipe, const std::vector<ModelInfo>& models);
/// Returns the reference as text: each key with type, default, range and meaning.
std::string recipe_reference(const std::vector<ModelInfo>& models);
/// Parses every JSON file of the program. Throws ConfigError with `name` in place of the pointer for syntax errors
/// (with line and column), numbers beyond a double, duplicate keys and nesting deeper than 64.
nlohmann::json parse_json(const std::string& text, const std::string& name);
/// Returns the message of a JSON error without the library's identifiers.
std::string short_message(const std::exception& error);

}  // namespace alacarte
