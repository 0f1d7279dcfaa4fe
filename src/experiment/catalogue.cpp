#include "catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "app/find_files.hpp"
#include "core/spelling.hpp"
#include "core/text_file.hpp"
#include "experiment/strict_object.hpp"

namespace alacarte {
namespace {

using experiment_detail::StrictObject;
using Json = nlohmann::json;

constexpr Index kMaxCatalogueRows = 1'000'000'000;
constexpr Index kMaxInputs = 1'000'000;
const std::vector<std::string> kCatalogueGroups = {"small", "medium", "large", "regression", "classification"};

std::optional<std::string> sum_of(StrictObject& object, const char* key) {
  const auto sum = object.text_or_null(key);
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) || (c >= 'a' && c <= 'f'); };
  if (sum && (sum->size() != 64 || !std::all_of(sum->begin(), sum->end(), is_digit)))
    object.refuse(key, "must be a SHA-256 sum: 64 lower-case hexadecimal digits");
  return sum;
}

/// Reads the folder, which must be below the data folder, since data are written there.
std::string folder_of(StrictObject& object) {
  const std::string folder = object.text("folder");
  const std::filesystem::path path(folder);
  const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
  if (path.is_absolute() || climbs) object.refuse("folder", "must stay inside the data folder");
  return folder;
}

void require_web(const StrictObject& object, const char* key, const std::string& url) {
  if (url.rfind("https://", 0) != 0 && url.rfind("http://", 0) != 0)
    object.refuse(key, fmt::format("'{}' is not an http or https address", url));
}

void read_target(const Json& json, const std::string& pointer, DatasetEntry& entry) {
  StrictObject target(json, pointer);
  entry.target = target.text("name");
  entry.transform = target.choice("transform", {"none", "log", "log1p", "standardised", "unknown"});
  entry.identified = target.choice("identified", {"known", "compared", "range", "unknown"});
  entry.target_sd = target.number_or_null("sd");
  if (entry.target_sd && !(*entry.target_sd > 0)) target.refuse("sd", "must be positive or null");
  target.done();
}

void read_split(const Json& json, const std::string& pointer, DatasetEntry& entry) {
  StrictObject split(json, pointer);
  entry.split.kind = split.choice("kind", {"mask", "split", "folds"});
  entry.split.folds = split.integer("folds", entry.split.kind == "folds" ? 2 : 1, 1000);
  if (entry.split.kind == "split" && entry.split.folds != 1) split.refuse("folds", "must be 1 for kind 'split'");
  split.done();
}

void read_addresses(const Json& json, const std::string& pointer, DatasetEntry& entry) {
  if (json.is_null()) return;
  StrictObject fetch(json, pointer);
  entry.data_urls = fetch.texts("data");
  if (entry.data_urls.empty()) fetch.refuse("data", "must name at least one address");
  for (const std::string& url : entry.data_urls) require_web(fetch, "data", url);
  entry.mask_url = fetch.text_or_null("mask");
  if (entry.mask_url) require_web(fetch, "mask", *entry.mask_url);
  if (entry.mask_url.has_value() != !entry.mask_file().empty())
    fetch.refuse("mask", "must be an address when the split is a file, and null otherwise");
  fetch.done();
}

void require_consistent_sums(const StrictObject& object, const DatasetEntry& entry) {
  if (entry.mask_sha256 && entry.mask_file().empty())
    object.refuse("mask_sha256", "must be null: the split has no file");
  const bool summed = entry.sha256 && (entry.mask_sha256 || entry.mask_file().empty());
  if (entry.verified && !summed) object.refuse("verified", "must be false while a sum is null");
  if (!entry.verified && (entry.sha256 || entry.mask_sha256))
    object.refuse("verified", "must be true where sums are given");
}

