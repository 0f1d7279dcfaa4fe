#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

namespace {

/// Returns the first cells of all columns of text.
std::vector<std::vector<std::string>> first_texts(const Table& table) {
  constexpr Index kRows = 1000;
  std::vector<std::vector<std::string>> texts;
  for (const auto& [column, cells] : table.text)
    texts.emplace_back(cells.begin(), cells.begin() + std::min(kRows, static_cast<Index>(cells.size())));
  return texts;
}

}  // namespace

TableOfPython::TableOfPython(const Table& table, const DataConfig& config)
    : table_(table), numbers_(view(table.numbers)), format_(config), has_missing_words_(!config.missing_words.empty()) {
  path_ = table.name;
  columns_ = table.columns;
  has_names_ = table.has_names;
  kinds_.assign(columns_.size(), ColumnKind::number);
  require(static_cast<Index>(columns_.size()) == numbers_.cols(), "a name for each column is needed");
  for (const auto& [column, cells] : table.text)
    require(column >= 0 && column < numbers_.cols() && static_cast<Index>(cells.size()) == numbers_.rows(),
            "a column of text is out of place");
  if (config.decimal == DecimalSign::comma) format_.find_decimal_sign(first_texts(table));
}

void TableOfPython::find_text_columns() {
  some_text_.assign(columns_.size(), false);
  for (const auto& [column, cells] : table_.text) some_text_[static_cast<std::size_t>(column)] = true;
}

void TableOfPython::read_text(TableChunk& chunk, Index column, const std::vector<std::string>* cells) const {
  auto& text = chunk.text[static_cast<std::size_t>(column)];
  if (cells != nullptr) {
    const auto first = cells->begin() + chunk.first_row;
    text.assign(first, first + chunk.rows());
  } else {
    const auto decimal = decimals_.find(column);
    text.reserve(static_cast<std::size_t>(chunk.rows()));
    for (const double value : chunk.numbers.col(column)) {
      std::string cell = std::isnan(value) ? std::string() : data_detail::label_of(value);
      if (decimal != decimals_.end()) std::replace(cell.begin(), cell.end(), '.', decimal->second);
      text.push_back(std::move(cell));
    }
  }
  for (std::string& cell : text)
    if (format_.is_own_missing_word(cell)) cell.clear();
  chunk.numbers.col(column).setZero();
}

void TableOfPython::read_numbers(TableChunk& chunk, Index column, const std::vector<std::string>& cells) const {
  const auto place = static_cast<std::size_t>(column);
  if (kind(column) == ColumnKind::number)
    throw DataError(path_, 0, column + 1, "'" + columns_[place] + "' is text: numbers are needed");
  const bool is_date = kind(column) == ColumnKind::date;
  for (Index row = 0; row < chunk.rows(); ++row) {
    const std::string& cell = cells[static_cast<std::size_t>(chunk.first_row + row)];
    double& value = chunk.numbers(row, column);
    if (is_date ? parse_date(format_.is_gap_among_numbers(cell) ? std::string_view() : cell, value)
                : format_.parse(cell, value) && !(std::isnan(value) && format_.is_gap_of_numbers_alone(cell)))
      continue;
    if (is_date)
      throw DataError(path_, chunk.first_row + row + 1, column + 1,
                      data_detail::in_quotes(cell) + " is not a date such as " + kDateForms);
    value = std::numeric_limits<double>::quiet_NaN();
    if (chunk.odd_cells.empty()) chunk.odd_cells.resize(columns_.size());
    chunk.odd_cells[place].emplace_back(row, cell);
  }
}

bool TableOfPython::read(TableChunk& chunk, Index max_rows) {
  const Index count = std::min(max_rows, numbers_.rows() - next_);
  if (count == 0) return false;
  chunk.first_row = next_;
  chunk.numbers = numbers_.middleRows(next_, count);
  chunk.text.assign(columns_.size(), {});
  chunk.odd_cells.clear();
  for (Index c = 0; c < numbers_.cols(); ++c) {
    const auto found = table_.text.find(c);
    const std::vector<std::string>* cells = found == table_.text.end() ? nullptr : &found->second;
    if (kind(c) == ColumnKind::skipped)
      chunk.numbers.col(c).setZero();
    else if (kind(c) == ColumnKind::text)
      read_text(chunk, c, cells);
    else if (cells != nullptr)
      read_numbers(chunk, c, *cells);
    else if (has_missing_words_ && kind(c) == ColumnKind::mixed)
      for (double& value : chunk.numbers.col(c))
        format_.parse(data_detail::label_of(value), value);  // -99 may be a gap
  }
  chunk.line_numbers.resize(static_cast<std::size_t>(count));
  std::iota(chunk.line_numbers.begin(), chunk.line_numbers.end(), next_ + 1);
  next_ += count;
  return true;
}

}  // namespace alacarte::python
