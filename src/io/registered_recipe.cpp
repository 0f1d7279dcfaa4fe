#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "core/text_file.hpp"

namespace alacarte {
namespace {

/// Rejects an explicit /scale/target that the likelihood does not use, even if it equals the default for numbers.
Recipe resolve_read(const Recipe& recipe, const nlohmann::json& json) {
  const Recipe whole = apply_likelihood_defaults(recipe);
  const nlohmann::json::json_pointer place("/scale/target");
  if (whole.scale_target != recipe.scale_target && json.contains(place) && json[place] != "none")
    throw ConfigError("/scale/target", "classes and counts are not scaled; leave it out");
  return whole;
}

}  // namespace

Recipe parse_registered_recipe(const nlohmann::json& json) {
  return resolve_read(parse_recipe(json, model_infos()), json);
}

Recipe read_registered_recipe(const std::string& path) {
  const Recipe recipe = read_recipe(path, model_infos());
  try {
    return resolve_read(recipe, parse_json(read_text_file(path), path));
  } catch (const ConfigError& error) {
    throw error.in_file(path);
  }
}

}  // namespace alacarte
