#include "experiment.hpp"

#include <fmt/format.h>
#include <filesystem>
#include <limits>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "app/find_files.hpp"
#include "baselines.hpp"
#include "core/text_file.hpp"
#include "experiment/leases.hpp"
#include "experiment/strict_object.hpp"
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

}  // namespace alacarte
