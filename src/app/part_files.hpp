#pragma once
// Tables in several files, by a pattern: predicted and scored part by part, each by one rank.
#include <string>
#include <vector>

#include "alacarte/data/dataset.hpp"

namespace alacarte {

/// The files of a path, one or, of a pattern, all that match.
std::vector<std::string> files_of(const std::string& path);
/// A star replaced by the number of a part, of as many digits as the last of `count` has.
std::string numbered_path(const std::string& path, std::size_t number, std::size_t count);
/// Data rows before each of the files, and of all at the end, as a model with this schema reads them. All ranks call it
/// together.
std::vector<Index> rows_before(const std::vector<std::string>& files, const Schema& schema);

}  // namespace alacarte
