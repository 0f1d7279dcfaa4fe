#pragma once
// Parsing of the cells of text files. Private to the data room.
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace alacarte::data_detail {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Removes blanks at either end.
std::string_view trimmed(std::string_view text);

/// Returns true for "", "?" and, in any case of letters, na, nan and null, with or without blanks around.
bool is_missing_word(std::string_view text);

/// Parses a number (blanks around it and a leading '+' allowed). Missing words give NaN, numbers beyond the range of
/// doubles infinity, numbers too small for it 0. Returns false for other text.
bool parse_number(std::string_view text, double& value);

/// Returns true for well-formed UTF-8, which model files require.
bool is_utf8(std::string_view text);

/// Returns the shortest text that reads back to the same number.
std::string shortest(double value);
/// Returns the label of a number.
std::string label_of(double value);
/// Returns the label of a cell: its text without blanks around, a number in its shortest form.
std::string label_of(std::string_view cell);

/// Sorts in numeric order if all are numbers, else by their bytes.
std::vector<std::string> sorted_labels(const std::set<std::string>& labels);

/// Returns the text for a one-line message: at most 40 bytes; control characters and invalid UTF-8 become '?'.
std::string printable(std::string_view text);
/// Returns printable(name) in single quotes.
std::string in_quotes(std::string_view name);

/// Returns the name of a file without a final ".gz".
inline std::string without_gz(const std::string& name) {
  return name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name;
}

/// Largest number of classes of a target.
inline constexpr std::size_t kMaxClasses = 1000;

}  // namespace alacarte::data_detail
