#include "data/csv_record.hpp"

#include <cstring>

#include "data/cells.hpp"

namespace alacarte::data_detail {
namespace {

const char* find(const char* begin, const char* end, char c) {
  if (begin == end) return nullptr;
  return static_cast<const char*>(std::memchr(begin, c, static_cast<std::size_t>(end - begin)));
}

/// Tabs separate cells, too, if blanks do.
bool separates(char c, char separator) { return c == separator || (separator == ' ' && c == '\t'); }

const char* skip_blanks(const char* at, const char* end, char separator) {
  while (at < end && is_blank(*at) && (*at != separator || separator == ' ')) ++at;
  return at;
}

/// Returns the end of the closing quote of a cell whose content starts at `at`, or nullptr.
const char* closing_quote(const char* at, const char* end) {
  for (;;) {
    const char* quote = find(at, end, '"');
    if (quote == nullptr) return nullptr;
    if (quote + 1 == end || quote[1] != '"') return quote + 1;
    at = quote + 2;
  }
}

}  // namespace

RecordEnd find_record_end(std::string_view window, char separator, bool at_end) {
  const char* at = window.data();
  const char* const stop = at + window.size();
  std::size_t line_breaks = 0;
  const char* line_end = find(at, stop, '\n');
  const char* quote = at;
  for (;;) {
    const char* const limit = line_end == nullptr ? stop : line_end;
    if (quote <= at) quote = find(at, limit, '"');
    if (quote == nullptr || quote >= limit) break;
    // Only a quote at the start of a cell opens one.
    const char* cell = skip_blanks(at, limit, separator);
    if (cell < limit && *cell == '"') {
      const char* closed = closing_quote(cell + 1, stop);
      // A quote at the end of the window may be half of a doubled one.
      if (closed == nullptr || (closed == stop && !at_end)) return {};
      for (const char* c = cell; (c = find(c, closed, '\n')) != nullptr; ++c) ++line_breaks;
      quote = at = closed;
      if (line_end != nullptr && line_end < closed) line_end = find(closed, stop, '\n');
    }
    const char* const end = line_end == nullptr ? stop : line_end;
    while (at < end && !separates(*at, separator)) ++at;
    if (at == end) break;
    ++at;
  }
  if (line_end == nullptr && !at_end) return {};
  const auto size = static_cast<std::size_t>((line_end == nullptr ? stop : line_end) - window.data());
  const bool has_return = size > 0 && window[size - 1] == '\r';
  return {true, size - (has_return ? 1 : 0), size + (line_end == nullptr ? 0 : 1), line_breaks};
}

CellWalker::CellWalker(std::string_view record, char separator)
    : at_(record.data()), end_(record.data() + record.size()), separator_(separator) {
  if (separator_ != ' ') return;
  while (at_ < end_ && is_blank(*at_)) ++at_;
  while (at_ < end_ && is_blank(end_[-1])) --end_;
}

void CellWalker::skip_to(const char* cell_end) {
  at_ = cell_end;
  if (at_ == end_) {
    done_ = true;
    return;
  }
  ++at_;
  if (separator_ == ' ') at_ = skip_blanks(at_, end_, ' ');
}

bool CellWalker::next(std::string_view& cell) {
  const char* start = skip_blanks(at_, end_, separator_);
  if (start < end_ && *start == '"') {
    at_ = start;
    return next_quoted(cell);
  }
  const char* stop = start;
  while (stop < end_ && !separates(*stop, separator_)) ++stop;
  cell = trimmed({start, static_cast<std::size_t>(stop - start)});
  skip_to(stop);
  return true;
}

bool CellWalker::next_quoted(std::string_view& cell) {
  const char* const content = at_ + 1;
  const char* const closed = closing_quote(content, end_);
  if (closed == nullptr) return false;
  const char* stop = separator_ == ' ' ? closed : skip_blanks(closed, end_, separator_);
  if (stop < end_ && !separates(*stop, separator_)) return false;
  cell = {content, static_cast<std::size_t>(closed - 1 - content)};
  if (cell.find('"') != std::string_view::npos) {
    unquoted_.clear();
    for (std::size_t i = 0; i < cell.size(); ++i) {
      unquoted_ += cell[i];
      if (cell[i] == '"') ++i;
    }
    cell = unquoted_;
  }
  skip_to(stop);
  return true;
}

bool is_blank_line(std::string_view record, char separator) {
  return trimmed(record).empty() && (separator != '\t' || record.find('\t') == std::string_view::npos);
}

std::size_t count_cells(std::string_view record, char separator) {
  CellWalker walker(record, separator);
  std::string_view cell;
  std::size_t count = 0;
  do {
    if (!walker.next(cell)) return count + 1;
    ++count;
  } while (!walker.done());
  return count;
}

}  // namespace alacarte::data_detail
