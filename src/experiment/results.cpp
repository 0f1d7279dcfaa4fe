#include "results.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <tuple>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "core/text_file.hpp"
#include "experiment/experiment.hpp"
#include "experiment/leases.hpp"
#include "experiment/strict_object.hpp"
#include "runner.hpp"
#include "stored.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;
using experiment_detail::StrictObject;
using Json = nlohmann::json;

constexpr const char* kShared[] = {"recipe", "program", "machine", "data"};
constexpr std::size_t kMaxStoredPredictions = 100;

/// Returns FOLDER/results/*.json, sorted. Throws IoError if there is no such folder or file.
std::vector<std::string> result_files(const std::string& folder) {
  const fs::path below = fs::path(folder) / "results";
  std::vector<std::string> files;
  std::error_code error;
  if (!fs::is_directory(below, error)) throw IoError(folder, "has no folder results/; alacarte run makes one");
  for (fs::directory_iterator entry(below, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json") files.push_back(entry->path().string());
  if (error) throw IoError(below.string(), "cannot be read: " + error.message());
  if (files.empty()) throw IoError(below.string(), "holds no result (*.json)");
  std::sort(files.begin(), files.end());
  return files;
}

/// Reads the names and their order; the runner has validated the rest.
void read_experiment(const Json& json, ResultSet& results) {
  StrictObject root(json, "");
  results.name = root.text("name");
  if (root.has("description")) results.description = root.text("description");
  const Json& datasets = root.at("datasets");
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const std::string place = "/datasets/" + std::to_string(i);
    results.datasets.push_back(dataset_name(datasets[i], place));
    if (!datasets[i].is_object()) continue;
    const OwnTable table = parse_own_table(datasets[i], place);
    results.tables[table.name] = table.mask.empty() ? table.folds : 0;
  }
  const Json& recipes = root.at("recipes");
  if (!recipes.is_array()) root.refuse("recipes", "must be an array");
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    StrictObject method(recipes[i], "/recipes/" + std::to_string(i));
    results.labels.push_back(method.text(method.has("label") ? "label" : method.has("recipe") ? "recipe" : "baseline"));
  }
}

/// Identity of a run in an experiment: data set, method, fold and seed.
using RunKey = std::tuple<std::string, std::string, Index, std::int64_t>;

RunKey key_of(const RunResult& run) { return {run.dataset, run.label, run.fold, run.seed}; }

/// Collects what `read` returns for each result; `file` is its name in the report.
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
      const auto [other, fresh] = seen_.insert({key_of(run), file});
      if (fresh)
        results_.runs.push_back(std::move(run));
      else
        results_.broken.push_back({file, "is of the same unit as " + other->second});
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
  std::map<RunKey, std::string> seen_;  // file of each run
};

/// Returns for each result the index of the newer result of its data set and method with other settings that displaces
/// it; its own index if it counts. `times` of the results; among equally new ones the majority counts.
std::vector<std::size_t> outdated_by(const std::vector<const RunResult*>& runs,
                                     const std::vector<fs::file_time_type>& times) {
  struct Group {
    fs::file_time_type newest;
    std::size_t count = 0, example = 0;
  };
  std::map<std::pair<std::string, std::string>, std::map<std::string, Group>> methods;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i]->done) continue;
    Group& group = methods[{runs[i]->dataset, runs[i]->label}][runs[i]->settings];
    if (group.count++ == 0 || times[i] > group.newest) {
      group.newest = times[i];
      group.example = i;
    }
  }
  std::vector<std::size_t> by(runs.size());
  std::iota(by.begin(), by.end(), std::size_t{0});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i]->done) continue;
    const auto& groups = methods[{runs[i]->dataset, runs[i]->label}];
    const auto last = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
      return std::tie(a.second.newest, a.second.count) < std::tie(b.second.newest, b.second.count);
    });
    const RunResult& newest = *runs[last->second.example];
    const bool same_partition = runs[i]->folds == 0 || newest.folds == 0 || runs[i]->folds == newest.folds;
    if (last->first != runs[i]->settings || !same_partition) by[i] = last->second.example;
  }
  return by;
}

