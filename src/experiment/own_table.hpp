#pragma once
// A user table as a data set of an experiment, in place of a catalogue name.
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>
#include "catalogue.hpp"

namespace alacarte {

/// Entry of "datasets" that is an object. Keys: file, name (default: that of the file), folds (default 10) or mask,
/// data (a recipe's data section, which overrides that of the recipes).
struct OwnTable {
  std::string name;             ///< name in the experiment and its report
  std::string file;             ///< path, beside the experiment file or resolved by find_data()
  std::string mask;             ///< CSV of 0/1 with a column per fold; "" = a random partition
  Index folds = 10;             ///< number of folds of the random partition
  nlohmann::json data_section;  ///< null = the recipes' own section
};

/// Parses an entry. Throws ConfigError with the JSON pointer: unknown keys, wrong types, both folds and mask, and a
/// data section that no recipe could have.
OwnTable parse_own_table(const nlohmann::json& json, const std::string& pointer);

/// Returns the name of an entry of "datasets": a catalogue name, or a table's name by parse_own_table(). Throws
/// ConfigError.
std::string dataset_name(const nlohmann::json& entry, const std::string& pointer);

/// Returns the options for reading the table: its data section with the defaults of a recipe.
DataConfig data_config(const nlohmann::json& data_section);
/// Returns the section as overrides of a recipe: "/data/KEY=JSON".
std::vector<std::string> data_overrides(const nlohmann::json& data_section);

/// Returns the table as a catalogue entry: group and task "own". Throws ConfigError for a rows file, and what opening
/// the table throws. Cost: a pass over the file to count its rows.
DatasetEntry catalogue_entry(const OwnTable& table, const std::string& data_path, const std::string& mask_path);

}  // namespace alacarte
