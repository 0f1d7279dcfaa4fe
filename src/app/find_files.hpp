#pragma once
// Resolves short names of recipes, configurations and data to paths.
#include <string>

namespace alacarte {

/// Returns `name` if such a file exists, else NAME.json from the shipped recipes: $ALACARTE_CONFIG_DIR/recipes, the
/// share folder of the running program's installation, or the build's source tree. Throws IoError listing the recipes.
std::string find_recipe(const std::string& name);

/// Finds a file among the shipped configurations ("datasets.json"), in the same places as recipes. Throws IoError.
std::string find_config(const std::string& name);

/// Returns the folder with Vega from the build or the installation, laid out as node_modules: vega/ beside the program,
/// or in a configuration folder. Returns "" if none has all three packages.
std::string find_vega();

/// Returns $ALACARTE_DATA_DIR. Throws IoError if it is not set.
std::string data_root();

/// Returns `name` if it exists or is "-", else its path under $ALACARTE_DATA_DIR; a folder stands for its data.csv.gz
/// or data.csv. Throws IoError naming the paths tried.
std::string find_data(const std::string& name);

/// Returns `name`, or its path under $ALACARTE_DATA_DIR. Throws IoError.
std::string find_file(const std::string& name);

/// Returns test_mask.csv.gz or test_mask.csv beside a data file. Throws IoError if there is none.
std::string mask_beside(const std::string& data_path);

}  // namespace alacarte
