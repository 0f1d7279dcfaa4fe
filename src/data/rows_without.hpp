#pragma once
// A source without some of its rows.
#include <memory>
#include <vector>

#include "alacarte/data/row_source.hpp"

namespace alacarte {

/// Returns the rows of `source` in order without those of `left_out` (increasing). Dense rows are copied chunk by chunk
/// when they are read; sparse ones at once. Cost of a read: O(count d) and a search in left_out. Throws
/// std::invalid_argument for invalid indices.
std::shared_ptr<RowSource> rows_without(std::shared_ptr<const RowSource> source, std::vector<Index> left_out);

/// Returns 0 .. rows - 1 without those of left_out (increasing). Throws like rows_without().
std::vector<Index> rows_but(Index rows, const std::vector<Index>& left_out);

}  // namespace alacarte
