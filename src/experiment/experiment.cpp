#include "experiment.hpp"

#include <fmt/format.h>
#include <filesystem>
#include <limits>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/data/rows_file.hpp"
#include "alacarte/data/table.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "app/find_files.hpp"
#include "baselines.hpp"
#include "core/text_file.hpp"
#include "data/splits.hpp"
#include "experiment/leases.hpp"
#include "experiment/strict_object.hpp"
#include "io/documents.hpp"
#include "runner.hpp"

namespace alacarte {
namespace {

using experiment_detail::StrictObject;
using Json = nlohmann::json;

const std::vector<std::string> kSelectableGroups = {"all", "small", "medium", "large", "regression"};

constexpr std::uint64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();  // largest integer in result files

const Json& list_at(StrictObject& object, const std::string& key) {
  const Json& list = object.at(key);
  if (!list.is_array() || list.empty()) object.refuse(key, "must be an array of at least one entry");
  return list;
}

double number_at(StrictObject& object, const std::string& key, double maximum) {
  const std::optional<double> number = object.number_or_null(key);
  if (!number) return 0;
  if (!(*number >= 0 && *number <= maximum)) object.refuse(key, fmt::format("must be from 0 to {:g}", maximum));
  return *number;
}

template <class Integer>
std::vector<Integer> integers_at(StrictObject& object, const std::string& key) {
  std::vector<Integer> result;
  for (const Json& entry : list_at(object, key)) {
    if (!entry.is_number_unsigned()) object.refuse(key, "holds " + entry.dump() + ", which is no integer from 0");
    if (entry.get<std::uint64_t>() > kMaxInteger)
      object.refuse(key, fmt::format("holds {}, and must be at most {}", entry.dump(), kMaxInteger));
    result.push_back(entry.get<Integer>());
    if (std::count(result.begin(), result.end(), result.back()) > 1)
      object.refuse(key, "holds " + entry.dump() + " twice");
  }
  return result;
}

/// Returns the groups, then the data sets of the experiment.
std::vector<std::string> selectable(const Experiment& experiment) {
  std::vector<std::string> names = kSelectableGroups;
  names.insert(names.end(), experiment.datasets.begin(), experiment.datasets.end());
  return names;
}

ByDatasets<Overrides> overrides_at(StrictObject& parent, const std::string& key, const Experiment& experiment) {
  ByDatasets<Overrides> result;
  StrictObject object(parent.at(key), parent.place(key));
  for (const std::string& name : selectable(experiment)) {
    if (!object.has(name)) continue;
    const Json& changes = object.at(name);
    if (!changes.is_object()) object.refuse(name, "must be an object of recipe pointers and values");
    Overrides& overrides = result[name];
    for (const auto& [pointer, value] : changes.items()) overrides.push_back(pointer + "=" + value.dump());
  }
  object.done();
  return result;
}

ByDatasets<std::vector<Index>> folds_at(StrictObject& parent, const std::string& key, const Experiment& experiment) {
  const Json& folds = parent.at(key);
  if (!folds.is_object()) return {{"all", integers_at<Index>(parent, key)}};
  ByDatasets<std::vector<Index>> result;
  StrictObject object(folds, parent.place(key));
  for (const std::string& name : selectable(experiment))
    if (object.has(name)) result[name] = integers_at<Index>(object, name);
  object.done();
  return result;
}

Method method_of(const Json& json, const std::string& pointer, const Experiment& experiment) {
  StrictObject object(json, pointer);
  Method method;
  if (object.has("recipe")) method.recipe = object.text("recipe");
  if (object.has("baseline")) method.baseline = object.choice("baseline", baseline_names());
  method.label = object.has("label") ? object.text("label") : method.recipe + method.baseline;
  if (object.has("overrides")) method.overrides = overrides_at(object, "overrides", experiment);
  object.done();
  if (method.recipe.empty() == method.baseline.empty())
    throw ConfigError(pointer, "needs either \"recipe\" or \"baseline\"");
  if (!method.baseline.empty() && !method.overrides.empty()) object.refuse("overrides", "means nothing for a baseline");
  return method;
}

void read_datasets(StrictObject& object, Experiment& experiment) {
  const Json& list = list_at(object, "datasets");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = object.place("datasets") + "/" + std::to_string(i);
    experiment.datasets.push_back(dataset_name(list[i], place));
    if (list[i].is_object()) experiment.tables.push_back(parse_own_table(list[i], place));
  }
}

namespace fs = std::filesystem;

fs::path beside(const ExperimentFile& file, const std::string& name) {
  return fs::path(file.path).parent_path() / name;
}

Json described(Json schema, const char* meaning) {
  schema["description"] = meaning;
  return schema;
}

Json text(const char* meaning) { return described({{"type", "string"}, {"minLength", 1}}, meaning); }

Json integer(double minimum, double maximum, const char* meaning) {
  return described({{"type", "integer"}, {"minimum", minimum}, {"maximum", maximum}}, meaning);
}

Json limit(const char* meaning) {
  return described({{"type", {"number", "null"}}, {"minimum", 0}, {"maximum", 1e9}}, meaning);
}

Json numbers() {
  return {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", {{"type", "integer"}, {"minimum", 0}}}};
}

/// Returns the schema of an object whose keys are groups of data sets and names of the experiment's.
Json by_datasets(Json value) { return {{"type", "object"}, {"additionalProperties", std::move(value)}}; }

Json overrides(const char* meaning) {
  return described(by_datasets({{"type", "object"}, {"propertyNames", {{"pattern", "^/"}}}}), meaning);
}

Json object(Json properties, Json required) {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"properties", std::move(properties)},
          {"required", std::move(required)}};
}

