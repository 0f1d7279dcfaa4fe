#pragma once
// Columns by which rows are split: no group on both sides, or the past before the future.
#include <alacarte/core/types.hpp>
#include <vector>

namespace alacarte {

/// Group or time of each row (DataConfig::group, DataConfig::time); at most one of them. Memory: 8 bytes a row.
struct SplitColumns {
  std::vector<Index> groups = {};  ///< (n) 0 .. G - 1, no level of which is on both sides of a split; empty: none
  Vector times = {};               ///< (n) finite; a split trains on the past and tests the future; empty: none
  /// Returns true if rows are split one by one, at random.
  bool empty() const { return groups.empty() && times.size() == 0; }
  /// Returns the number of rows; 0 without columns.
  Index rows() const { return groups.empty() ? times.size() : static_cast<Index>(groups.size()); }
  /// Returns those of the given rows, in the given order.
  SplitColumns of_rows(const std::vector<Index>& rows) const;
};

}  // namespace alacarte
