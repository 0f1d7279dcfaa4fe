#pragma once
// Resolves short names of recipes, configurations and data to paths, and reads recipes with single keys changed.
#include <alacarte/core/recipe.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// `name` if such a file exists, else NAME.json among the recipes that ship: $ALACARTE_CONFIG_DIR/recipes, the share
/// folder of the installation that the running program is from, or the source tree of the build. Throws IoError that
/// lists the recipes there are.
std::string find_recipe(const std::string& name);

/// Reads a recipe of the registered models; each override is "/section/key=JSON" (a JSON pointer and a value, or a bare
/// word) and goes through the same strict parser. Throws ConfigError (pointer "--set KEY" for an override) or IoError.
Recipe read_recipe_with(const std::string& path, const std::vector<std::string>& overrides);

/// A recipe with such overrides. Throws ConfigError as read_recipe_with().
Recipe recipe_with(const Recipe& recipe, const std::vector<std::string>& overrides);

/// A file among the configurations that ship ("datasets.json"), looked for where recipes are. Throws IoError.
std::string find_config(const std::string& name);

/// The folder in which the build or the installation put Vega, as node_modules: vega/ beside the program, or
/// in a folder of configurations. "" when none has all three packages.
std::string find_vega();

/// $ALACARTE_DATA_DIR. Throws IoError when it is not set.
std::string data_root();

/// `name` if it exists or is "-", else the same under $ALACARTE_DATA_DIR; a folder stands for its data.csv.gz or
/// data.csv. Throws IoError naming what was tried.
std::string find_data(const std::string& name);

/// `name`, or the same under $ALACARTE_DATA_DIR. Throws IoError.
std::string find_file(const std::string& name);

/// test_mask.csv.gz or test_mask.csv beside a data file. Throws IoError when there is none.
std::string mask_beside(const std::string& data_path);

}  // namespace alacarte
