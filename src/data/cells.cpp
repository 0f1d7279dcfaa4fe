#include "data/cells.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace alacarte::data_detail {
namespace {

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b; });
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// from_chars reports overflow and underflow alike. The decimal exponent of the leading digit tells them apart.
bool is_tiny(std::string_view text) {
  long exponent = 0;
  const auto mark = text.find_first_of("eE");
  if (mark != std::string_view::npos) {
    std::string_view digits = text.substr(mark + 1);
    if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
    const auto status = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (status.ec == std::errc::result_out_of_range) return digits.front() == '-';
    text = text.substr(0, mark);
  }
  const auto point = std::min(text.find('.'), text.size());
  const auto leading = text.find_first_of("123456789");
  if (leading == std::string_view::npos) return true;
  const long position = static_cast<long>(point) - static_cast<long>(leading);
  return exponent < -position;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_missing_word(std::string_view text) {
  text = trimmed(text);
  switch (text.size()) {
    case 0:
      return true;
    case 1:
      return text == "?";
    case 2:
      return equals_ignoring_case(text, "na");
    case 3:
      return equals_ignoring_case(text, "nan");
    case 4:
      return equals_ignoring_case(text, "null");
    default:
      return false;
  }
}

bool parse_number(std::string_view text, double& value) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  text = trimmed(text);
  if (is_missing_word(text)) {
    value = kNone;
    return true;
  }
  if (text.front() == '+') {
    text.remove_prefix(1);
    if (text.empty() || !(is_digit(text.front()) || text.front() == '.' || text.front() == 'i' || text.front() == 'I'))
      return false;
  }
  const char* end = text.data() + text.size();
  const auto status = std::from_chars(text.data(), end, value);
  if (status.ec == std::errc::invalid_argument || status.ptr != end) return false;
  if (status.ec == std::errc::result_out_of_range) {
    value = is_tiny(text) ? 0.0 : std::copysign(kInfinity, text.front() == '-' ? -1.0 : 1.0);
  }
  return true;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) {
      return k < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[k])) : 0u;
    };
    const unsigned first = byte(i);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xC2 ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    if (length == 0) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(i + k) & 0xC0) != 0x80) return false;
    const unsigned second = byte(i + 1);
    // Overlong forms, surrogates and code points beyond U+10FFFF.
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
        (first == 0xF4 && second > 0x8F))
      return false;
    i += length;
  }
  return true;
}

std::string label_of(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value == 0 ? 0.0 : value).ptr};
}

std::string label_of(std::string_view cell) {
  cell = trimmed(cell);
  double value = 0;
  if (!parse_number(cell, value) || !std::isfinite(value)) return std::string(cell);
  return label_of(value);
}

std::vector<std::string> sorted_labels(const std::set<std::string>& labels) {
  std::vector<std::string> names(labels.begin(), labels.end());
  std::vector<double> values(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!parse_number(names[i], values[i]) || !std::isfinite(values[i])) return names;
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    double left = 0, right = 0;
    parse_number(a, left);
    parse_number(b, right);
    return left < right;
  });
  return names;
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string shown(text.substr(0, kLongest));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  if (text.size() > kLongest) shown += "...";
  return shown;
}

std::string in_quotes(std::string_view name) { return std::string(1, '\'').append(printable(name)).append(1, '\''); }

}  // namespace alacarte::data_detail
