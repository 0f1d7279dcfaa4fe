#include "alacarte/experiment/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <tuple>

#include "alacarte/core/atomic_file.hpp"
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

/// The same value once; its index.
std::size_t index_of(std::vector<Json>& values, const Json& value) {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

std::string text(const Json& unit, const char* key) { return unit["unit"][key].get<std::string>(); }

/// Fold and seed, by which the first unit of a data set and method is known.
std::pair<Index, std::int64_t> place_of(const Json& unit) {
  return {unit["unit"]["fold"].get<Index>(), unit["unit"]["seed"].get<std::int64_t>()};
}

Json shrunk(Json unit, bool first, std::map<std::string, std::vector<Json>>& shared) {
  if (first) {
    if (unit.contains("predictions")) thin_predictions(unit["predictions"]);
  } else {
    if (unit.contains("predictions")) unit["predictions"] = nullptr;
    if (unit.contains("training") && unit["training"].is_object()) unit["training"]["fits"] = Json::array();
  }
  for (const char* key : {"train", "test", "training", "seconds", "peak_mb", "predictions"})
    if (unit.contains(key)) round_numbers(unit[key]);
  for (const char* key : kShared)
    if (unit.contains(key)) unit[key] = index_of(shared[key], unit[key]);
  return unit;
}

/// A unit with what it shares put back in.
Json whole(Json unit, const Json& shared, const std::string& place) {
  if (!unit.is_object()) throw ConfigError(place, "must be an object");
  for (const char* key : kShared) {
    const auto at = unit.find(key);
    if (at == unit.end()) continue;
    const bool good = at->is_number_unsigned() && shared.contains(key) && shared[key].is_array() &&
                      at->get<std::size_t>() < shared[key].size();
    if (!good) throw ConfigError(place + "/" + key, "is no index into /shared/" + std::string(key));
    *at = shared[key][at->get<std::size_t>()];
  }
  return unit;
}

}  // namespace

void store_results(const std::string& folder, std::ostream& out) {
  std::vector<Json> units;
  std::map<std::pair<std::string, std::string>, std::pair<Index, std::int64_t>> first;
  for (const std::string& path : experiment_detail::result_files(folder)) {
    Json unit;
    try {
      unit = parse_json(read_text_file(path), path);
      parse_result(unit);
    } catch (const Error&) {
      continue;  // a report of the folder names it
    }
    const auto [at, fresh] = first.insert({{text(unit, "dataset"), text(unit, "label")}, place_of(unit)});
    if (!fresh) at->second = std::min(at->second, place_of(unit));
    units.push_back(std::move(unit));
  }
  if (units.empty()) throw IoError(folder, "holds no result that can be read");
  std::map<std::string, std::vector<Json>> shared;
  for (Json& unit : units) {
    const bool is_first = first.at({text(unit, "dataset"), text(unit, "label")}) == place_of(unit);
    unit = shrunk(std::move(unit), is_first, shared);
  }
  const std::string kept = (fs::path(folder) / "experiment.json").string();
  std::error_code error;
  const Json experiment = fs::exists(kept, error) ? parse_json(read_text_file(kept), kept) : Json();
  out << "{\"format\": 1,\n\"experiment\": " << experiment.dump() << ",\n\"shared\": " << Json(shared).dump()
      << ",\n\"units\": [\n";
  for (std::size_t i = 0; i < units.size(); ++i) out << units[i].dump() << (i + 1 < units.size() ? ",\n" : "\n");
  out << "]}\n";
}

StoredResults read_stored(const std::string& path) {
  const Json json = parse_json(read_text_file(path), path);
  try {
    StrictObject root(json, "");
    root.whole("format", 1, 1);
    StoredResults stored;
    stored.experiment = root.at("experiment");
    const Json &shared = root.at("shared"), &units = root.at("units");
    if (!shared.is_object()) root.refuse("shared", "must be an object");
    if (!units.is_array()) root.refuse("units", "must be an array");
    root.done();
    for (std::size_t i = 0; i < units.size(); ++i)
      stored.units.push_back(whole(units[i], shared, fmt::format("/units/{}", i)));
    return stored;
  } catch (const ConfigError& wrong) {
    throw ConfigError(path, wrong.what());
  }
}

std::size_t restore_results(const std::string& path, const std::vector<Unit>& units, const std::string& folder) {
  std::map<std::tuple<std::string, std::string, Index, std::int64_t>, const Json*> by_unit;
  const StoredResults stored = read_stored(path);
  for (std::size_t i = 0; i < stored.units.size(); ++i) {
    try {
      const UnitResult result = parse_result(stored.units[i]);
      if (result.done) by_unit[{result.dataset, result.label, result.fold, result.seed}] = &stored.units[i];
    } catch (const ConfigError& wrong) {
      throw ConfigError(fmt::format("{}, unit {}", path, i), wrong.what());
    }
  }
  std::size_t restored = 0;
  for (const Unit& unit : units) {
    const auto found = by_unit.find({unit.dataset, unit.label, unit.fold, static_cast<std::int64_t>(unit.seed)});
    if (found == by_unit.end() || (*found->second)["hash"] != unit.hash()) continue;
    if (!result_status(folder, unit).empty()) continue;
    std::error_code error;
    fs::create_directories(fs::path(folder) / "results", error);
    if (error) throw IoError((fs::path(folder) / "results").string(), "cannot be made: " + error.message());
    AtomicFile file(result_path(folder, unit));
    file.stream() << found->second->dump(1) << '\n';
    file.commit();
    ++restored;
  }
  return restored;
}

}  // namespace alacarte
