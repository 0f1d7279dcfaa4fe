#pragma once
// Parsing of the cells of text files. Private to the data room.
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace alacarte::data_detail {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Without blanks at either end.
std::string_view trimmed(std::string_view text);

/// "", "?" and, in any case of letters, na, nan and null; blanks around are ignored.
bool is_missing_word(std::string_view text);

/// The number written in `text` (blanks around it and a leading '+' allowed). Missing words give NaN, numbers
/// beyond the range of doubles infinity, numbers too small for it 0. False if it is no number at all.
bool parse_number(std::string_view text, double& value);

/// Well-formed UTF-8 (what a model file can hold).
bool is_utf8(std::string_view text);

/// The shortest text that reads back to the same number.
std::string shortest(double value);
/// The class of a number.
std::string label_of(double value);
/// The class that a cell names: its text without blanks around, a number in its shortest form.
std::string label_of(std::string_view cell);

/// In numeric order if all are numbers, else by their bytes.
std::vector<std::string> sorted_labels(const std::set<std::string>& labels);

/// The text as it may stand in a one-line message: at most 40 bytes; control characters and what is no UTF-8
/// as '?'.
std::string printable(std::string_view text);
/// printable(name) in single quotes.
std::string in_quotes(std::string_view name);

/// A name of a file without ".gz" at its end.
inline std::string without_gz(const std::string& name) {
  return name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name;
}

/// Classes that a target may have.
inline constexpr std::size_t kMaxClasses = 1000;

}  // namespace alacarte::data_detail
