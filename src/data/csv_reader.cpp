// CSV, streamed.
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "data/cells.hpp"
#include "data/chunk_builder.hpp"
#include "data/csv_record.hpp"
#include "data/formats.hpp"

namespace alacarte::data_detail {
namespace {

constexpr std::size_t kSampleRecords = 20;
constexpr std::size_t kSampleBytes = std::size_t{1} << 20;

/// Returns the format of a file with this start if it is no table of text ("a PNG image"), else "".
std::string_view foreign_format(std::string_view start) {
  constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
      {"\x89PNG", "a PNG image"},
      {"\xff\xd8\xff", "a JPEG image"},
      {"%PDF", "a PDF document"},
      {"PK\3\4", "a ZIP archive or a spreadsheet (save it as CSV)"},
      {"\xd0\xcf\x11\xe0", "an old spreadsheet (save it as CSV)"},
      {"\x28\xb5\x2f\xfd", "compressed by zstd (gzip is read)"},
      {"\xfd\x37zXZ", "compressed by xz (gzip is read)"},
      {"PAR1\x15", "a Parquet file (save it as CSV)"},
      {"\x89HDF", "an HDF5 file (save it as CSV)"}};
  for (const auto& [magic, words] : kFormats)
    if (start.substr(0, magic.size()) == magic) return words;
  if (start.substr(0, 512).find('\0') != std::string_view::npos) return "binary, not text";
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  std::string word(start.substr(0, 14));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  if (word == "<!doctype html" || word.rfind("<html", 0) == 0 || word.rfind("<head", 0) == 0)
    return "an HTML page, perhaps of an error or a login";
  return word.rfind("<?xml", 0) == 0 ? "an XML document" : "";
}

/// Returns at most `count` records at the front of a window, without blank lines.
std::vector<std::string_view> first_records(std::string_view window, char separator, bool at_end, std::size_t count) {
  std::vector<std::string_view> records;
  while (records.size() < count && !window.empty()) {
    const RecordEnd end = find_record_end(window, separator, at_end);
    if (!end.complete) break;
    const std::string_view record = window.substr(0, end.size);
    if (!is_blank_line(record, separator)) records.push_back(record);
    window.remove_prefix(end.length);
  }
  return records;
}

/// Returns the separator for which the first rows agree on more than one column, in the order tab, semicolon, comma,
/// space. Falls back to the most frequent one in the first row, and to the comma. `at_end`: the whole file.
char detect_separator(std::string_view window, bool at_end, bool decimal_comma) {
  char best = decimal_comma ? ';' : ',';
  std::size_t maximum = 1;
  for (const char separator : {'\t', ';', ',', ' '}) {
    if (separator == ',' && decimal_comma) continue;
    const auto records = first_records(window, separator, at_end, kSampleRecords);
    if (records.empty()) continue;
    const std::size_t cells = count_cells(records.front(), separator);
    const bool agreed = std::all_of(records.begin(), records.end(),
                                    [&](std::string_view record) { return count_cells(record, separator) == cells; });
    if (agreed && cells > 1) return separator;
    if (cells > maximum) {
      maximum = cells;
      best = separator;
    }
  }
  return best;
}

/// Returns true if a carriage return outside quotes stands before something else, so it ends no line.
bool has_bare_return(std::string_view record) {
  const std::size_t last = record.find_last_not_of('\r');
  bool quoted = false;
  for (std::size_t i = 0; last != std::string_view::npos && i < last; ++i) {
    quoted = quoted != (record[i] == '"');
    if (record[i] == '\r' && !quoted) return true;
  }
  return false;
}

/// Returns the cells of a record as text; a broken quote ends the list.
std::vector<std::string> split_record(std::string_view record, char separator) {
  std::vector<std::string> cells;
  CellWalker walker(record, separator);
  std::string_view cell;
  do {
    if (!walker.next(cell)) break;
    cells.emplace_back(cell);
  } while (!walker.done());
  return cells;
}

/// Returns true for ",0,1,2", which pandas writes above row numbers and columns without names.
bool is_numbered_header(const std::vector<std::string>& cells) {
  if (cells.size() < 2 || !cells.front().empty()) return false;
  for (std::size_t c = 1; c < cells.size(); ++c)
    if (cells[c] != std::to_string(c - 1)) return false;
  return true;
}

class CsvReader : public RowReader {
 public:
  /// Determines separator, header and column names from the first rows.
  CsvReader(const std::string& name, std::unique_ptr<ByteSource> source, const DataConfig& config)
      : buffer_(name, std::move(source)), format_(config) {
    path_ = name;
    buffer_.grow(1);
    skip_byte_order_mark();
    sample_ = sample_records(config);
    if (separator_ != ',') format_.find_decimal_sign(sample_);
    name_columns(config.header);
  }

