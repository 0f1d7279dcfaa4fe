#pragma once
// The grammar of one CSV record (RFC 4180, with blanks around cells allowed). Private to the data room and to code that
// joins CSV files.
#include <string>
#include <string_view>

namespace alacarte::data_detail {

/// Extent of a record at the front of a window.
struct RecordEnd {
  bool complete = false;        ///< false: the window ends inside the record
  std::size_t size = 0;         ///< bytes without the line end
  std::size_t length = 0;       ///< bytes with it
  std::size_t line_breaks = 0;  ///< inside quoted cells
};

/// Finds the end of the record at the front of `window`; `at_end`: nothing follows the window.
RecordEnd find_record_end(std::string_view window, char separator, bool at_end);

/// Walks over the cells of one record. A separator ' ' stands for any run of blanks, those at either end ignored.
class CellWalker {
 public:
  CellWalker(std::string_view record, char separator);

  bool done() const { return done_; }
  /// Returns the next cell without blanks and quotes around it, valid until the next call. False: a quoted cell is not
  /// closed, or other text follows its closing quote.
  bool next(std::string_view& cell);

  /// Supports parsing in place: start of the next cell, end of the record, and move past that cell.
  const char* position() const { return at_; }
  const char* end() const { return end_; }
  void skip_to(const char* cell_end);

 private:
  bool next_quoted(std::string_view& cell);
  const char* at_;
  const char* end_;
  char separator_;
  bool done_ = false;
  std::string unquoted_;
};

/// Returns true if the record has only blanks, and these do not separate cells.
bool is_blank_line(std::string_view record, char separator);

/// Counts the cells of a record; a broken quote ends the count.
std::size_t count_cells(std::string_view record, char separator);

}  // namespace alacarte::data_detail
