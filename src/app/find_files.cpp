#include "alacarte/app/find_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "alacarte/core/error.hpp"
#include "alacarte/core/spelling.hpp"

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

std::vector<fs::path> recipe_folders() {
  std::vector<fs::path> folders = config_folders();
  for (fs::path& folder : folders) folder /= "recipes";
  return folders;
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

/// The table inside a data folder, or the path itself.
fs::path table_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  for (const char* name : {"data.csv.gz", "data.csv"}) {
    if (present(path / name)) return path / name;
  }
  throw IoError(path.string(), "is a folder without data.csv.gz or data.csv");
}

}  // namespace

std::string find_recipe(const std::string& name) {
  std::error_code error;
  if (fs::is_regular_file(name, error) || (present(name) && !fs::is_directory(name, error))) return name;
  const auto folders = recipe_folders();
  for (const fs::path& folder : folders) {
    const fs::path candidate = folder / (name + ".json");
    if (present(candidate)) return candidate.string();
  }
  const auto known = recipe_names(folders);
  throw IoError(name, fmt::format("there is no such file, and no recipe of that name{}; the recipes are {}",
                                  did_you_mean(name, known), fmt::join(known, ", ")));
}

std::string find_config(const std::string& name) {
  for (const fs::path& folder : config_folders()) {
    if (present(folder / name)) return (folder / name).string();
  }
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
  const fs::path candidate = fs::path(root) / name;
  if (present(candidate)) return candidate.string();
  throw IoError(name, "no such file, neither here nor in " + root);
}

std::string find_data(const std::string& name) { return name == "-" ? name : table_of(find_file(name)).string(); }

std::string mask_beside(const std::string& data_path) {
  const fs::path folder = fs::path(data_path).parent_path();
  for (const char* name : {"test_mask.csv.gz", "test_mask.csv"}) {
    if (present(folder / name)) return (folder / name).string();
  }
  throw IoError((folder / "test_mask.csv.gz").string(), "no such file; give the mask of --fold with --mask FILE");
}

}  // namespace alacarte
