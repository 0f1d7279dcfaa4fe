#include "alacarte/experiment/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "alacarte/core/error.hpp"
#include "alacarte/core/text_file.hpp"
#include "alacarte/experiment/stored.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "experiment/result_files.hpp"
#include "experiment/strict_object.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;
using experiment_detail::StrictObject;
using Json = nlohmann::json;

/// The names and their order; the runner has judged the rest.
void read_experiment(const Json& json, ResultSet& results) {
  StrictObject root(json, "");
  results.name = root.text("name");
  if (root.has("description")) results.description = root.text("description");
  results.datasets = root.texts("datasets");
  const Json& recipes = root.at("recipes");
  if (!recipes.is_array()) root.refuse("recipes", "must be an array");
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    StrictObject method(recipes[i], "/recipes/" + std::to_string(i));
    results.labels.push_back(method.text(method.has("label") ? "label" : method.has("recipe") ? "recipe" : "baseline"));
  }
}

using Key = std::tuple<std::string, std::string, Index, std::int64_t>;

/// What `read` makes of one result; `file` is what the report calls it.
class Collector {
 public:
  explicit Collector(ResultSet& results) : results_(results) {}

  template <class Read>
  void add(const std::string& file, const std::string& path, Read&& read) {
    try {
      const Json json = read();
      RunResult run = parse_result(json);
      run.file = file;
      run.hash = json["hash"];
      const auto [other, fresh] = seen_.insert({{run.dataset, run.label, run.fold, run.seed}, {file, run.hash}});
      if (fresh)
        results_.runs.push_back(std::move(run));
      else
        results_.broken.push_back({file, "is of the same unit as " + other->second.first});
    } catch (const Error& error) {
      results_.broken.push_back({file, without_place(error.what(), {path, file})});
    }
  }

 private:
  static std::string without_place(std::string reason, const std::vector<std::string>& places) {
    for (const std::string& place : places)
      if (reason.rfind(place + ": ", 0) == 0) reason = reason.substr(place.size() + 2);
    return reason;
  }

  ResultSet& results_;
  std::map<Key, std::pair<std::string, std::string>> seen_;
};

}  // namespace

const char* name_of(Measure measure) {
  switch (measure) {
    case Measure::rmse:
      return "rmse";
    case Measure::nlpd:
      return "nlpd";
    case Measure::coverage95:
      return "coverage95";
    case Measure::accuracy:
      return "accuracy";
    case Measure::log_loss:
      return "log_loss";
    case Measure::ece:
      return "ece";
    case Measure::train_seconds:
      return "train_seconds";
    case Measure::predict_seconds:
      return "predict_seconds";
    case Measure::peak_mb:
      return "peak_mb";
  }
  return "";
}

ResultSet read_results(const std::string& place) {
  ResultSet results;
  Collector collector(results);
  std::error_code error;
  if (fs::is_regular_file(place, error)) {
    const StoredResults stored = read_stored(place);
    if (!stored.experiment.is_null()) read_experiment(stored.experiment, results);
    for (std::size_t i = 0; i < stored.runs.size(); ++i)
      collector.add(fmt::format("{}, unit {}", fs::path(place).filename().string(), i), place,
                    [&] { return stored.runs[i]; });
    return results;
  }
  const std::vector<std::string> files = experiment_detail::result_files(place);
  const std::string experiment = (fs::path(place) / "experiment.json").string();
  if (fs::exists(experiment, error)) {
    try {
      read_experiment(parse_json(read_text_file(experiment), experiment), results);
    } catch (const Error& wrong) {
      results.broken.push_back({"experiment.json", wrong.what()});
    }
  }
  for (const std::string& path : files) {
    const std::string file = fs::path(path).filename().string();
    collector.add(file, path, [&] { return parse_json(read_text_file(path), file); });
  }
  return results;
}

void add_results(const ResultSet& more, ResultSet& results) {
  const auto add_once = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const std::string& name : more.datasets) add_once(results.datasets, name);
  for (const std::string& name : more.labels) add_once(results.labels, name);
  const auto key = [](const RunResult& run) { return Key{run.dataset, run.label, run.fold, run.seed}; };
  std::map<Key, const RunResult*> known;
  for (const RunResult& run : results.runs) known[key(run)] = &run;
  std::vector<RunResult> fresh;
  for (const RunResult& run : more.runs) {
    const auto found = known.find(key(run));
    if (found == known.end())
      fresh.push_back(run);
    else if (found->second->hash != run.hash)
      throw ConfigError("method", fmt::format("'{}' on {} is in two of the experiments, with different inputs",
                                              run.label, run.dataset));
  }
  results.runs.insert(results.runs.end(), fresh.begin(), fresh.end());
  results.broken.insert(results.broken.end(), more.broken.begin(), more.broken.end());
}

}  // namespace alacarte
