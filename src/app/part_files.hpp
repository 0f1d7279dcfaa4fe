#pragma once
// Tables in several files, named by a pattern, predicted and scored part by part on one rank each.
#include <string>
#include <vector>

#include "alacarte/data/dataset.hpp"

namespace alacarte {

/// Returns the file at a path, or all files that match a pattern.
std::vector<std::string> files_of(const std::string& path);
/// Replaces the star by the number of a part, padded to the digits of the last of `count`.
std::string numbered_path(const std::string& path, std::size_t number, std::size_t count);
/// Returns the number of data rows before each file, and the total last, read with this schema. Collective over ranks.
std::vector<Index> rows_before(const std::vector<std::string>& files, const Schema& schema);

}  // namespace alacarte
