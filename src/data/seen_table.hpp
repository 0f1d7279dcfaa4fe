#pragma once
// The messages in which ranks exchange what they have seen of the tables of one set. Private to the data room.
#include <string>
#include <vector>

#include "alacarte/data/dataset.hpp"

namespace alacarte::data_detail {

/// Returns bytes for seen_of_bytes(), which are not stored.
std::string bytes_of(const std::vector<SeenTable>& tables);
std::vector<SeenTable> seen_of_bytes(const std::string& bytes);

}  // namespace alacarte::data_detail