Json table_schema() {
  Json properties = {{"file", text("table: beside the experiment, or where --data would find it")},
                     {"name", text("what the report calls it; default: the file's name")},
                     {"folds", integer(2, 1e6, "size of the random partition; default: 10")},
                     {"mask", text("CSV of 0/1 in place of folds, a column for each fold")},
                     {"data", recipe_schema(model_infos())["properties"]["data"]}};
  Json schema = object(std::move(properties), {"file"});
  schema["not"] = {{"required", {"folds", "mask"}}};
  return schema;
}

Json method_schema() {
  Json schema = object({{"label", text("heading in the tables")},
                        {"recipe", text("a name, or a file beside the experiment")},
                        {"baseline", {{"enum", baseline_names()}}},
                        {"overrides", overrides("by group of data sets or name of one: JSON pointers into the recipe "
                                                "and their values")}},
                       Json::array());
  schema["oneOf"] = {{{"required", {"recipe"}}}, {{"required", {"baseline"}}}};
  return schema;
}

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

Experiment parse_experiment(const Json& json) {
  StrictObject object(json, "");
  Experiment experiment;
  experiment.name = object.text("name");
  if (object.has("description")) experiment.description = object.text("description");
  if (object.has("paper")) experiment.paper = object.text("paper");
  read_datasets(object, experiment);
  const Json& methods = list_at(object, "recipes");
  std::set<std::string> labels, names(experiment.datasets.begin(), experiment.datasets.end());
  if (names.size() < experiment.datasets.size()) object.refuse("datasets", "names one twice");
  for (std::size_t i = 0; i < methods.size(); ++i) {
    experiment.methods.push_back(method_of(methods[i], object.place("recipes") + "/" + std::to_string(i), experiment));
    const std::string& label = experiment.methods.back().label;
    if (!labels.insert(label).second) object.refuse("recipes", "has the label '" + label + "' twice");
  }
  if (object.has("overrides")) experiment.overrides = overrides_at(object, "overrides", experiment);
  if (!experiment.overrides.empty() && std::all_of(experiment.methods.begin(), experiment.methods.end(),
                                                   [](const Method& method) { return method.recipe.empty(); }))
    object.refuse("overrides", "means nothing where all are baselines");
  if (object.has("folds")) experiment.folds = folds_at(object, "folds", experiment);
  if (object.has("seeds")) experiment.seeds = integers_at<std::uint64_t>(object, "seeds");
  if (object.has("train_rows")) experiment.train_rows = object.integer("train_rows", 2, Index{1} << 53);
  if (object.has("class_numbers")) experiment.class_numbers = object.boolean("class_numbers");
  if (object.has("threads")) experiment.threads = static_cast<int>(object.integer("threads", 1, 1024));
  if (object.has("seconds")) experiment.seconds = number_at(object, "seconds", 1e9);
  if (object.has("memory_mb")) experiment.memory_mb = number_at(object, "memory_mb", 1e9);
  if (object.has("trainers")) experiment.trainers = object.texts("trainers");
  object.done();
  return experiment;
}

