#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "core/text_file.hpp"

namespace alacarte {
namespace {

void apply_override(nlohmann::json& document, const std::string& text) {
  const auto split = text.find('=');
  if (!text.starts_with('/') || split == std::string::npos)
    throw ConfigError("--set", fmt::format("'{}' is not of the form /section/key=JSON", text));
  const std::string pointer = text.substr(0, split);
  const std::string given = text.substr(split + 1);
  nlohmann::json value;
  try {
    value = parse_json(given, "--set " + pointer);
  } catch (const ConfigError& error) {
    // A word stands for itself, without the quotes that a shell takes away; what begins like other JSON is a mistake.
    if (given.empty() || given.find_first_of("\"[{-+.0123456789 \t\n") == 0)
      throw ConfigError("--set " + pointer, fmt::format("'{}' is not a JSON value, nor a word", given));
    value = given;
  }
  try {
    document[nlohmann::json::json_pointer(pointer)] = std::move(value);
  } catch (const nlohmann::json::exception&) {
    throw ConfigError("--set " + pointer, "there is no such place in the recipe");
  }
}

}  // namespace

Recipe read_recipe_with(const std::string& path, const std::vector<std::string>& overrides) {
  if (overrides.empty()) return read_registered_recipe(path);
  nlohmann::json document = parse_json(read_text_file(path), path);
  for (const std::string& text : overrides) apply_override(document, text);
  return parse_registered_recipe(document);
}

Recipe recipe_with(const Recipe& recipe, const std::vector<std::string>& overrides) {
  nlohmann::json document = to_json(recipe, model_infos());
  for (const std::string& text : overrides) {
    apply_override(document, text);
    if (!document.contains("members")) continue;
    // Members have all their keys here; in a file the silent ones take over what the mixture says.
    for (nlohmann::json& member : document["members"])
      if (member.contains(nlohmann::json::json_pointer(text.substr(0, text.find('='))))) apply_override(member, text);
  }
  return overrides.empty() ? recipe : parse_registered_recipe(document);
}

Recipe parse_recipe_text(const std::string& text, const std::string& name) {
  return parse_recipe(parse_json(text, name), model_infos());
}

std::string value_text(const Recipe& recipe, const std::string& section, const std::string& key) {
  return to_json(recipe, model_infos()).at(section).at(key).dump();
}

}  // namespace alacarte
