#include "data/csv_opening.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "data/csv_record.hpp"

namespace alacarte::data_detail {
namespace {

constexpr std::size_t kSampleRecords = 20;
constexpr std::size_t kSampleBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxTitles = 5;

using Cells = std::vector<std::string>;

struct FirstRecord {
  std::string_view text;
  std::size_t begin = 0;  // bytes before it
  std::int64_t line = 0;  // lines before it
};

/// Records at the front of a file, without blank lines; `comments` are the lines above the others that begin with '#'.
struct FirstRecords {
  std::vector<FirstRecord> comments, rows;
};

RecordEnd find_comment_end(std::string_view window, bool at_end) {
  const auto feed = window.find('\n');
  if (feed == std::string_view::npos) return {at_end, window.size(), window.size(), 0};
  return {true, feed - (feed > 0 && window[feed - 1] == '\r' ? 1 : 0), feed + 1, 0};
}

FirstRecords read_records(std::string_view window, char separator, bool at_end, bool with_comments) {
  FirstRecords found;
  std::int64_t line = 0;
  for (std::size_t at = 0; found.rows.size() < kSampleRecords && at < window.size();) {
    const std::string_view rest = window.substr(at);
    const bool is_comment = with_comments && found.rows.empty() && rest.front() == '#';
    const RecordEnd end = is_comment ? find_comment_end(rest, at_end) : find_record_end(rest, separator, at_end);
    if (!end.complete) break;
    const std::string_view record = rest.substr(0, end.size);
    if (!is_blank_line(record, separator)) (is_comment ? found.comments : found.rows).push_back({record, at, line});
    at += end.length;
    line += static_cast<std::int64_t>(end.line_breaks) + 1;
  }
  return found;
}

/// Returns the cells of a record as text; a broken quote ends the list.
Cells cells_of(std::string_view record, char separator) {
  Cells cells;
  CellWalker walker(record, separator);
  std::string_view cell;
  do {
    if (!walker.next(cell)) break;
    cells.emplace_back(cell);
  } while (!walker.done());
  return cells;
}

/// Returns true for text that is neither a number nor certainly a gap ("none" is a name or a level) nor, outside
/// data.strict, a date.
bool is_name(const std::string& cell, const CellFormat& format) {
  double value = 0;
  if (format.parse(cell, value)) return std::isnan(value) && format.may_be_text(cell);
  return format.is_strict() || !parse_date(cell, value);
}

/// Returns true for ",0,1,2", which pandas writes above row numbers and columns without names.
bool is_numbered_header(const Cells& cells) {
  if (cells.size() < 2 || !cells.front().empty()) return false;
  for (std::size_t c = 1; c < cells.size(); ++c)
    if (cells[c] != std::to_string(c - 1)) return false;
  return true;
}

bool is_header_above(const Cells& first, const Cells& second, const CellFormat& format) {
  if (is_numbered_header(first)) return true;
  for (std::size_t c = 0; c < first.size(); ++c)
    if (is_name(first[c], format) && (c >= second.size() || !is_name(second[c], format))) return true;
  return false;
}

/// Returns true if, in a table of text alone, the first record is unlike the others: no cell of it recurs in its
/// column, and some column has few levels, of which a row would have one.
bool stands_above_levels(const std::vector<Cells>& records) {
  const std::size_t rows = records.size() - 1;
  bool has_levels = false;
  for (std::size_t c = 0; c < records.front().size(); ++c) {
    std::unordered_set<std::string> levels;
    for (std::size_t r = 1; r <= rows; ++r)
      if (c < records[r].size()) levels.insert(records[r][c]);
    if (levels.contains(records.front()[c])) return false;
    has_levels = has_levels || 4 * levels.size() <= rows;
  }
  return has_levels;
}

/// Returns true for a header of names alone, above at least one column of numbers.
bool is_full_header(const Cells& first, const Cells& second, const CellFormat& format) {
  return std::all_of(first.begin(), first.end(), [&](const std::string& cell) { return is_name(cell, format); }) &&
         is_header_above(first, second, format);
}

/// Returns true for a line above a table of `columns`: text in one cell, perhaps with the empty cells that spreadsheets
/// write after it, or in few cells, such as "Source,World Bank".
bool is_title(const Cells& cells, std::size_t columns, const CellFormat& format) {
  if (cells.empty() || !is_name(cells.front(), format)) return false;
  return 2 * cells.size() <= columns ||
         std::all_of(cells.begin() + 1, cells.end(), [](const std::string& cell) { return cell.empty(); });
}

/// Returns the format with the decimal sign of these rows.
CellFormat format_of(const std::vector<FirstRecord>& rows, char separator, CellFormat format) {
  std::vector<Cells> cells;
  for (const FirstRecord& row : rows) cells.push_back(cells_of(row.text, separator));
  if (separator != ',') format.find_decimal_sign(cells);
  return format;
}

/// Counts the titles above a table: all records below them have the same number of cells, and a header follows, unless
/// they are single cells above more than two columns (R writes a single name above two).
std::size_t count_titles(const std::vector<FirstRecord>& rows, char separator, const CellFormat& requested) {
  const CellFormat format = format_of(rows, separator, requested);
  const std::size_t width = rows.empty() ? 0 : count_cells(rows.back().text, separator);
  std::size_t most = 0;
  while (most < kMaxTitles && most + 2 < rows.size() && is_title(cells_of(rows[most].text, separator), width, format))
    ++most;
  for (std::size_t titles = most; titles > 0; --titles) {
    const std::size_t columns = count_cells(rows[titles].text, separator);
    const bool agreed =
        columns > 1 && std::all_of(rows.begin() + static_cast<std::ptrdiff_t>(titles), rows.end(),
                                   [&](const FirstRecord& row) { return count_cells(row.text, separator) == columns; });
    if (!agreed) continue;
    const bool are_single = std::all_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(titles),
                                        [&](const FirstRecord& row) { return count_cells(row.text, separator) == 1; });
    const Cells first = cells_of(rows[titles].text, separator), second = cells_of(rows[titles + 1].text, separator);
    if ((are_single && columns > 2) || is_header_above(first, second, format)) return titles;
  }
  return 0;
}

/// Returns the separator for which the first rows agree on more than one column, in the order tab, semicolon, comma,
/// bar (not under data.strict), space. Falls back to the one for which they agree below a title, to the most frequent
/// one in the first row, and to the comma.
char detect_separator(std::string_view window, bool at_end, bool strict, const CellFormat& format) {
  char best = format.decimal_comma() ? ';' : ',';
  std::size_t maximum = 1;
  for (const char separator : {'\t', ';', ',', '|', ' '}) {
    if ((separator == ',' && format.decimal_comma()) || (separator == '|' && strict)) continue;
    const auto rows = read_records(window, separator, at_end, !strict).rows;
    if (rows.empty()) continue;
    const std::size_t cells = count_cells(rows.front().text, separator);
    const bool agreed = std::all_of(rows.begin(), rows.end(),
                                    [&](const FirstRecord& row) { return count_cells(row.text, separator) == cells; });
    if (agreed && cells > 1) return separator;
    if (cells > maximum) {
      maximum = cells;
      best = separator;
    }
  }
  for (const char separator : {'\t', ';', ',', '|'})
    if (!strict && !(separator == ',' && format.decimal_comma()) &&
        count_titles(read_records(window, separator, at_end, true).rows, separator, format) > 0)
      return separator;
  return best;
}

/// Returns the cells of the last comment if it is a header ("#,name,price", or "# a b" of numpy, whose mark is removed)
/// or a row, else none: it has as many cells as the record below, and that is no header itself.
Cells header_in_comment(const FirstRecords& records, char separator, const CellFormat& format) {
  if (records.comments.empty() || records.rows.empty()) return {};
  const std::string_view comment = records.comments.back().text;
  Cells cells = cells_of(comment, separator);
  const Cells first = cells_of(records.rows[0].text, separator);
  if (separator == ' ' && cells.size() == first.size() + 1 && cells.front() == "#") cells.erase(cells.begin());
  if (first.size() < 2 || cells.size() != first.size() || count_cells(comment, separator) < cells.size()) return {};
  if (records.rows.size() > 1 && is_full_header(first, cells_of(records.rows[1].text, separator), format)) return {};
  std::string& name = cells.front();
  const auto text = name.find_first_not_of(" \t", 1);
  if (name.starts_with("# ") && text != std::string::npos) name.erase(0, text);
  return cells;
}

/// Returns true if the lines that begin with '#' are rows, whose first cell begins so: all have as many cells as
/// others, and some have no blank after the mark.
bool are_rows(const FirstRecords& records, char separator) {
  if (records.rows.empty() || records.comments.size() < 2) return false;
  const std::size_t columns = count_cells(records.rows.front().text, separator);
  bool is_marked = true;
  for (const FirstRecord& comment : records.comments) {
    if (count_cells(comment.text, separator) != columns) return false;
    is_marked = is_marked && comment.text.starts_with("# ");
  }
  return columns > 1 && !is_marked;
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

/// Returns the separator that a spreadsheet names in the first line ("sep=;"), or 0.
char named_separator(std::string_view window, std::size_t& length) {
  const auto feed = window.find('\n');
  std::string_view line = window.substr(0, feed);
  if (feed == std::string_view::npos || line.size() < 5) return 0;
  if (line.back() == '\r') line.remove_suffix(1);
  if (line.size() != 5 || (line.substr(0, 4) != "sep=" && line.substr(0, 4) != "SEP=")) return 0;
  length = feed + 1;
  return std::string_view(",;\t| ").find(line[4]) == std::string_view::npos ? '\0' : line[4];
}

std::string counted(std::size_t count, const std::string& one, const std::string& many) {
  return count == 1 ? "1 " + one : std::to_string(count) + " " + many;
}

/// Chooses the first record of the table and keeps the cells of the first records.
void begin_table(const FirstRecords& records, std::size_t above, const DataConfig& config, const CellFormat& format,
                 CsvOpening& opening) {
  const char separator = opening.separator;
  opening.has_bare_return = has_bare_return(records.rows.front().text);
  std::size_t titles = 0, comments = records.comments.size();
  if (!config.strict && config.header != HeaderLine::no) titles = count_titles(records.rows, separator, format);
  const FirstRecord* start = &records.rows[titles];
  Cells header =
      titles > 0 ? Cells() : header_in_comment(records, separator, format_of(records.rows, separator, format));
  if (!header.empty()) {
    start = &records.comments.back();
    --comments;
    opening.columns = header.size();
    opening.cells.push_back(std::move(header));
  } else {
    opening.columns = count_cells(start->text, separator);
  }
  for (std::size_t r = titles; r < records.rows.size(); ++r) {
    const std::string_view row = records.rows[r].text;
    const bool is_comment = !config.strict && row.front() == '#' && count_cells(row, separator) != opening.columns;
    if (!is_comment) opening.cells.push_back(cells_of(row, separator));
  }
  if (config.strict) return;
  opening.bytes = above + start->begin;
  opening.lines += start->line;
  if (comments > 0)
    opening.remarks.push_back(counted(comments, "comment line is left out", "comment lines are left out"));
  if (titles > 0)
    opening.remarks.push_back(counted(titles, "line above the table looks like a title and is left out",
                                      "lines above the table look like titles and are left out"));
}

}  // namespace

CsvOpening find_opening(std::string_view window, bool at_end, const DataConfig& config, const CellFormat& format) {
  CsvOpening opening;
  const auto chosen = static_cast<std::size_t>(config.separator);
  char separator = chosen > 0 ? "?,;\t |"[chosen] : '\0';
  std::size_t above = 0;
  if (const char named = config.strict ? '\0' : named_separator(window, above); named != '\0') {
    opening.remarks.push_back("line 1 names the separator and is left out");
    opening.lines = 1;
    if (separator == '\0') separator = named;
  }
  const std::string_view text = window.substr(above);
  if (separator == '\0') separator = detect_separator(text, at_end, config.strict, format);
  opening.separator = separator;
  auto records = read_records(text, separator, at_end, !config.strict);
  const bool is_last_look = at_end || window.size() >= kSampleBytes;
  // At least two records, so that a header can be compared with the row below it.
  opening.is_complete = at_end || records.rows.size() == kSampleRecords || (records.rows.size() > 1 && is_last_look);
  const bool has_comments_alone = records.rows.empty() && !records.comments.empty() && is_last_look;
  if (has_comments_alone || are_rows(records, separator)) {
    records = read_records(text, separator, at_end, false);
    opening.is_complete = true;
  }
  if (opening.is_complete && !records.rows.empty()) begin_table(records, above, config, format, opening);
  return opening;
}

bool looks_like_header(const std::vector<Cells>& records, const CellFormat& format, bool is_new) {
  const auto& first = records.front();
  if (records.size() > 1 && is_header_above(first, records[1], format)) return true;
  const bool are_names =
      std::all_of(first.begin(), first.end(), [&](const std::string& cell) { return is_name(cell, format); });
  if (records.size() == 1) return !first.empty() && are_names;
  return are_names && is_new && !format.is_strict() && stands_above_levels(records);
}

bool has_second_header(const std::vector<Cells>& records, const CellFormat& format) {
  // Fewer rows below may be those of a later table, whose first one has gaps or new categories.
  constexpr std::size_t kMinRecords = 5;
  if (records.size() < kMinRecords || records[0].size() != records[1].size()) return false;
  std::size_t units = 0;
  for (std::size_t c = 0; c < records[1].size(); ++c) {
    double value = 0;
    const bool is_text = !format.parse(records[1][c], value);
    if (!is_text && !std::isnan(value)) return false;
    if (!is_text) continue;
    bool has_number = false;
    for (std::size_t r = 2; r < records.size(); ++r) {
      if (c >= records[r].size() || !(format.parse(records[r][c], value) || parse_date(records[r][c], value)))
        return false;
      has_number = has_number || !std::isnan(value);
    }
    if (parse_date(records[1][c], value) || !is_name(records[0][c], format)) return false;
    units += has_number;
  }
  return units > 1;
}

bool may_be_second_header(const std::vector<Cells>& records, const CellFormat& format) {
  return records.size() > 1 && std::all_of(records[1].begin(), records[1].end(), [&](const std::string& cell) {
           double value = 0;
           return !format.parse(cell, value) || std::isnan(value);
         });
}

bool complete_header(std::vector<Cells>& records, const CellFormat& format) {
  if (records.size() < 2 || records.front().empty()) return false;
  auto& names = records.front();
  const auto have_cells = [&](std::size_t count) {
    return std::all_of(records.begin() + 1, records.end(), [&](const Cells& cells) { return cells.size() == count; });
  };
  const auto is_text = [&](const std::string& cell) { return is_name(cell, format); };
  if (names.back().empty() && have_cells(names.size() - 1) && std::all_of(names.begin(), names.end() - 1, is_text)) {
    names.pop_back();
    return true;
  }
  if (!have_cells(names.size() + 1) || !std::all_of(names.begin(), names.end(), is_text)) return false;
  const bool end_empty =
      std::all_of(records.begin() + 1, records.end(), [](const Cells& cells) { return cells.back().empty(); });
  names.insert(end_empty ? names.end() : names.begin(), std::string());
  return true;
}

std::vector<std::string> column_names(const Cells& names, std::size_t columns, std::vector<std::size_t>& repeated) {
  const std::unordered_set<std::string> given(names.begin(), names.end());
  std::unordered_set<std::string> used;
  std::unordered_map<std::string, std::size_t> counts;
  std::vector<std::string> result;
  for (std::size_t c = 0; c < columns; ++c) {
    const std::string position = std::to_string(c);
    const bool is_named = !names.empty() && !names[c].empty();
    const std::string name = is_named ? names[c] : given.contains(position) ? "unnamed " + position : position;
    std::string unique = name;
    if (used.contains(name) || (!is_named && given.contains(name))) {
      repeated.push_back(c);
      do unique = name + "." + std::to_string(++counts[name]);
      while (used.contains(unique) || given.contains(unique));
    }
    used.insert(unique);
    result.push_back(unique);
  }
  return result;
}

bool ends_lines_by_returns(std::string_view window, bool at_end, bool& is_known) {
  bool quoted = false;
  is_known = true;
  for (std::size_t i = 0; i < window.size(); ++i) {
    quoted = quoted != (window[i] == '"');
    if (quoted || (window[i] != '\r' && window[i] != '\n')) continue;
    if (window[i] == '\n') return false;
    if (i + 1 < window.size()) return window[i + 1] != '\n';
  }
  is_known = at_end || window.size() >= kSampleBytes;
  return is_known && window.find('\r') != std::string_view::npos && window.find('\n') == std::string_view::npos;
}

}  // namespace alacarte::data_detail
