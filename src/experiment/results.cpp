#include "alacarte/experiment/results.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "experiment/strict_object.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;
using experiment_detail::StrictObject;
using Json = nlohmann::json;

std::string read_text(const fs::path& path) {
  std::ostringstream text;
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (!file || fs::is_directory(path, error)) throw IoError(path.string(), "cannot be read");
  // Copying nothing counts as a failure of the stream that copies.
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (file.bad()) throw IoError(path.string(), "cannot be read");
  return text.str();
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  if (error) throw IoError(folder.string(), "cannot be read: " + error.message());
  if (files.empty()) throw IoError(folder.string(), "holds no result (*.json)");
  std::sort(files.begin(), files.end());
  return files;
}

/// The names and their order; the runner has judged the rest.
void read_experiment(const fs::path& path, ResultSet& results) {
  const Json json = parse_json(read_text(path), path.string());
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

void read_one(const fs::path& path, ResultSet& results, std::map<Key, std::string>& seen) {
  const std::string file = path.filename().string();
  try {
    UnitResult unit = parse_result(parse_json(read_text(path), file));
    unit.file = file;
    const auto [other, fresh] = seen.insert({{unit.dataset, unit.label, unit.fold, unit.seed}, file});
    if (fresh)
      results.units.push_back(std::move(unit));
    else
      results.broken.push_back({file, "is of the same unit as " + other->second});
  } catch (const Error& error) {
    std::string reason = error.what();
    for (const std::string& prefix : {path.string() + ": ", file + ": "})
      if (reason.rfind(prefix, 0) == 0) reason = reason.substr(prefix.size());
    results.broken.push_back({file, reason});
  }
}

}  // namespace

const char* name_of(Measure measure) {
  switch (measure) {
    case Measure::rmse:
      return "rmse";
    case Measure::nlpd:
      return "nlpd";
    case Measure::coverage95:
      return "coverage95";
    case Measure::train_seconds:
      return "train_seconds";
    case Measure::predict_seconds:
      return "predict_seconds";
    case Measure::peak_mb:
      return "peak_mb";
  }
  return "";
}

ResultSet read_results(const std::string& folder) {
  ResultSet results;
  std::error_code error;
  const fs::path experiment = fs::path(folder) / "experiment.json", below = fs::path(folder) / "results";
  if (!fs::is_directory(below, error)) throw IoError(folder, "has no folder results/; alacarte run makes one");
  const std::vector<fs::path> files = json_files(below);
  if (fs::exists(experiment, error)) {
    try {
      read_experiment(experiment, results);
    } catch (const Error& wrong) {
      results.broken.push_back({"experiment.json", wrong.what()});
    }
  }
  std::map<Key, std::string> seen;
  for (const fs::path& file : files) read_one(file, results, seen);
  return results;
}

}  // namespace alacarte
