#pragma once
// A recipe file with single keys changed.
#include <alacarte/core/recipe.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Reads a recipe of the registered models; each override is "/section/key=JSON" (a JSON pointer and a value) and goes
/// through the same strict parser. Throws ConfigError (pointer "--set KEY" for an override) or IoError.
Recipe read_recipe_with(const std::string& path, const std::vector<std::string>& overrides);

}  // namespace alacarte
