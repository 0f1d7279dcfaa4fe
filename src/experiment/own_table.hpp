#pragma once
// A table of one's own as a data set of an experiment, in place of a name of the catalogue.
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>
#include "catalogue.hpp"

namespace alacarte {

/// One entry of "datasets" that is an object. Keys: file, name (default: that of the file), folds (default 10) or mask,
/// data (a recipe's data section, which goes before that of the recipes).
struct OwnTable {
  std::string name;             ///< what the experiment and its report call it
  std::string file;             ///< path, beside the experiment file or as find_data() takes it
  std::string mask;             ///< CSV of 0/1 with a column for each fold; "" = a random partition
  Index folds = 10;             ///< of the random partition
  nlohmann::json data_section;  ///< null = the recipes' own
};

/// Throws ConfigError with the JSON pointer: unknown keys, wrong types, both of folds and mask, and a data section that
/// no recipe could have.
OwnTable parse_own_table(const nlohmann::json& json, const std::string& pointer);

/// The name of one entry of "datasets": a name of the catalogue as it is, that of a table as parse_own_table() gives
/// it. Throws ConfigError.
std::string dataset_name(const nlohmann::json& entry, const std::string& pointer);

/// How the table is read: its data section with the defaults of a recipe.
DataConfig data_config(const nlohmann::json& data_section);
/// The section as overrides of a recipe: "/data/KEY=JSON".
std::vector<std::string> data_overrides(const nlohmann::json& data_section);

/// The table in the form of the catalogue: group and task "own". Throws ConfigError for a rows file, and what opening
/// the table throws. Cost: a pass over the file, to count its rows.
DatasetEntry catalogue_entry(const OwnTable& table, const std::string& data_path, const std::string& mask_path);

}  // namespace alacarte
