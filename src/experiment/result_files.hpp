#pragma once
// Lists the files in a folder of results.
#include <string>
#include <vector>

namespace alacarte::experiment_detail {

/// FOLDER/results/*.json, sorted. Throws IoError when there is no such folder or no such file.
std::vector<std::string> result_files(const std::string& folder);

}  // namespace alacarte::experiment_detail
