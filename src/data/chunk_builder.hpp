#pragma once
// Assembly of a TableChunk from rows. Private to the data room.
#include <algorithm>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/data/table.hpp"

namespace alacarte::data_detail {

/// Limits the rows of a chunk to 2^24 cells (128 MiB).
inline Index row_limit(Index max_rows, Index columns) {
  require(max_rows > 0, "TableReader::read: max_rows must be positive");
  return std::max<Index>(1, std::min<Index>(max_rows, (Index{1} << 24) / std::max<Index>(1, columns)));
}

/// Fills the text columns of a numeric format, in shortest decimal form or "", and sets skipped columns to 0.
void apply_kinds(TableChunk& chunk, const std::vector<ColumnKind>& kinds);

/// A reader of one row at a time. Its memory depends on the contents of the file, not on the rows requested.
class RowReader : public TableReader {
 public:
  bool read(TableChunk& chunk, Index max_rows) override;

 protected:
  /// Finds the next row and sets line_; returns false at the end.
  virtual bool find_row() = 0;
  /// Parses that row into zeros; appends its text, if any, to that of the rows before.
  virtual void parse_row(double* row, TableChunk& chunk) = 0;

  std::int64_t line_ = 0;  // line of the found row, from 1

 private:
  std::vector<double> cells_;
  Index rows_read_ = 0;
};

}  // namespace alacarte::data_detail
