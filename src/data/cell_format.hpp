#pragma once
// How a text file writes its numbers and gaps. Private to the data room.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "alacarte/core/recipe.hpp"

namespace alacarte::data_detail {

class CellFormat {
 public:
  CellFormat() = default;
  /// data.decimal and data.missing_words of the config; a decimal comma that is to be found by itself is off until
  /// find_decimal_sign().
  explicit CellFormat(const DataConfig& config);

  /// Takes the comma for the decimal sign if cells are written so ("68,97") and none has a point. Of thousands
  /// ("1,234") nothing can be told. A comma that the config asks for, which may be that of a model's training table,
  /// gives way to the point if cells are written so ("68.97") and none has a comma. records: some rows of a file whose
  /// separator is no comma.
  void find_decimal_sign(const std::vector<std::vector<std::string>>& records);
  bool decimal_comma() const { return decimal_comma_; }
  /// Whether from_chars() reads the plain numbers of such a file: no comma, and no number that means a gap.
  bool is_plain() const { return !decimal_comma_ && missing_numbers_.empty(); }

  /// parse_number() of this format: the words and numbers that mean a gap give NaN.
  bool parse(std::string_view text, double& value) const;
  /// Whether the cell is one of the format's own words for a gap.
  bool is_own_missing_word(std::string_view text) const;

 private:
  bool decimal_comma_ = false, is_asked_ = false, is_found_ = false;
  std::set<std::string, std::less<>> missing_words_;
  std::vector<double> missing_numbers_;
};

/// parse_number() of a cell with a decimal comma and no point.
bool parse_with_comma(std::string_view text, double& value);

}  // namespace alacarte::data_detail
