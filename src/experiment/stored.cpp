#include "alacarte/experiment/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <tuple>

#include "alacarte/core/error.hpp"
#include "alacarte/core/text_file.hpp"
#include "alacarte/experiment/results.hpp"
#include "alacarte/experiment/runner.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "experiment/result_files.hpp"
#include "experiment/strict_object.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;
using experiment_detail::StrictObject;
using Json = nlohmann::json;

constexpr const char* kShared[] = {"recipe", "program", "machine", "data"};
constexpr std::size_t kMaxStoredPredictions = 100;

void round_numbers(Json& json) {
  if (json.is_number_float())
    json = std::strtod(fmt::format("{:.6g}", json.get<double>()).c_str(), nullptr);
  else if (json.is_structured())
    for (Json& part : json) round_numbers(part);
}

/// Every k-th of the rows, so that no more than kMaxStoredPredictions are left.
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

/// Index of the value, which is added if it is new.
std::size_t index_of(std::vector<Json>& values, const Json& value) {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

std::string text(const Json& run, const char* key) { return run["unit"][key].get<std::string>(); }

/// Fold and seed, by which the first run of a data set and method is known.
std::pair<Index, std::int64_t> place_of(const Json& run) {
  return {run["unit"]["fold"].get<Index>(), run["unit"]["seed"].get<std::int64_t>()};
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

/// A run with what it shares put back in.
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

}  // namespace

void store_results(const std::string& folder, std::ostream& out) {
  std::vector<Json> runs;
  std::map<std::pair<std::string, std::string>, std::pair<Index, std::int64_t>> first;
  for (const std::string& path : experiment_detail::result_files(folder)) {
    Json run;
    try {
      run = parse_json(read_text_file(path), path);
      parse_result(run);
    } catch (const Error&) {
      continue;  // a report of the folder names it
    }
    const auto [at, fresh] = first.insert({{text(run, "dataset"), text(run, "label")}, place_of(run)});
    if (!fresh) at->second = std::min(at->second, place_of(run));
    runs.push_back(std::move(run));
  }
  if (runs.empty()) throw IoError(folder, "holds no result that can be read");
  std::map<std::string, std::vector<Json>> shared;
  for (Json& run : runs) {
    const bool is_first = first.at({text(run, "dataset"), text(run, "label")}) == place_of(run);
    run = shrunk(std::move(run), is_first, shared);
  }
  const std::string kept = (fs::path(folder) / "experiment.json").string();
  std::error_code error;
  const Json experiment = fs::exists(kept, error) ? parse_json(read_text_file(kept), kept) : Json();
  out << "{\"format\": 1,\n\"experiment\": " << experiment.dump() << ",\n\"shared\": " << Json(shared).dump()
      << ",\n\"units\": [\n";
  for (std::size_t i = 0; i < runs.size(); ++i) out << runs[i].dump() << (i + 1 < runs.size() ? ",\n" : "\n");
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

std::size_t restore_results(const std::string& path, const std::vector<Run>& runs, const std::string& folder) {
  std::map<std::tuple<std::string, std::string, Index, std::int64_t>, const Json*> by_run;
  const StoredResults stored = read_stored(path);
  for (std::size_t i = 0; i < stored.runs.size(); ++i) {
    try {
      const RunResult result = parse_result(stored.runs[i]);
      if (result.done) by_run[{result.dataset, result.label, result.fold, result.seed}] = &stored.runs[i];
    } catch (const ConfigError& wrong) {
      throw ConfigError(fmt::format("{}, unit {}", path, i), wrong.what());
    }
  }
  std::size_t restored = 0;
  for (const Run& run : runs) {
    const auto found = by_run.find({run.dataset, run.label, run.fold, static_cast<std::int64_t>(run.seed)});
    if (found == by_run.end() || (*found->second)["hash"] != run.hash()) continue;
    if (!result_status(folder, run).empty()) continue;
    std::error_code error;
    fs::create_directories(fs::path(folder) / "results", error);
    if (error) throw IoError((fs::path(folder) / "results").string(), "cannot be made: " + error.message());
    write_text_file(result_path(folder, run), found->second->dump(1) + '\n');
    ++restored;
  }
  return restored;
}

}  // namespace alacarte
