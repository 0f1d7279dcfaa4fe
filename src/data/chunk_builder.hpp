#pragma once
// Rows as they are read, turned into a TableChunk. Private to the data room.
#include <algorithm>
#include <vector>

#include "alacarte/data/table.hpp"

namespace alacarte::data_detail {

/// Grows row by row, so memory depends on the contents of the file, not on the number of rows requested.
class ChunkBuilder {
 public:
  /// Fewer rows are read at once when rows are very wide: 2^24 cells (128 MiB) at most.
  static Index row_limit(Index max_rows, Index columns) {
    return std::max<Index>(1, std::min<Index>(max_rows, kMaxCells / std::max<Index>(1, columns)));
  }

  void start(TableChunk& chunk, Index first_row, std::size_t columns) {
    columns_ = columns;
    cells_.clear();
    chunk.first_row = first_row;
    chunk.line_numbers.clear();
    chunk.text.resize(columns);
    for (auto& column : chunk.text) column.clear();
  }

  /// Space for one row, zeros; valid until the next call.
  double* add_row(TableChunk& chunk, std::int64_t line) {
    chunk.line_numbers.push_back(line);
    cells_.resize(cells_.size() + columns_);
    return cells_.data() + (cells_.size() - columns_);
  }

  void finish(TableChunk& chunk) const {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto rows = static_cast<Index>(chunk.line_numbers.size());
    chunk.numbers = Eigen::Map<const RowMajor>(cells_.data(), rows, static_cast<Index>(columns_));
  }

 private:
  static constexpr Index kMaxCells = Index{1} << 24;
  std::vector<double> cells_;
  std::size_t columns_ = 0;
};

/// Text of the text columns of a format that has numbers only: shortest decimal form, "" where missing.
void fill_text_from_numbers(TableChunk& chunk, const std::vector<ColumnKind>& kinds);

}  // namespace alacarte::data_detail
