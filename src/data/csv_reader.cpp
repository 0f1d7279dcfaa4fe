// CSV, streamed.
#include <charconv>
#include <cmath>
#include <limits>

#include "data/cells.hpp"
#include "data/chunk_builder.hpp"
#include "data/csv_opening.hpp"
#include "data/csv_record.hpp"
#include "data/formats.hpp"
#include "data/text_encoding.hpp"

namespace alacarte::data_detail {
namespace {

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

/// Returns the source as UTF-8 if it is UTF-16 text, which `is_utf16` then tells.
std::unique_ptr<ByteSource> as_utf8(const std::string& name, std::unique_ptr<ByteSource> source, bool& is_utf16) {
  is_utf16 = looks_like_utf16(source->peek(kUtf16LookBytes));
  return is_utf16 ? make_utf16_source(name, std::move(source)) : std::move(source);
}

class CsvReader : public RowReader {
 public:
  /// Determines separator, header and column names from the first rows.
  CsvReader(const std::string& name, std::unique_ptr<ByteSource> source, const DataConfig& config)
      : strict_(config.strict),
        buffer_(name, config.strict ? std::move(source) : as_utf8(name, std::move(source), is_utf16_)),
        format_(config) {
    path_ = name;
    buffer_.grow(1);
    skip_byte_order_mark();
    if (!strict_) replace_returns();
    read_opening(config);
    if (separator_ != ',') format_.find_decimal_sign(sample_);
    find_header(config);
    name_columns();
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
        const bool read = format_.parse(sample_[r][c], value) && !format_.may_be_text(sample_[r][c]);
        text = text || !read;
        number = number || (read && !std::isnan(value));
      }
      text_[c] = text && !number;
      some_text_[c] = text;
    }
  }

  bool holds_text() const override { return true; }
  bool has_second_header() const override { return has_second_header_; }
  bool has_decimal_comma() const override { return format_.decimal_comma(); }
  std::vector<std::string> remarks() const override {
    std::vector<std::string> remarks = remarks_;
    if (is_latin1_) remarks.insert(remarks.begin(), "the file is Latin-1 text");
    if (inner_comments_ > 0)
      remarks.push_back(std::to_string(inner_comments_) + (inner_comments_ == 1 ? " line" : " lines") +
                        " inside the table that begin with '#' left out");
    if (blank_lines_ > 0)
      remarks.push_back(std::to_string(blank_lines_) + " blank " + (blank_lines_ == 1 ? "line" : "lines") +
                        " inside the table left out");
    return remarks;
  }

 private:
  void skip_byte_order_mark() {
    const std::string_view window = buffer_.window();
    if (window.starts_with("\xff\xfe") || window.starts_with("\xfe\xff"))
      throw DataError(path_, "is UTF-16 text; save it as UTF-8");
    if (window.starts_with(kByteOrderMark)) buffer_.consume(kByteOrderMark.size());
    if (const auto format = foreign_format(buffer_.window()); !format.empty())
      throw DataError(path_, "is no table: it is " + std::string(format));
    if (is_utf16_) remarks_.push_back("the file is UTF-16 text");
  }

  /// Makes line feeds of the carriage returns of a file that ends its lines so.
  void replace_returns() {
    bool is_known = false;
    while (!ends_lines_by_returns(buffer_.window(), buffer_.at_end(), is_known)) {
      if (is_known || buffer_.at_end()) return;
      buffer_.grow(1);
    }
    buffer_.replace_returns();
    remarks_.push_back("lines end in carriage returns alone");
  }

  void read_opening(const DataConfig& config) {
    const auto look = [&] { return find_opening(buffer_.window(), buffer_.at_end(), config, format_); };
    CsvOpening opening = look();
    for (; !opening.is_complete; opening = look()) buffer_.grow(1);
    if (strict_ && opening.has_bare_return)
      throw DataError(path_, "ends its lines by carriage returns alone; save it with line feeds");
    separator_ = opening.separator;
    column_count_ = opening.columns;
    sample_ = std::move(opening.cells);
    remarks_.insert(remarks_.end(), opening.remarks.begin(), opening.remarks.end());
    buffer_.consume(opening.bytes);
    line_ = opening.lines;
    if (sample_.empty()) {
      find_row();  // reports an open quote
      throw DataError(path_, "holds no rows");
    }
    if (strict_) return;
    for (auto& cells : sample_)
      for (std::string& cell : cells) cell = to_utf8(cell, is_latin1_);
  }

  void find_header(const DataConfig& config) {
    if (config.header == HeaderLine::no) return;
    if (!strict_ && sample_.front().size() == column_count_ && complete_header(sample_, format_)) {
      has_names_ = true;
      const auto& names = sample_.front();
      remarks_.push_back(names.size() < column_count_ ? "the header ends in a separator, the rows do not"
                         : names.front().empty()      ? "the header has no name for the first column"
                                                      : "the rows end in a separator, the header does not");
      column_count_ = names.size();
    }
    // The training table tells of later ones, which may have few rows.
    const bool is_new = !config.second_header.has_value();
    has_second_header_ = !strict_ && (is_new ? data_detail::has_second_header(sample_, format_)
                                             : *config.second_header && may_be_second_header(sample_, format_));
    has_names_ = has_names_ || has_second_header_ || config.header == HeaderLine::yes ||
                 looks_like_header(sample_, format_, is_new);
  }

