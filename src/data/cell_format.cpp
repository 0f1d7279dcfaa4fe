#include "data/cell_format.hpp"

#include <cmath>
#include <limits>

#include "data/cells.hpp"

namespace alacarte::data_detail {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns true for "68,97", "-0,5" or "1234,567": a comma that separates no thousands.
bool shows_decimal_comma(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const auto comma = std::min(text.find(','), text.size());
  const std::string_view whole = text.substr(0, comma), part = text.substr(std::min(comma + 1, text.size()));
  return is_digits(whole) && is_digits(part) && (part.size() != 3 || whole.size() > 3 || whole == "0");
}

/// Returns true for "68.97", "-0.5" or "1.5e3": a number with a point that separates no thousands.
bool shows_decimal_point(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto point = text.find('.');
  if (point == std::string_view::npos || !parse_number(text, value)) return false;
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  const std::string_view whole = text.substr(0, text.find('.')), part = text.substr(text.find('.') + 1);
  return !is_digits(whole) || !is_digits(part) || part.size() != 3 || whole.size() > 3 || whole == "0";
}

}  // namespace

bool parse_with_comma(std::string_view text, double& value) {
  if (text.find('.') != std::string_view::npos) return false;
  std::string point(text);
  if (const auto comma = point.find(','); comma != std::string::npos) point[comma] = '.';
  return parse_number(point, value);
}

CellFormat::CellFormat(const DataConfig& config) {
  decimal_comma_ = is_asked_ = config.decimal == DecimalSign::comma;
  is_found_ = config.decimal == DecimalSign::automatic;
  for (const std::string& word : config.missing_words) {
    missing_words_.insert(std::string(trimmed(word)));
    double number = 0;
    const bool read = decimal_comma_ ? parse_with_comma(word, number) : parse_number(word, number);
    if (read && std::isfinite(number)) missing_numbers_.push_back(number);
  }
}

void CellFormat::find_decimal_sign(const std::vector<std::vector<std::string>>& records) {
  bool shows_comma = false, shows_point = false, has_comma = false, has_point = false;
  for (const auto& record : records)
    for (const std::string& cell : record) {
      double value = 0;
      shows_comma = shows_comma || shows_decimal_comma(cell);
      shows_point = shows_point || shows_decimal_point(cell);
      has_comma = has_comma || (cell.find(',') != std::string::npos && parse_with_comma(cell, value));
      has_point = has_point || (cell.find('.') != std::string::npos && parse_number(cell, value));
    }
  if (is_found_) decimal_comma_ = shows_comma && !has_point;
  if (is_asked_ && shows_point && !has_comma) decimal_comma_ = is_asked_ = false;
}

bool CellFormat::is_own_missing_word(std::string_view text) const {
  return !missing_words_.empty() && missing_words_.find(trimmed(text)) != missing_words_.end();
}

bool CellFormat::parse(std::string_view text, double& value) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (is_own_missing_word(text)) {
    value = kNone;
    return true;
  }
  // A detected comma, unlike a requested one, must not change numbers without it.
  const bool read = decimal_comma_ && (is_asked_ || text.find(',') != std::string_view::npos)
                        ? parse_with_comma(text, value)
                        : parse_number(text, value);
  if (read && std::find(missing_numbers_.begin(), missing_numbers_.end(), value) != missing_numbers_.end())
    value = kNone;
  return read;
}

}  // namespace alacarte::data_detail
