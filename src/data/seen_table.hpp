#pragma once
// The bytes by which ranks tell each other what they have seen of the tables of one set. Private to the data room.
#include <string>
#include <vector>

#include "alacarte/data/dataset.hpp"

namespace alacarte::data_detail {

/// Bytes for seen_of_bytes() of a program of the same kind; they are kept nowhere.
std::string bytes_of(const std::vector<SeenTable>& tables);
std::vector<SeenTable> seen_of_bytes(const std::string& bytes);

}  // namespace alacarte::data_detail
