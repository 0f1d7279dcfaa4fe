#include "alacarte/app/recipe_source.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/core/text_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"

namespace alacarte {
namespace {

void apply_override(nlohmann::json& document, const std::string& text) {
  const auto split = text.find('=');
  if (text.empty() || text[0] != '/' || split == std::string::npos) {
    throw ConfigError("--set", fmt::format("'{}' is not of the form /section/key=JSON", text));
  }
  const std::string pointer = text.substr(0, split);
  nlohmann::json value;
  try {
    value = parse_json(text.substr(split + 1), "--set " + pointer);
  } catch (const ConfigError& error) {
    throw ConfigError("--set " + pointer, fmt::format("'{}' is not a JSON value (text needs its quotes: '{}=\"word\"')",
                                                      text.substr(split + 1), pointer));
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

}  // namespace alacarte
