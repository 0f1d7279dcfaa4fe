#pragma once
// The start of a CSV file: its separator, what stands above the table, and the cells of the first records. Private to
// the data room.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/cells.hpp"

namespace alacarte::data_detail {

/// Start of a CSV file, found in its first bytes.
struct CsvOpening {
  bool is_complete = false;  ///< false: more bytes are needed
  char separator = ',';
  std::size_t bytes = 0;                        ///< above the header or, without one, the first row
  std::int64_t lines = 0;                       ///< in those bytes
  std::vector<std::vector<std::string>> cells;  ///< cells of the header, if any, and of the first rows
  std::size_t columns = 0;                      ///< columns of the first of them, broken quotes included
  bool has_bare_return = false;                 ///< a carriage return outside quotes stands inside the first record
  std::vector<std::string> remarks;             ///< sentences about the lines left out
};

/// Finds the start of a table in a window on a file. Under data.strict the first record begins the table; else lines of
/// comments, a title, and a line that names the separator may precede it. The result does not depend on the pieces in
/// which a pipe delivers the window. `format` has the decimal sign that was requested.
CsvOpening find_opening(std::string_view window, bool at_end, const DataConfig& config, const CellFormat& format);

/// Returns true if the first record is a header: some column has text (neither a number nor a missing word) there but
/// not in the record below. A single record must be all text. Outside data.strict dates are no text, and a first record
/// that is unlike all others of a table of text alone is a header of a new table, not of one that a model reads.
bool looks_like_header(const std::vector<std::vector<std::string>>& records, const CellFormat& format, bool is_new);

/// Returns true if the second record is a second header, such as units: it has text in at least two columns, each with
/// numbers below, in none of its columns a number, and no text below its text.
bool has_second_header(const std::vector<std::vector<std::string>>& records, const CellFormat& format);
/// Returns true if the second record may be that of a table whose training table had one: no cell is a number.
bool may_be_second_header(const std::vector<std::vector<std::string>>& records, const CellFormat& format);

/// Adds an empty name to a header that has one name fewer than every other record: in front, where R writes the names
/// of rows, or at the end if all records end in a separator. Removes an empty last name that no record has a cell for.
/// Returns true if it did either.
bool complete_header(std::vector<std::vector<std::string>>& records, const CellFormat& format);

/// Names the columns. A column without a name goes by its position, as all do without a header, unless another column
/// has that name. Names that repeat get a number behind a point, never one that makes the name of another column.
/// `repeated`: columns whose name was used before. names: cells of a header, or empty.
std::vector<std::string> column_names(const std::vector<std::string>& names, std::size_t columns,
                                      std::vector<std::size_t>& repeated);

/// Returns true if lines end in carriage returns alone, by the first line end outside quotes. `is_known`: the window
/// suffices to tell.
bool ends_lines_by_returns(std::string_view window, bool at_end, bool& is_known);

}  // namespace alacarte::data_detail