ExperimentFile read_experiment_file(const std::string& path) {
  std::string text = read_text_file(path);
  const Json json = parse_json(text, path);
  try {
    return {path, std::move(text), parse_experiment(json)};
  } catch (const ConfigError& error) {
    throw error.in_file(path);
  }
}

std::vector<Run> expand(const ExperimentFile& file, const RunFilter& filter, ExpandRemarks& remarks) {
  ExperimentSources sources;
  sources.recipe = [&](const std::string& name, const std::vector<std::string>& overrides) {
    std::error_code error;
    const std::string own = beside(file, name).string();
    return read_recipe_with(find_recipe(fs::is_regular_file(own, error) ? own : name), overrides);
  };
  sources.data = [](const DatasetEntry& entry) { return find_data(entry.data_file()); };
  sources.mask = [](const DatasetEntry& entry) { return find_file(entry.mask_file()); };
  sources.file = [&](const std::string& name) {
    std::error_code error;
    const std::string own = beside(file, name).string();
    return fs::is_regular_file(own, error) ? own : find_data(name);
  };
  return expand(file.experiment, shipped_catalogue(), sources, filter, remarks);
}

void keep_experiment(const ExperimentFile& file, const std::string& folder) {
  make_folders(folder);
  std::error_code error;
  const std::string kept = (fs::path(folder) / "experiment.json").string();
  if (fs::exists(kept, error)) {
    const std::string other = read_experiment_file(kept).experiment.name;
    if (other != file.experiment.name)
      throw ConfigError("--out", fmt::format("{} holds the results of another experiment, '{}'", folder, other));
  }
  write_shared_file(folder, "experiment.json", file.text);
  if (const std::string& paper = file.experiment.paper; !paper.empty())
    write_shared_file(folder, "paper.csv", read_text_file(beside(file, paper).string()));
}

Json experiment_schema() {
  const Json dataset = {{"anyOf", {text("a name of the catalogue"), table_schema()}}};
  Json schema = object(
      {{"name", text("of the experiment")},
       {"description", text("for the report")},
       {"paper", text("CSV with published numbers, beside the experiment")},
       {"datasets", {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", dataset}}},
       {"recipes", {{"type", "array"}, {"minItems", 1}, {"items", method_schema()}}},
       {"overrides", overrides("of every recipe, before its own")},
       {"folds", described({{"anyOf", {numbers(), by_datasets(numbers())}}},
                           "which folds, from 0, or by group of data sets or name of one; default: all")},
       {"seeds", described(numbers(), "of folds and fits; default: 0")},
       {"train_rows", integer(2, 9007199254740992.0, "most training rows of a fold; default: all")},
       {"class_numbers", described({{"type", "boolean"}}, "data sets of classes too, by the number of the class")},
       {"threads", integer(1, 1024, "of one run; default: 1")},
       {"seconds", limit("limit of one run")},
       {"memory_mb", limit("limit of one run")},
       {"trainers", described({{"type", "array"}, {"items", {{"type", "string"}}}},
                              "versions of other trainers whose results count")}},
      {"name", "datasets", "recipes"});
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "Experiment of alacarte";
  return schema;
}

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
  table.data_section = Json::object();
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
  if (data_section.contains("exposure")) recipe["likelihood"] = "poisson";  // the only ones that have exposures
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
