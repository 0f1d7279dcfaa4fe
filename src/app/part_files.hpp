#pragma once
// Tables in several files, by a pattern: predicted and scored part by part, each by one rank.
#include <string>
#include <vector>

#include "alacarte/data/dataset.hpp"

namespace alacarte {

/// The files of a path, one or, of a pattern, all that match.
std::vector<std::string> files_of(const std::string& path);
/// Whether this rank has the file at this place; one rank has all.
bool is_own_file(std::size_t place);
/// Data rows before each of the files, and of all at the end, as a model with this schema reads them. All ranks call it
/// together.
std::vector<Index> rows_before(const std::vector<std::string>& files, const Schema& schema);

}  // namespace alacarte
