#pragma once
// Parsing of the cells of text files, and the format of their numbers and gaps. Private to the data room.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "alacarte/core/recipe.hpp"

namespace alacarte::data_detail {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Removes blanks at either end.
std::string_view trimmed(std::string_view text);

/// Returns true for "", "?" and, in any case of letters, na, nan and null, with or without blanks around.
bool is_missing_word(std::string_view text);

/// Returns true for is_missing_word() and all words that are gaps among numbers and dates outside data.strict.
bool is_gap_word_of_numbers(std::string_view text);

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

/// Format of numbers and gaps in a text file.
class CellFormat {
 public:
  CellFormat() = default;
  /// Takes data.decimal and data.missing_words of the config; automatic detection of a decimal comma waits for
  /// find_decimal_sign().
  /// Outside data.strict more words are gaps (docs/data.md).
  explicit CellFormat(const DataConfig& config);

  /// Selects the comma as decimal sign if some cells need it ("68,97") and none has a point. Thousands ("1,234") are
  /// ambiguous. A comma of the config, perhaps from a model's training table, is replaced by the point if some cells
  /// need it ("68.97") and none has a comma. records: some rows of a file whose separator is no comma.
  void find_decimal_sign(const std::vector<std::vector<std::string>>& records);
  bool decimal_comma() const { return decimal_comma_; }
  bool is_strict() const { return is_strict_; }  ///< data.strict
  /// Returns true if from_chars() reads the plain numbers of such a file: no comma, and no number marks a gap.
  bool is_plain() const { return !decimal_comma_ && missing_numbers_.empty(); }

  /// Calls parse_number() in this format: words and numbers that mark a gap give NaN.
  bool parse(std::string_view text, double& value) const;
  /// Returns true if the cell is, in a column of any kind, one of the format's words for a gap beyond
  /// is_missing_word().
  bool is_own_missing_word(std::string_view text) const;
  /// Returns true for words that are gaps among numbers and dates alone, such as "-" and "none".
  bool is_gap_of_numbers_alone(std::string_view text) const;
  /// Returns true for either.
  bool is_gap_among_numbers(std::string_view text) const {
    return is_own_missing_word(text) || is_gap_of_numbers_alone(text);
  }
  /// Returns true for gaps of numbers alone that may be a name or a level of text: "none", but not "-".
  bool may_be_text(std::string_view text) const;

 private:
  bool decimal_comma_ = false, is_asked_ = false, is_found_ = false, is_strict_ = true;
  std::set<std::string, std::less<>> missing_words_;
  std::vector<double> missing_numbers_;
};

/// Parses a cell with a decimal comma and no point.
bool parse_with_comma(std::string_view text, double& value);

}  // namespace alacarte::data_detail

namespace alacarte {

/// Forms that parse_date() reads, for messages.
inline constexpr const char* kDateForms = "2024-03-31, 2024/03/31, 20240331 or 31.03.2024, with a time like 18:05:30";

/// Computes days since 1970-01-01 (UTC unless the cell names another zone), with the time of day as their fraction.
/// Forms: kDateForms, with a blank or T before the time, and Z or +02:00 after it. Missing words give NaN.
/// Returns false for all other text, such as 03/04/2024, whose month is ambiguous, and for days of no calendar.
bool parse_date(std::string_view text, double& days);

}  // namespace alacarte
