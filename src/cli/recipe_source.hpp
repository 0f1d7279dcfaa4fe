#pragma once
// A recipe as the command line gives it: a file or a shipped name, with --set and --target applied on top.
#include <CLI/CLI.hpp>
#include <alacarte/core/recipe.hpp>
#include <string>
#include <vector>

namespace alacarte::cli {

struct RecipeSource {
  std::string path, target;
  std::vector<std::string> overrides;  ///< KEY=JSON
};

CLI::Option* add_recipe_argument(CLI::App& app, RecipeSource& source);  ///< positional RECIPE
void add_override_option(CLI::App& app, RecipeSource& source);          ///< --set

/// Throws ConfigError or IoError.
Recipe read_recipe_source(const RecipeSource& source);

/// The fits of a recipe: its members when it is a mixture (copies not repeated), else itself.
std::vector<Recipe> fits_of(const Recipe& recipe);

}  // namespace alacarte::cli
