#pragma once
// Which separator a CSV file uses and whether its first row names the columns. Private to the data room.
#include <string>
#include <string_view>
#include <vector>

namespace alacarte::data_detail {

/// What a file that begins with `start` is instead of a table of text ("a PNG image"); "" if it may be one.
std::string_view foreign_format(std::string_view start);

/// The separator of a name of DataConfig::separator other than "auto". Throws ConfigError for an unknown name.
char separator_from_name(const std::string& name);

/// The separator under which the first rows agree on more than one column; of several: tab, semicolon, comma, space.
/// Falls back to the one that occurs most in the first row, and to the comma. `at_end`: the window is the whole file.
char detect_separator(std::string_view window, bool at_end);

/// At most `count` records at the front of a window, blank lines left out.
std::vector<std::string_view> first_records(std::string_view window, char separator, bool at_end, std::size_t count);

/// Cells of a record as text; a broken quote ends the list.
std::vector<std::string> split_record(std::string_view record, char separator);

/// True when some column has text (neither a number nor a missing word) in the first row but not in the second: a name
/// above values. With a single row: when it has text only.
bool looks_like_header(const std::vector<std::string>& first, const std::vector<std::string>* second);

}  // namespace alacarte::data_detail