  double share_read() const override { return buffer_.share_read(); }
  void find_text_columns() override {
    text_.assign(columns_.size(), false);
    some_text_.assign(columns_.size(), false);
    for (std::size_t c = 0; c < text_.size(); ++c) {
      bool text = false, number = false;
      for (std::size_t r = has_names_ ? 1 : 0; r < sample_.size(); ++r) {
        double value = 0;
        if (c >= sample_[r].size()) continue;
        const bool read = format_.parse(sample_[r][c], value);
        text = text || !read;
        number = number || (read && !std::isnan(value));
      }
      text_[c] = text && !number;
      some_text_[c] = text;
    }
  }

  bool holds_text() const override { return true; }
  bool has_decimal_comma() const override { return format_.decimal_comma(); }

 private:
  void skip_byte_order_mark() {
    const std::string_view window = buffer_.window();
    if (window.starts_with("\xff\xfe") || window.starts_with("\xfe\xff"))
      throw DataError(path_, "is UTF-16 text; save it as UTF-8");
    if (window.starts_with(kByteOrderMark)) buffer_.consume(kByteOrderMark.size());
    if (const auto format = foreign_format(buffer_.window()); !format.empty())
      throw DataError(path_, "is no table: it is " + std::string(format));
  }

  std::vector<std::vector<std::string>> sample_records(const DataConfig& config) {
    const auto named = static_cast<std::size_t>(config.separator);
    // The number of records does not depend on the pieces of a pipe, and is at least two, so that a header can be
    // compared with the row below it.
    for (;;) {
      const std::string_view window = buffer_.window();
      separator_ = named > 0 ? "?,;\t "[named] : detect_separator(window, buffer_.at_end(), format_.decimal_comma());
      const auto records = first_records(window, separator_, buffer_.at_end(), kSampleRecords);
      const bool enough = records.size() == kSampleRecords || (records.size() > 1 && window.size() >= kSampleBytes);
      if (enough || buffer_.at_end()) {
        if (!records.empty() && has_bare_return(records.front()))
          throw DataError(path_, "ends its lines by carriage returns alone; save it with line feeds");
        std::vector<std::vector<std::string>> cells;
        for (const std::string_view record : records) cells.push_back(split_record(record, separator_));
        return cells;
      }
      buffer_.grow(1);
    }
  }

  /// Returns true if some column has text (neither a number nor a missing word) in the first row but not in the second:
  /// a name above values. A single row must be all text.
  bool looks_like_header() const {
    const auto is_text = [&](const std::string& cell) {
      double value = 0;
      return !format_.parse(cell, value);
    };
    const auto& first = sample_.front();
    if (sample_.size() == 1) return !first.empty() && std::all_of(first.begin(), first.end(), is_text);
    if (is_numbered_header(first)) return true;
    for (std::size_t c = 0; c < first.size(); ++c)
      if (is_text(first[c]) && (c >= sample_[1].size() || !is_text(sample_[1][c]))) return true;
    return false;
  }

  void name_columns(HeaderLine header) {
    if (sample_.empty()) {
      find_row();  // reports an open quote
      throw DataError(path_, "holds no rows");
    }
    const auto& first = sample_.front();
    const auto front = first_records(buffer_.window(), separator_, buffer_.at_end(), 1);
    const std::size_t cells = count_cells(front.front(), separator_);
    has_names_ = header == HeaderLine::yes || (header == HeaderLine::automatic && looks_like_header());
    kinds_.assign(cells, ColumnKind::number);
    if (has_names_) {
      find_row();
      if (first.size() != cells)
        throw DataError(path_, line_, static_cast<Index>(cells), "text follows the closing quote of a cell");
    }
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t c = 0; c < cells; ++c) {
      // A nameless column (row numbers of some tools) goes by its position, unless another has that name.
      const bool named = has_names_ && !first[c].empty();
      const std::string position = std::to_string(c);
      const bool is_taken = has_names_ && std::find(first.begin(), first.end(), position) != first.end();
      columns_.push_back(named ? first[c] : is_taken ? "unnamed " + position : position);
      const auto [at, fresh] = seen.emplace(columns_.back(), c);
      if (!fresh)
        throw DataError(path_, line_, static_cast<Index>(c) + 1,
                        "the column name '" + printable(columns_.back()) + "' was used before, in column " +
                            std::to_string(at->second + 1));
    }
  }

