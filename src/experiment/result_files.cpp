#include "experiment/result_files.hpp"

#include <algorithm>
#include <filesystem>

#include "alacarte/core/error.hpp"

namespace alacarte::experiment_detail {

namespace fs = std::filesystem;

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

}  // namespace alacarte::experiment_detail