DatasetEntry read_entry(const Json& json, const std::string& pointer) {
  StrictObject object(json, pointer);
  DatasetEntry entry;
  entry.name = object.text("name");
  entry.title = object.text("title");
  entry.folder = folder_of(object);
  entry.group = object.choice("group", kCatalogueGroups);
  entry.task = object.choice("task", {"regression", "classification"});
  entry.rows = object.integer("rows", 1, kMaxCatalogueRows);
  entry.inputs = object.integer("inputs", 1, kMaxInputs);
  if (object.has("columns")) {
    entry.columns = object.texts("columns");
    if (static_cast<Index>(entry.columns.size()) != entry.inputs)
      object.refuse("columns", fmt::format("must name {} inputs, not {}", entry.inputs, entry.columns.size()));
  }
  read_target(object.at("target"), object.place("target"), entry);
  entry.sha256 = sum_of(object, "sha256");
  entry.mask_sha256 = sum_of(object, "mask_sha256");
  entry.verified = object.boolean("verified");
  read_split(object.at("split"), object.place("split"), entry);
  entry.licence = object.text("licence");
  entry.source = object.text("source");
  entry.original = object.text("original");
  entry.conversion = object.text("conversion");
  read_addresses(object.at("fetch"), object.place("fetch"), entry);
  entry.notes = object.texts("notes");
  object.done();
  require_consistent_sums(object, entry);
  return entry;
}

}  // namespace

std::string DatasetEntry::mask_file() const {
  if (split.kind == "mask") return folder + "/test_mask.csv.gz";
  return split.kind == "split" ? folder + "/split.csv.gz" : "";
}

const DatasetEntry& Catalogue::find(const std::string& name, const std::string& pointer) const {
  std::vector<std::string> names;
  for (const DatasetEntry& entry : entries_) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw ConfigError(pointer,
                    fmt::format("there is no data set '{}' in the catalogue{}", name, did_you_mean(name, names)));
}

std::vector<DatasetEntry> Catalogue::of_group(const std::string& group, const std::string& pointer) const {
  if (std::find(kCatalogueGroups.begin(), kCatalogueGroups.end(), group) == kCatalogueGroups.end())
    throw ConfigError(pointer, fmt::format("must be one of {}, not '{}'{}", fmt::join(kCatalogueGroups, ", "), group,
                                           did_you_mean(group, kCatalogueGroups)));
  std::vector<DatasetEntry> chosen;
  std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(chosen),
               [&](const DatasetEntry& entry) { return entry.group == group; });
  return chosen;
}

Catalogue parse_catalogue(const Json& json) {
  StrictObject root(json, "");
  root.integer("format", 1, 1);
  const Json& list = root.at("datasets");
  if (!list.is_array()) root.refuse("datasets", fmt::format("must be an array, not {}", list.type_name()));
  root.done();
  std::vector<DatasetEntry> entries;
  std::set<std::string> names, folders;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string pointer = fmt::format("/datasets/{}", i);
    entries.push_back(read_entry(list[i], pointer));
    if (!names.insert(entries.back().name).second)
      throw ConfigError(pointer + "/name", fmt::format("'{}' is used twice", entries.back().name));
    if (!folders.insert(std::filesystem::path(entries.back().folder).lexically_normal().string()).second)
      throw ConfigError(pointer + "/folder", fmt::format("'{}' is used twice", entries.back().folder));
  }
  return Catalogue(std::move(entries));
}

Catalogue read_catalogue(const std::string& path) {
  const Json json = parse_json(read_text_file(path), path);
  try {
    return parse_catalogue(json);
  } catch (const ConfigError& wrong) {
    throw wrong.in_file(path);
  }
}

Catalogue shipped_catalogue() { return read_catalogue(find_config("datasets.json")); }

Json to_json(const DatasetEntry& entry) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  Json json = {{"name", entry.name},
               {"title", entry.title},
               {"folder", entry.folder},
               {"group", entry.group},
               {"task", entry.task},
               {"rows", entry.rows},
               {"inputs", entry.inputs},
               {"target",
                {{"name", entry.target},
                 {"transform", entry.transform},
                 {"identified", entry.identified},
                 {"sd", or_null(entry.target_sd)}}},
               {"sha256", or_null(entry.sha256)},
               {"mask_sha256", or_null(entry.mask_sha256)},
               {"verified", entry.verified},
               {"split", {{"kind", entry.split.kind}, {"folds", entry.split.folds}}},
               {"licence", entry.licence},
               {"source", entry.source},
               {"original", entry.original},
               {"conversion", entry.conversion},
               {"fetch", nullptr},
               {"notes", entry.notes}};
  if (!entry.columns.empty()) json["columns"] = entry.columns;
  if (!entry.data_urls.empty()) json["fetch"] = {{"data", entry.data_urls}, {"mask", or_null(entry.mask_url)}};
  return json;
}

}  // namespace alacarte