/// Moves outdated results to `broken`.
void keep_newest(ResultSet& results, const std::vector<fs::file_time_type>& times) {
  std::vector<const RunResult*> runs;
  for (const RunResult& run : results.runs) runs.push_back(&run);
  const std::vector<std::size_t> by = outdated_by(runs, times);
  std::vector<RunResult> kept;
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (by[i] == i) continue;
    results.broken.push_back({results.runs[i].file, "is of another recipe, partition or table than " +
                                                        results.runs[by[i]].file + ", which is newer"});
  }
  for (std::size_t i = 0; i < by.size(); ++i)
    if (by[i] == i) kept.push_back(std::move(results.runs[i]));
  results.runs = std::move(kept);
}

fs::file_time_type written_at(const std::string& path) {
  std::error_code error;
  return fs::last_write_time(path, error);
}

void round_numbers(Json& json) {
  if (json.is_number_float())
    json = std::strtod(fmt::format("{:.6g}", json.get<double>()).c_str(), nullptr);
  else if (json.is_structured())
    for (Json& part : json) round_numbers(part);
}

/// Keeps every k-th row, so that at most kMaxStoredPredictions are left.
void thin_predictions(Json& predictions) {
  if (!predictions.is_object()) return;
  for (auto& [key, column] : predictions.items()) {
    if (!column.is_array()) continue;
    const std::size_t step = (column.size() + kMaxStoredPredictions - 1) / kMaxStoredPredictions;
    Json kept = Json::array();
    for (std::size_t i = 0; i < column.size(); i += step) kept.push_back(column[i]);
    column = std::move(kept);
  }
}

/// Returns the index of the value, adding it if it is new.
std::size_t index_of(std::vector<Json>& values, const Json& value) {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

Json shrunk(Json run, bool first, std::map<std::string, std::vector<Json>>& shared) {
  if (first) {
    if (run.contains("predictions")) thin_predictions(run["predictions"]);
  } else {
    if (run.contains("predictions")) run["predictions"] = nullptr;
    if (run.contains("training") && run["training"].is_object()) run["training"]["fits"] = Json::array();
  }
  for (const char* key : {"train", "test", "training", "seconds", "peak_mb", "predictions"})
    if (run.contains(key)) round_numbers(run[key]);
  for (const char* key : kShared)
    if (run.contains(key)) run[key] = index_of(shared[key], run[key]);
  return run;
}

/// Returns a run with its shared parts restored.
Json with_shared_parts(Json run, const Json& shared, const std::string& place) {
  if (!run.is_object()) throw ConfigError(place, "must be an object");
  for (const char* key : kShared) {
    const auto at = run.find(key);
    if (at == run.end()) continue;
    const bool good = at->is_number_unsigned() && shared.contains(key) && shared[key].is_array() &&
                      at->get<std::size_t>() < shared[key].size();
    if (!good) throw ConfigError(place + "/" + key, "is no index into /shared/" + std::string(key));
    *at = shared[key][at->get<std::size_t>()];
  }
  return run;
}

/// Returns the results that are done.
std::map<RunKey, const Json*> finished_runs(const StoredResults& stored, const std::string& path) {
  std::map<RunKey, const Json*> runs;
  for (std::size_t i = 0; i < stored.runs.size(); ++i) {
    try {
      const RunResult result = parse_result(stored.runs[i]);
      if (result.done) runs[key_of(result)] = &stored.runs[i];
    } catch (const ConfigError& wrong) {
      throw ConfigError(fmt::format("{}, unit {}", path, i), wrong.what());
    }
  }
  return runs;
}

/// Returns the results that a report of the folder counts.
std::vector<std::pair<RunKey, Json>> counted_documents(const std::string& folder) {
  std::vector<std::pair<RunKey, Json>> documents;
  for (const RunResult& run : read_results(folder).runs) {
    const std::string path = (fs::path(folder) / "results" / run.file).string();
    documents.emplace_back(key_of(run), parse_json(read_text_file(path), path));
  }
  if (documents.empty()) throw IoError(folder, "holds no result that can be read");
  return documents;
}

/// Calls take(run, result) for each stored result that counts and is not in the folder.
template <class Take>
RestoredResults take_results(const std::string& path, const std::vector<Run>& runs, const std::string& folder,
                             const Take& take) {
  const StoredResults stored = read_stored(path);
  const std::map<RunKey, const Json*> by_run = finished_runs(stored, path);
  RestoredResults restored;
  for (const Run& run : runs) {
    const auto found = by_run.find({run.dataset, run.label, run.fold, static_cast<std::int64_t>(run.seed)});
    if (found == by_run.end() || result_status(folder, run) == "done") continue;
    const std::string hash = found->second->at("hash"), trainer = found->second->value("trainer", "1");
    if (!run.accepts(hash)) {
      if (hash == run.hash(trainer)) ++restored.refused[trainer];
      continue;
    }
    if (hash != run.hash()) ++restored.by_other[trainer];
    take(run, *found->second);
    restored.taken.insert(run.id);
  }
  return restored;
}

}  // namespace

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
    keep_newest(results, std::vector<fs::file_time_type>(results.runs.size()));
    return results;
  }
  const std::vector<std::string> files = result_files(place);
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
  std::vector<fs::file_time_type> times;
  for (const RunResult& run : results.runs)
    times.push_back(written_at((fs::path(place) / "results" / run.file).string()));
  keep_newest(results, times);
  return results;
}