  void name_columns() {
    const std::vector<std::string> names = has_names_ ? sample_.front() : std::vector<std::string>();
    kinds_.assign(column_count_, ColumnKind::number);
    if (has_names_) {
      find_row();
      if (names.size() != column_count_)
        throw DataError(path_, line_, static_cast<Index>(column_count_), "text follows the closing quote of a cell");
    }
    std::vector<std::size_t> repeated;
    columns_ = column_names(names, column_count_, repeated);
    for (const std::size_t c : repeated) {
      const std::string name = names[c].empty() ? columns_[c].substr(0, columns_[c].rfind('.')) : names[c];
      const auto first = std::find(columns_.begin(), columns_.end(), name) - columns_.begin();
      if (strict_)
        throw DataError(
            path_, line_, static_cast<Index>(c) + 1,
            "the column name " + in_quotes(name) + " was used before, in column " + std::to_string(first + 1));
      remarks_.push_back("the column name " + in_quotes(name) + " is used again, in column " + std::to_string(c + 1) +
                         ", which is named " + in_quotes(columns_[c]));
    }
    if (!has_second_header_) return;
    find_row();
    remarks_.push_back("line " + std::to_string(line_) + " looks like a second header and is left out");
    sample_.erase(sample_.begin() + 1);
  }

  /// Allows blank lines only after the last row under data.strict. Else leaves out them and comments, which have
  /// another number of cells than rows.
  bool find_row() final {
    buffer_.consume(record_.length);
    line_ += static_cast<std::int64_t>(record_.line_breaks) + 1;
    for (std::int64_t blank_lines = 0, first_blank = 0;;) {
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
      const std::string_view record = window.substr(0, record_.size);
      const bool is_blank = is_blank_line(record, separator_);
      if (!is_blank && !is_comment(record)) {
        // A blank line of one column may be a row with a gap.
        if (blank_lines != 0 && (strict_ || columns_.size() == 1))
          throw DataError(path_, first_blank, 0, "blank line inside the table");
        blank_lines_ += blank_lines;
        return true;
      }
      if (is_blank && blank_lines++ == 0) first_blank = line_;
      inner_comments_ += is_blank ? 0 : 1;
      line_ += static_cast<std::int64_t>(record_.line_breaks) + 1;
      buffer_.consume(record_.length);
    }
  }

  bool is_comment(std::string_view record) const {
    return record.front() == '#' && !strict_ && !columns_.empty() && count_cells(record, separator_) != columns_.size();
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
      // A word that is a gap among numbers alone is kept until all rows tell what the column holds.
      if (format_.parse(cell, number) && !(std::isnan(number) && format_.is_gap_of_numbers_alone(cell))) return;
      number = std::numeric_limits<double>::quiet_NaN();
      chunk.odd_cells[column].emplace_back(static_cast<Index>(chunk.line_numbers.size()) - 1, text_of(cell));
      return;
    }
    if (kind == ColumnKind::text) {
      chunk.text[column].push_back(format_.is_own_missing_word(cell) ? std::string() : text_of(cell));
    } else if (kind == ColumnKind::date) {
      if (!parse_date(format_.is_gap_among_numbers(cell) ? std::string_view() : cell, number))
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

  /// Returns the text of a cell, as UTF-8 unless data.strict is set.
  std::string text_of(std::string_view cell) { return strict_ ? std::string(cell) : to_utf8(cell, is_latin1_); }

  [[noreturn]] void refuse_ragged(std::string_view record) const {
    throw DataError(path_, line_, 0,
                    "has " + std::to_string(count_cells(record, separator_)) + " columns where the " +
                        (has_names_ ? "header" : "first row") + " has " + std::to_string(columns_.size()));
  }

  bool strict_ = false;
  bool is_utf16_ = false, is_latin1_ = false;  // the latter so far
  bool has_second_header_ = false;
  RecordBuffer buffer_;
  char separator_ = ',';
  CellFormat format_;
  std::size_t column_count_ = 0;
  std::vector<std::vector<std::string>> sample_;  // cells of the first records, the header included
  RecordEnd record_;                              // at the front of the buffer, consumed by the next search
  std::vector<std::string> remarks_;
  std::int64_t blank_lines_ = 0, inner_comments_ = 0;  // left out so far
};

}  // namespace

std::unique_ptr<TableReader> make_csv_reader(const std::string& name, std::unique_ptr<ByteSource> source,
                                             const DataConfig& config) {
  return std::make_unique<CsvReader>(name, std::move(source), config);
}

}  // namespace alacarte::data_detail
