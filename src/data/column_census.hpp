#pragma once
// Counts of the cells of one column over all rows of a table, from which its kind follows (column_kinds.hpp). Memory
// does not grow with the rows, except by different texts. Private to the data room.
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "alacarte/core/types.hpp"

namespace alacarte::data_detail {

/// Largest number of different texts that a census keeps. A column with more is no category.
inline constexpr std::size_t kMaxTexts = 200'000;
/// Largest number of bytes of different texts that a census keeps, so that long ones do not fill the memory.
inline constexpr Index kMaxTextBytes = Index{8} << 20;

/// Periods in days of the cycles that dates may have: day, week and year.
inline constexpr std::array<double, 3> kCycles = {1, 7, 365.2425};

/// Returns the level of a cell: its text without blanks around, a number in its shortest form. A gap is "".
std::string level_of(std::string_view cell);

/// Cells of one column. Cells that are numbers are counted by value, all others by text.
class ColumnCensus {
 public:
  /// Adds a cell that was parsed as a number; NaN is a gap.
  void add_number(double value);
  /// Adds a cell of text, which may still be a number or a gap.
  void add_text(const std::string& cell);
  /// Adds a cell of a column that holds categories, numbers or not.
  void add_category(const std::string& cell);
  /// Adds the cells of a later part of the table. Steps between the parts are not looked at.
  void add(const ColumnCensus& later);

  /// Calls visit for each member, in a fixed order, so that ranks can send a census.
  template <class Census, class Visit>
  static void visit_members(Census& census, Visit& visit) {
    visit(census.rows), visit(census.gaps), visit(census.numbers), visit(census.minimum), visit(census.maximum);
    visit(census.previous);
    visit(census.is_whole), visit(census.is_counting), visit(census.is_full), visit(census.text_bytes);
    visit(census.whole_numbers), visit(census.texts);
    auto rounded = static_cast<double>(census.sum);
    visit(rounded);
    if constexpr (!std::is_const_v<Census>) census.sum = rounded;
  }

  Index rows = 0;                                                                ///< all cells
  Index gaps = 0;                                                                ///< missing cells
  Index numbers = 0;                                                             ///< cells that are finite numbers
  long double sum = 0;                                                           ///< sum of the numbers
  double minimum = std::numeric_limits<double>::infinity(), maximum = -minimum;  ///< range of the numbers
  bool is_whole = true;                                                          ///< true if every number is whole
  bool is_counting = true;  ///< true if each number is one more than that of the row before
  bool is_full = false;     ///< true if there are more texts than kMaxTexts or kMaxTextBytes: the first are kept
  Index text_bytes = 0;     ///< bytes of the texts that are kept
  double previous = std::numeric_limits<double>::quiet_NaN();  ///< number of the last row
  std::unordered_map<double, Index> whole_numbers;  ///< rows of each; empty beyond the limit, or if not all are whole
  std::unordered_map<std::string, Index> texts;     ///< rows of each text that is no number

  Index text_rows() const { return rows - gaps - numbers; }  ///< cells of text that is no number
  /// Returns true if all numbers are known.
  bool keeps_numbers() const { return is_whole && (numbers == 0 || !whole_numbers.empty()); }
  /// Returns true if the texts are sentences rather than names: many words or bytes in the mean.
  bool is_free_text() const;
  /// Returns the rows of each level, numbers and texts.
  std::unordered_map<std::string, Index> levels() const;
  /// Returns the rows of each text and of each whole number as it would be written, without an exponent.
  std::map<std::string, Index> cells() const;

 private:
  void add_value(double value, std::size_t max_whole_numbers);
  void count_text(const std::string& text);
};

}  // namespace alacarte::data_detail
