#include "recipe_source.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/core/text_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "paths.hpp"

namespace alacarte::cli {
namespace {

using nlohmann::json;

void apply_override(json& document, const std::string& text) {
  const auto split = text.find('=');
  if (text.empty() || text[0] != '/' || split == std::string::npos) {
    throw ConfigError("--set", fmt::format("'{}' is not of the form /section/key=JSON", text));
  }
  const std::string pointer = text.substr(0, split);
  json value;
  try {
    value = parse_json(text.substr(split + 1), "--set " + pointer);
  } catch (const ConfigError& error) {
    throw ConfigError("--set " + pointer, fmt::format("'{}' is not a JSON value (text needs its quotes: '{}=\"word\"')",
                                                      text.substr(split + 1), pointer));
  }
  try {
    document[json::json_pointer(pointer)] = std::move(value);
  } catch (const json::exception&) {
    throw ConfigError("--set " + pointer, "there is no such place in the recipe");
  }
}

}  // namespace

CLI::Option* add_recipe_argument(CLI::App& app, RecipeSource& source) {
  return app.add_option("RECIPE", source.path,
                        "Recipe: a JSON file, or the name of one that ships (ard, gm, auto, ..)");
}

void add_override_option(CLI::App& app, RecipeSource& source) {
  app.add_option("--set", source.overrides,
                 "Change one key of the recipe, by JSON pointer: --set /training/iterations=50. Repeatable")
      ->type_name("KEY=JSON")
      ->expected(1)
      ->take_all();
}

Recipe read_recipe_source(const RecipeSource& source) {
  const std::string path = find_recipe(source.path);
  Recipe recipe;
  if (source.overrides.empty()) {
    recipe = read_registered_recipe(path);
  } else {
    json document = parse_json(read_text_file(path), path);
    for (const std::string& text : source.overrides) apply_override(document, text);
    recipe = parse_registered_recipe(document);
  }
  if (!source.target.empty()) recipe.data.target = source.target;
  return recipe;
}

std::vector<Recipe> fits_of(const Recipe& recipe) {
  return recipe.model == "mixture" ? recipe.members : std::vector<Recipe>{recipe};
}

}  // namespace alacarte::cli
