#pragma once
// Format of numbers and gaps in a text file. Private to the data room.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "alacarte/core/recipe.hpp"

namespace alacarte::data_detail {

class CellFormat {
 public:
  CellFormat() = default;
  /// Takes data.decimal and data.missing_words of the config; automatic detection of a decimal comma waits for
  /// find_decimal_sign().
  explicit CellFormat(const DataConfig& config);

  /// Selects the comma as decimal sign if some cells need it ("68,97") and none has a point. Thousands ("1,234") are
  /// ambiguous. A comma of the config, perhaps from a model's training table, is replaced by the point if some cells
  /// need it ("68.97") and none has a comma. records: some rows of a file whose separator is no comma.
  void find_decimal_sign(const std::vector<std::vector<std::string>>& records);
  bool decimal_comma() const { return decimal_comma_; }
  /// Returns true if from_chars() reads the plain numbers of such a file: no comma, and no number marks a gap.
  bool is_plain() const { return !decimal_comma_ && missing_numbers_.empty(); }

  /// Calls parse_number() in this format: words and numbers that mark a gap give NaN.
  bool parse(std::string_view text, double& value) const;
  /// Returns true if the cell is one of the format's own words for a gap.
  bool is_own_missing_word(std::string_view text) const;

 private:
  bool decimal_comma_ = false, is_asked_ = false, is_found_ = false;
  std::set<std::string, std::less<>> missing_words_;
  std::vector<double> missing_numbers_;
};

/// Parses a cell with a decimal comma and no point.
bool parse_with_comma(std::string_view text, double& value);

}  // namespace alacarte::data_detail
