#include "find_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "alacarte/core/error.hpp"
#include "core/spelling.hpp"
#include "data/row_parts.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;

bool present(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<fs::path> config_folders() {
  std::vector<fs::path> folders;
  if (const auto given = environment("ALACARTE_CONFIG_DIR"); !given.empty()) folders.push_back(fs::path(given));
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(program.parent_path() / ALACARTE_CONFIG_FROM_BIN);
  folders.emplace_back(ALACARTE_CONFIG_DIR);
  return folders;
}

/// Returns the first file of these names in the first folder that has one; "" if none has.
std::string first_present(const std::vector<fs::path>& folders, const std::vector<std::string>& names) {
  for (const fs::path& folder : folders)
    for (const std::string& name : names)
      if (present(folder / name)) return (folder / name).string();
  return "";
}

std::vector<std::string> recipe_names(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (fs::recursive_directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
      if (file->path().extension() != ".json") continue;
      names.push_back(file->path().lexically_relative(folder).replace_extension().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Recipes by the names that other programs give them.
constexpr std::pair<const char*, const char*> kOtherNames[] = {
    {"ridge", "linear"}, {"lasso", "linear"},  {"logistic", "fastfood-logistic"},
    {"gp", "exact-ard"}, {"svr", "exact-svm"}, {"svm", "exact-svm"}};

}  // namespace

std::string find_recipe(const std::string& name) {
  std::error_code error;
  if (present(name) && !fs::is_directory(name, error)) return name;
  auto folders = config_folders();
  for (fs::path& folder : folders) folder /= "recipes";
  const std::string found = first_present(folders, {name + ".json"});
  if (!found.empty()) return found;
  const auto known = recipe_names(folders);
  std::string meant = did_you_mean(name, known);
  for (const auto& [other, own] : kOtherNames)
    if (name == other) meant = fmt::format(" (did you mean '{}'?)", own);
  throw IoError(name, fmt::format("there is no such file, and no recipe of that name{}; the recipes are {}", meant,
                                  fmt::join(known, ", ")));
}

std::string find_config(const std::string& name) {
  const std::string found = first_present(config_folders(), {name});
  if (!found.empty()) return found;
  throw IoError(name, "is in none of the folders that hold configurations; set ALACARTE_CONFIG_DIR");
}

std::string find_vega() {
  std::vector<fs::path> folders = config_folders();
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.insert(folders.begin(), program.parent_path());
  for (const fs::path& folder : folders) {
    const auto has = [&](const std::string& name) {
      return present(folder / "vega" / name / "build" / (name + ".min.js"));
    };
    if (has("vega") && has("vega-lite") && has("vega-embed")) return (folder / "vega").string();
  }
  return "";
}

std::string data_root() {
  const std::string root = environment("ALACARTE_DATA_DIR");
  if (root.empty()) throw IoError("ALACARTE_DATA_DIR", "is not set; it names the folder of the data sets");
  return root;
}

std::string find_file(const std::string& name) {
  if (present(name)) return name;
  const std::string root = environment("ALACARTE_DATA_DIR");
  if (root.empty()) throw IoError(name, "no such file (and ALACARTE_DATA_DIR is not set)");
  const std::string found = first_present({root}, {name});
  if (!found.empty()) return found;
  throw IoError(name, "no such file, neither here nor in " + root);
}

std::string find_data(const std::string& name) {
  if (is_pattern(name)) return matching_files(name).empty() ? "" : name;
  const std::string path = name == "-" ? name : find_file(name);
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  const std::string found = first_present({path}, {"data.csv.gz", "data.csv"});
  if (!found.empty()) return found;
  throw IoError(path, "is a folder without data.csv.gz or data.csv");
}

std::string mask_beside(const std::string& data_path) {
  const fs::path folder = fs::path(data_path).parent_path();
  const std::string found = first_present({folder}, {"test_mask.csv.gz", "test_mask.csv"});
  if (!found.empty()) return found;
  throw IoError((folder / "test_mask.csv.gz").string(), "no such file; give the mask of --fold with --mask FILE");
}

}  // namespace alacarte
