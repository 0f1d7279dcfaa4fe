#include "table.hpp"

#include <algorithm>
#include <numeric>

#include "alacarte/core/error.hpp"

namespace alacarte::python {

MatrixView view(const Array& array) {
  require(array.ndim() == 2, "an array of two dimensions is needed");
  return {array.data(), array.shape(0), array.shape(1)};
}

SparseView view(const Csr& rows) {
  const Index count = rows.starts.size() - 1;
  require(count >= 0 && rows.width > 0 && rows.columns.size() == rows.values.size() && rows.starts.at(0) == 0 &&
              rows.starts.at(count) <= rows.values.size(),
          "sparse rows whose arrays do not fit together");
  return {count, rows.width, rows.starts.data(), rows.columns.data(), rows.values.data()};
}

auto RowBlocks::view_of(const Rows& rows) -> View {
  if (const auto* csr = std::get_if<Csr>(&rows)) return InputView(view(*csr));
  if (const auto* columns = std::get_if<Array>(&rows)) return InputView(view(*columns));
  const auto& array = std::get<RowMajorArray>(rows);
  require(array.ndim() == 2, "an array of two dimensions is needed");
  return RowMajorView(array.data(), array.shape(0), array.shape(1));
}

Index RowBlocks::rows() const {
  return std::visit([](const auto& own) { return own.rows(); }, view_);
}

Index RowBlocks::cols() const {
  return std::visit([](const auto& own) { return own.cols(); }, view_);
}

bool RowBlocks::is_sparse() const {
  const auto* own = std::get_if<InputView>(&view_);
  return own != nullptr && own->is_sparse();
}

InputView RowBlocks::block(Index first, Index count, Matrix& buffer) const {
  if (const auto* own = std::get_if<InputView>(&view_)) return own->middle_rows(first, count);
  const RowMajorView& x = std::get<RowMajorView>(view_);
  buffer.resize(count, x.cols());
  // Rows per step that stay in the first-level cache while each column reads them.
  const Index step = std::max<Index>(8, 2048 / std::max<Index>(1, x.cols()));
  for (Index row = 0; row < count; row += step) {
    const Index rows = std::min(step, count - row);
    buffer.middleRows(row, rows) = x.middleRows(first + row, rows);
  }
  return buffer;
}

TableOfPython::TableOfPython(const Table& table) : table_(table), numbers_(view(table.numbers)) {
  path_ = table.name;
  columns_ = table.columns;
  has_names_ = table.has_names;
  kinds_.assign(columns_.size(), ColumnKind::number);
  require(static_cast<Index>(columns_.size()) == numbers_.cols(), "a name for each column is needed");
  for (const auto& [column, cells] : table.text)
    require(column >= 0 && column < numbers_.cols() && static_cast<Index>(cells.size()) == numbers_.rows(),
            "a column of text is out of place");
}

bool TableOfPython::read(TableChunk& chunk, Index max_rows) {
  const Index count = std::min(max_rows, numbers_.rows() - next_);
  if (count == 0) return false;
  chunk.first_row = next_;
  chunk.numbers = numbers_.middleRows(next_, count);
  chunk.text.assign(columns_.size(), {});
  for (Index c = 0; c < numbers_.cols(); ++c) {
    if (kind(c) == ColumnKind::text) {
      const auto found = table_.text.find(c);
      if (found == table_.text.end())
        throw DataError(path_, 0, c + 1,
                        "'" + columns_[static_cast<std::size_t>(c)] + "' is a category: text is needed");
      const auto first = found->second.begin() + next_;
      chunk.text[static_cast<std::size_t>(c)].assign(first, first + count);
    }
    const bool is_number = kind(c) != ColumnKind::text && kind(c) != ColumnKind::skipped;  // dates are already days
    if (!is_number) chunk.numbers.col(c).setZero();
    if (is_number && table_.text.count(c) != 0)
      throw DataError(path_, 0, c + 1, "'" + columns_[static_cast<std::size_t>(c)] + "' is text: numbers are needed");
  }
  chunk.line_numbers.resize(static_cast<std::size_t>(count));
  std::iota(chunk.line_numbers.begin(), chunk.line_numbers.end(), next_ + 1);
  next_ += count;
  return true;
}

}  // namespace alacarte::python
