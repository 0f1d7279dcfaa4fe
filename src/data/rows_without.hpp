#pragma once
// All rows of a source but some.
#include <memory>
#include <vector>

#include "alacarte/data/row_source.hpp"

namespace alacarte {

/// The rows of `source` in their order, without those of `left_out` (increasing). Dense rows are copied as they are
/// read, chunk by chunk; sparse ones at once. Cost of a read: O(count d) and a search among left_out.
/// Throws std::invalid_argument unless left_out are rows of it.
std::shared_ptr<RowSource> rows_without(std::shared_ptr<const RowSource> source, std::vector<Index> left_out);

/// 0 .. rows - 1 without those of left_out (increasing). Throws as rows_without().
std::vector<Index> rows_but(Index rows, const std::vector<Index>& left_out);

}  // namespace alacarte