  /// Allows blank lines only after the last row.
  bool find_row() override {
    buffer_.consume(record_.length);
    line_ += static_cast<std::int64_t>(record_.line_breaks) + 1;
    for (std::int64_t blank_line = 0;;) {
      const std::string_view window = buffer_.window();
      record_ = window.empty() ? RecordEnd{} : find_record_end(window, separator_, buffer_.at_end());
      if (!record_.complete) {
        if (!buffer_.at_end()) {
          buffer_.grow(line_);
          continue;
        }
        if (window.empty()) return false;
        throw DataError(path_, line_, 0, "a quote opened in this row is never closed");
      }
      if (!is_blank_line(window.substr(0, record_.size), separator_)) {
        if (blank_line != 0) throw DataError(path_, blank_line, 0, "blank line inside the table");
        return true;
      }
      if (blank_line == 0) blank_line = line_;
      ++line_;
      buffer_.consume(record_.length);
    }
  }

  void parse_row(double* row, TableChunk& chunk) override {
    const std::string_view record = buffer_.window().substr(0, record_.size);
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

  void parse_cell(CellWalker& walker, std::size_t column, double& number, TableChunk& chunk) {
    const ColumnKind kind = kinds_[column];
    if ((kind == ColumnKind::number || kind == ColumnKind::mixed) && format_.is_plain()) {
      // Nearly every cell is a plain number that ends at the separator and needs no view or copy.
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
    if (kind == ColumnKind::mixed) {
      if (format_.parse(cell, number)) return;
      number = std::numeric_limits<double>::quiet_NaN();
      chunk.odd_cells[column].emplace_back(static_cast<Index>(chunk.line_numbers.size()) - 1, cell);
      return;
    }
    if (kind == ColumnKind::text) {
      chunk.text[column].emplace_back(format_.is_own_missing_word(cell) ? std::string_view() : cell);
    } else if (kind == ColumnKind::date) {
      if (!parse_date(format_.is_own_missing_word(cell) ? std::string_view() : cell, number))
        throw DataError(path_, line_, place, in_quotes(cell) + " is no date; dates are like " + kDateForms);
      return;
    } else if (kind == ColumnKind::number && !format_.parse(cell, number)) {
      const std::string name = has_names_ ? " (column '" + printable(columns_[column]) + "')" : std::string();
      // Remedy of a recipe for text; a model that reads the table names no target.
      const char* const advice = !target_ ? ""
                                 : static_cast<Index>(column) == *target_
                                     ? "; if the target is a class, train with the recipe classify"
                                     : "; name a gap in data.missing_words (--missing-words), a column of text in "
                                       "data.categorical or data.ignore (--categorical, --ignore)";
      double value = 0;
      const char* const comma = !target_ || format_.decimal_comma() || !parse_with_comma(cell, value)
                                    ? ""
                                    : "; of numbers with a decimal comma, set data.decimal (--decimal comma)";
      throw DataError(path_, line_, place, in_quotes(cell) + " is not a number" + name + (*comma ? comma : advice));
    }
    if (kind != ColumnKind::number) number = 0;
  }

  [[noreturn]] void refuse_ragged(std::string_view record) const {
    throw DataError(path_, line_, 0,
                    "has " + std::to_string(count_cells(record, separator_)) + " columns where the " +
                        (has_names_ ? "header" : "first row") + " has " + std::to_string(columns_.size()));
  }

  RecordBuffer buffer_;
  char separator_ = ',';
  CellFormat format_;
  std::vector<std::vector<std::string>> sample_;  // cells of the first records, the header included
  RecordEnd record_;                              // at the front of the buffer, consumed by the next search
};

}  // namespace

std::unique_ptr<TableReader> make_csv_reader(const std::string& name, std::unique_ptr<ByteSource> source,
                                             const DataConfig& config) {
  return std::make_unique<CsvReader>(name, std::move(source), config);
}

}  // namespace alacarte::data_detail
