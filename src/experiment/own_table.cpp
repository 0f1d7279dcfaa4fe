#include "own_table.hpp"

#include <filesystem>

#include "alacarte/core/error.hpp"
#include "alacarte/data/rows_file.hpp"
#include "alacarte/data/table.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "data/splits.hpp"
#include "experiment/strict_object.hpp"

namespace alacarte {
namespace {

using experiment_detail::StrictObject;
using Json = nlohmann::json;

constexpr Index kMaxTableFolds = 1'000'000;

/// Returns "houses" for "data/houses.csv.gz".
std::string name_of_file(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  const auto dot = name.find('.', 1);
  return name.substr(0, dot);
}

void check_data_section(const StrictObject& object, const Json& section) {
  try {
    data_config(section);
  } catch (const ConfigError& wrong) {
    throw wrong.at(object.pointer() + wrong.pointer());
  }
}

}  // namespace

OwnTable parse_own_table(const Json& json, const std::string& pointer) {
  StrictObject object(json, pointer);
  OwnTable table;
  table.file = object.text("file");
  table.name = object.has("name") ? object.text("name") : name_of_file(table.file);
  if (object.has("mask")) table.mask = object.text("mask");
  if (object.has("folds")) {
    if (!table.mask.empty()) object.refuse("folds", "means nothing beside \"mask\", whose columns are the folds");
    table.folds = object.integer("folds", 2, kMaxTableFolds);
  }
  if (object.has("data")) {
    table.data_section = object.at("data");
    check_data_section(object, table.data_section);
  }
  object.done();
  return table;
}

std::string dataset_name(const Json& entry, const std::string& pointer) {
  if (entry.is_object()) return parse_own_table(entry, pointer).name;
  if (!entry.is_string() || entry.get<std::string>().empty())
    throw ConfigError(pointer, "must be a name of the catalogue, or {\"file\": ..} for a table of one's own");
  return entry.get<std::string>();
}

DataConfig data_config(const Json& data_section) {
  Json recipe = {{"model", "linear"}};
  if (!data_section.is_null()) recipe["data"] = data_section;
  return parse_registered_recipe(recipe).data;
}

std::vector<std::string> data_overrides(const Json& data_section) {
  std::vector<std::string> overrides;
  for (const auto& [key, value] : data_section.items()) overrides.push_back("/data/" + key + "=" + value.dump());
  return overrides;
}

DatasetEntry catalogue_entry(const OwnTable& table, const std::string& data_path, const std::string& mask_path) {
  if (is_rows_file(data_path)) throw ConfigError("/datasets", data_path + " is a rows file; experiments read tables");
  const DataConfig config = data_config(table.data_section);
  DatasetEntry entry;
  entry.name = entry.title = table.name;
  entry.group = entry.task = "own";
  entry.rows = count_rows(data_path, config);
  entry.inputs = static_cast<Index>(open_table(data_path, config)->columns().size()) - 1;
  entry.split =
      table.mask.empty() ? DatasetSplit{"folds", table.folds} : DatasetSplit{"mask", count_mask_folds(mask_path)};
  return entry;
}

}  // namespace alacarte
