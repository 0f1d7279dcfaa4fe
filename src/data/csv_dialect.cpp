#include "data/csv_dialect.hpp"

#include <algorithm>

#include "alacarte/core/error.hpp"
#include "alacarte/core/spelling.hpp"
#include "data/cells.hpp"
#include "data/csv_record.hpp"

namespace alacarte::data_detail {
namespace {

constexpr std::size_t kSampleRecords = 20;

bool is_text(const std::string& cell) {
  double value = 0;
  return !parse_number(cell, value);
}

}  // namespace

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

char separator_from_name(const std::string& name) {
  if (name == "comma") return ',';
  if (name == "semicolon") return ';';
  if (name == "tab") return '\t';
  if (name == "space") return ' ';
  throw ConfigError("/data/separator", "'" + printable(name) + "' is not one of auto, comma, semicolon, tab, space" +
                                           did_you_mean(name, {"auto", "comma", "semicolon", "tab", "space"}));
}

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

char detect_separator(std::string_view window, bool at_end) {
  char best = ',';
  std::size_t maximum = 1;
  for (const char separator : {'\t', ';', ',', ' '}) {
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

bool looks_like_header(const std::vector<std::string>& first, const std::vector<std::string>* second) {
  if (second == nullptr) return !first.empty() && std::all_of(first.begin(), first.end(), is_text);
  for (std::size_t c = 0; c < first.size(); ++c)
    if (is_text(first[c]) && (c >= second->size() || !is_text((*second)[c]))) return true;
  return false;
}

}  // namespace alacarte::data_detail
