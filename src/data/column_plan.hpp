#pragma once
// Which columns of a training table play which part, by the config. Private to the data room.
#include <vector>

#include "alacarte/data/table.hpp"

namespace alacarte::data_detail {

struct ColumnPlan {
  std::vector<Index> inputs;                 ///< in the order of the config, else of the table
  std::vector<bool> categorical;             ///< of each input
  std::vector<bool> dates;                   ///< of each input: a date that becomes a number
  std::vector<bool> found;                   ///< of each input: categorical for its text, not named by the config
  Index target = 0, key = -1, weights = -1;  ///< -1: none; weights may be noise standard deviations
};

/// Throws ConfigError for columns that are not there, for one column in two parts, and for policies of other
/// names; DataError where the target must be named and is not.
ColumnPlan plan_columns(const TableReader& reader, const DataConfig& config);

}  // namespace alacarte::data_detail
