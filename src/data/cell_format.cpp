#include "data/cell_format.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/cells.hpp"

namespace alacarte::data_detail {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "68,97", "-0,5" or "1234,567": a comma that parts no thousands.
bool shows_decimal_comma(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const auto comma = std::min(text.find(','), text.size());
  const std::string_view whole = text.substr(0, comma), part = text.substr(std::min(comma + 1, text.size()));
  return is_digits(whole) && is_digits(part) && (part.size() != 3 || whole.size() > 3 || whole == "0");
}

}  // namespace

bool parse_with_comma(std::string_view text, double& value) {
  if (text.find('.') != std::string_view::npos) return false;
  std::string point(text);
  if (const auto comma = point.find(','); comma != std::string::npos) point[comma] = '.';
  return parse_number(point, value);
}

CellFormat::CellFormat(const DataConfig& config) {
  const std::size_t decimal = check_word(config.decimal, {"auto", "point", "comma"}, "/data/decimal");
  decimal_comma_ = is_asked_ = decimal == 2;
  is_found_ = decimal == 0;
  for (const std::string& word : config.missing_words) {
    missing_words_.insert(std::string(trimmed(word)));
    double number = 0;
    const bool read = decimal_comma_ ? parse_with_comma(word, number) : parse_number(word, number);
    if (read && std::isfinite(number)) missing_numbers_.push_back(number);
  }
}

void CellFormat::find_decimal_comma(const std::vector<std::vector<std::string>>& records) {
  if (!is_found_) return;
  bool comma = false, point = false;
  for (const auto& record : records)
    for (const std::string& cell : record) {
      double value = 0;
      comma = comma || shows_decimal_comma(cell);
      point = point || (cell.find('.') != std::string::npos && parse_number(cell, value));
    }
  decimal_comma_ = comma && !point;
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
  // A comma that was found, not asked for, takes nothing from what could be read without it.
  const bool read = decimal_comma_ && (is_asked_ || text.find(',') != std::string_view::npos)
                        ? parse_with_comma(text, value)
                        : parse_number(text, value);
  if (read && std::find(missing_numbers_.begin(), missing_numbers_.end(), value) != missing_numbers_.end())
    value = kNone;
  return read;
}

}  // namespace alacarte::data_detail
