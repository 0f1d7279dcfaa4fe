#include "data/csv_reader.hpp"

#include <charconv>
#include <cmath>
#include <unordered_map>

#include "alacarte/core/error.hpp"
#include "data/cells.hpp"
#include "data/csv_dialect.hpp"

namespace alacarte::data_detail {

CsvReader::CsvReader(const std::string& name, std::unique_ptr<ByteSource> source, const DataConfig& config)
    : buffer_(name, std::move(source)) {
  path_ = name;
  buffer_.grow(line_);
  skip_byte_order_mark();
  choose_dialect(config);
}

void CsvReader::skip_byte_order_mark() {
  const std::string_view window = buffer_.window();
  const std::string_view start = window.substr(0, 2);
  if (start == "\xff\xfe" || start == "\xfe\xff") throw DataError(path_, "is UTF-16 text; save it as UTF-8");
  if (window.substr(0, 3) == "\xef\xbb\xbf") buffer_.consume(3);
  if (const auto format = foreign_format(buffer_.window()); !format.empty())
    throw DataError(path_, "is no table: it is " + std::string(format));
}

std::vector<std::string_view> CsvReader::sample_records(const DataConfig& config) {
  // Two records at least, so that a header can be compared with the row below it.
  for (;;) {
    const std::string_view window = buffer_.window();
    separator_ =
        config.separator == "auto" ? detect_separator(window, buffer_.at_end()) : separator_from_name(config.separator);
    auto records = first_records(window, separator_, buffer_.at_end(), 2);
    if (records.size() == 2 || buffer_.at_end()) return records;
    buffer_.grow(line_);
  }
}

void CsvReader::choose_dialect(const DataConfig& config) {
  if (config.header != "auto" && config.header != "yes" && config.header != "no")
    throw ConfigError("/data/header", "'" + printable(config.header) + "' is not one of auto, yes, no");
  const auto records = sample_records(config);
  std::string_view record;
  std::size_t length = 0, line_breaks = 0;
  if (records.empty()) {
    next_record(record, length, line_breaks);  // says it if a quote is left open
    throw DataError(path_, "holds no rows");
  }
  const auto first = split_record(records[0], separator_);
  const auto second = records.size() > 1 ? split_record(records[1], separator_) : std::vector<std::string>();
  const std::size_t cells = count_cells(records[0], separator_);
  has_names_ = config.header == "yes" ||
               (config.header == "auto" && looks_like_header(first, records.size() > 1 ? &second : nullptr));
  if (has_names_) {
    next_record(record, length, line_breaks);
    if (first.size() != cells)
      throw DataError(path_, line_, static_cast<Index>(cells), "text follows the closing quote of a cell");
    name_columns(first);
    buffer_.consume(length);
    line_ += static_cast<std::int64_t>(line_breaks) + 1;
  } else {
    for (std::size_t c = 0; c < cells; ++c) columns_.push_back(std::to_string(c));
  }
  kinds_.assign(columns_.size(), ColumnKind::number);
}

void CsvReader::name_columns(const std::vector<std::string>& cells) {
  std::unordered_map<std::string, std::size_t> seen;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    // A nameless column (the row numbers that some tools write) goes by its position.
    const std::string name = cells[c].empty() ? std::to_string(c) : cells[c];
    const auto [at, fresh] = seen.emplace(name, c);
    if (!fresh)
      throw DataError(
          path_, line_, static_cast<Index>(c) + 1,
          "the column name '" + printable(name) + "' was used before, in column " + std::to_string(at->second + 1));
    columns_.push_back(name);
  }
}

bool CsvReader::next_record(std::string_view& record, std::size_t& length, std::size_t& line_breaks) {
  for (;;) {
    const std::string_view window = buffer_.window();
    const RecordEnd end = window.empty() ? RecordEnd{} : find_record_end(window, separator_, buffer_.at_end());
    if (!end.complete) {
      if (!buffer_.at_end()) {
        buffer_.grow(line_);
        continue;
      }
      if (window.empty()) return false;
      throw DataError(path_, line_, 0, "a quote opened in this row is never closed");
    }
    if (is_blank_line(window.substr(0, end.size), separator_)) {
      if (blank_line_ == 0) blank_line_ = line_;
      ++line_;
      buffer_.consume(end.length);
      continue;
    }
    if (blank_line_ != 0) throw DataError(path_, blank_line_, 0, "blank line inside the table");
    record = window.substr(0, end.size);
    length = end.length;
    line_breaks = end.line_breaks;
    return true;
  }
}

bool CsvReader::read(TableChunk& chunk, Index max_rows) {
  require(max_rows > 0, "TableReader::read: max_rows must be positive");
  builder_.start(chunk, rows_read_, columns_.size());
  const Index limit = ChunkBuilder::row_limit(max_rows, static_cast<Index>(columns_.size()));
  std::string_view record;
  std::size_t length = 0, line_breaks = 0;
  for (Index row = 0; row < limit && next_record(record, length, line_breaks); ++row) {
    parse_record(record, chunk);
    buffer_.consume(length);
    line_ += static_cast<std::int64_t>(line_breaks) + 1;
    ++rows_read_;
  }
  builder_.finish(chunk);
  return chunk.rows() > 0;
}

void CsvReader::parse_record(std::string_view record, TableChunk& chunk) {
  double* const row = builder_.add_row(chunk, line_);
  const std::size_t count = columns_.size();
  CellWalker walker(record, separator_);
  std::size_t column = 0;
  do {
    if (column == count) refuse_ragged(record);
    parse_cell(walker, column, row[column], chunk);
    ++column;
  } while (!walker.done());
  if (column != count) refuse_ragged(record);
}

void CsvReader::parse_cell(CellWalker& walker, std::size_t column, double& number, TableChunk& chunk) {
  if (kinds_[column] == ColumnKind::number) {
    // Nearly every cell is a plain number that ends at the separator: no view, no copy.
    const char* start = walker.position();
    while (start < walker.end() && *start == ' ') ++start;
    const auto status = std::from_chars(start, walker.end(), number);
    if (status.ec == std::errc() && (status.ptr == walker.end() || *status.ptr == separator_) &&
        std::isfinite(number)) {
      walker.skip_to(status.ptr);
      return;
    }
  }
  std::string_view cell;
  const auto place = static_cast<std::int64_t>(column) + 1;
  if (!walker.next(cell)) throw DataError(path_, line_, place, "text follows the closing quote of a cell");
  if (kinds_[column] == ColumnKind::text) {
    chunk.text[column].emplace_back(cell);
  } else if (kinds_[column] == ColumnKind::number && !parse_number(cell, number)) {
    const std::string name = has_names_ ? " (column '" + printable(columns_[column]) + "')" : std::string();
    throw DataError(path_, line_, place, "'" + printable(cell) + "' is not a number" + name + text_advice(column));
  }
  if (kinds_[column] != ColumnKind::number) number = 0;
}

std::string CsvReader::text_advice(std::size_t column) const {
  if (!target_) return {};
  return static_cast<Index>(column) == *target_
             ? "; if the target is a class, train with the recipe classify"
             : "; name columns of text in data.categorical or data.ignore of the recipe";
}

void CsvReader::refuse_ragged(std::string_view record) const {
  throw DataError(path_, line_, 0,
                  "has " + std::to_string(count_cells(record, separator_)) + " columns where the " +
                      (has_names_ ? "header" : "first row") + " has " + std::to_string(columns_.size()));
}

}  // namespace alacarte::data_detail
