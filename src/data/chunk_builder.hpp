#pragma once
// Rows as they are read, turned into a TableChunk. Private to the data room.
#include <algorithm>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/data/table.hpp"

namespace alacarte::data_detail {

/// Fewer rows are read at once when rows are very wide: 2^24 cells (128 MiB) at most.
inline Index row_limit(Index max_rows, Index columns) {
  require(max_rows > 0, "TableReader::read: max_rows must be positive");
  return std::max<Index>(1, std::min<Index>(max_rows, (Index{1} << 24) / std::max<Index>(1, columns)));
}

/// Of a format that has numbers only: the text of the text columns, in shortest decimal form and "" where missing, and
/// 0 in the columns that are skipped.
void apply_kinds(TableChunk& chunk, const std::vector<ColumnKind>& kinds);

/// A reader of one row after the other. Its memory depends on the contents of the file, not on the rows requested.
class RowReader : public TableReader {
 public:
  bool read(TableChunk& chunk, Index max_rows) override;

 protected:
  /// Looks for the next row and sets line_; false at the end.
  virtual bool find_row() = 0;
  /// Parses that row into zeros; its text, if any, goes behind that of the rows before.
  virtual void parse_row(double* row, TableChunk& chunk) = 0;

  std::int64_t line_ = 0;  // 1-based, of the row that was found

 private:
  std::vector<double> cells_;
  Index rows_read_ = 0;
};

}  // namespace alacarte::data_detail
