#pragma once
// Roles of the columns of a training table, by the config. Private to the data room.
#include <vector>

#include "alacarte/data/table.hpp"

namespace alacarte::data_detail {

struct ColumnPlan {
  std::vector<Index> inputs;                 ///< in the order of the config, or of the table
  std::vector<bool> categorical;             ///< for each input
  std::vector<bool> dates;                   ///< for each input: true if a date becomes a number
  std::vector<bool> found;                   ///< for each input: true if categorical for its text, not by the config
  Index target = 0, key = -1, weights = -1;  ///< -1: none; weights may be noise standard deviations
  Index exposure = -1;                       ///< exposures of counts; -1: none
};

/// Plans the roles. Throws ConfigError for absent columns, one column in two roles, and unknown policies; DataError if
/// the target must be named and is not.
ColumnPlan plan_columns(const TableReader& reader, const DataConfig& config);

}  // namespace alacarte::data_detail