void add_results(const ResultSet& more, ResultSet& results) {
  const auto add_once = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const std::string& name : more.datasets) add_once(results.datasets, name);
  for (const std::string& name : more.labels) add_once(results.labels, name);
  results.tables.insert(more.tables.begin(), more.tables.end());
  std::map<RunKey, RunResult*> known;
  for (RunResult& run : results.runs) known[key_of(run)] = &run;
  std::vector<RunResult> fresh;
  for (const RunResult& run : more.runs) {
    const auto found = known.find(key_of(run));
    if (found == known.end())
      fresh.push_back(run);
    else if (found->second->hash != run.hash)
      throw ConfigError(
          "method", fmt::format("'{}' on {} is in two of the experiments, with different inputs or trainers", run.label,
                                run.dataset));
    else if (run.done && !found->second->done)
      *found->second = run;
  }
  results.runs.insert(results.runs.end(), fresh.begin(), fresh.end());
  results.broken.insert(results.broken.end(), more.broken.begin(), more.broken.end());
}

void store_results(const std::string& folder, std::ostream& out) {
  std::vector<std::pair<RunKey, Json>> runs = counted_documents(folder);
  std::map<std::pair<std::string, std::string>, RunKey> first;  // first fold and seed of each data set and method
  for (const auto& [key, run] : runs) {
    RunKey& least = first.try_emplace({std::get<0>(key), std::get<1>(key)}, key).first->second;
    least = std::min(least, key);
  }
  std::map<std::string, std::vector<Json>> shared;
  for (auto& [key, run] : runs)
    run = shrunk(std::move(run), first.at({std::get<0>(key), std::get<1>(key)}) == key, shared);
  const std::string kept = (fs::path(folder) / "experiment.json").string();
  std::error_code error;
  const Json experiment = fs::exists(kept, error) ? parse_json(read_text_file(kept), kept) : Json();
  out << "{\"format\": 1,\n\"experiment\": " << experiment.dump() << ",\n\"shared\": " << Json(shared).dump()
      << ",\n\"units\": [\n";
  for (std::size_t i = 0; i < runs.size(); ++i) out << runs[i].second.dump() << (i + 1 < runs.size() ? ",\n" : "\n");
  out << "]}\n";
}

StoredResults read_stored(const std::string& path) {
  const Json json = parse_json(read_text_file(path), path);
  try {
    StrictObject root(json, "");
    root.integer("format", 1, 1);
    StoredResults stored;
    stored.experiment = root.at("experiment");
    const Json &shared = root.at("shared"), &runs = root.at("units");
    if (!shared.is_object()) root.refuse("shared", "must be an object");
    if (!runs.is_array()) root.refuse("units", "must be an array");
    root.done();
    for (std::size_t i = 0; i < runs.size(); ++i)
      stored.runs.push_back(with_shared_parts(runs[i], shared, fmt::format("/units/{}", i)));
    return stored;
  } catch (const ConfigError& wrong) {
    throw ConfigError(path, wrong.what());
  }
}

RestoredResults restore_results(const std::string& path, const std::vector<Run>& runs, const std::string& folder) {
  std::optional<Leases> own;
  return take_results(path, runs, folder, [&](const Run& run, const Json& result) {
    if (!own) {
      make_folders((fs::path(folder) / "results").string());
      own.emplace(folder);
    }
    own->write(result_path(folder, run), result.dump(1) + '\n');
  });
}

RestoredResults find_results(const std::string& path, const std::vector<Run>& runs, const std::string& folder) {
  return take_results(path, runs, folder, [](const Run&, const Json&) {});
}

}  // namespace alacarte
