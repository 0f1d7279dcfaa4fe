#include "data/cells.hpp"

#include <algorithm>
#include <boost/locale/utf.hpp>
#include <charconv>
#include <cmath>
#include <limits>

namespace alacarte::data_detail {
namespace {

namespace utf = boost::locale::utf;

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b; });
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns true for underflow, by the decimal exponent of the leading digit; from_chars does not tell it from overflow.
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

/// Returns the bytes of the UTF-8 character at the front, or 0.
std::size_t character_length(std::string_view text) {
  auto end = text.begin();
  const auto code_point = utf::utf_traits<char>::decode(end, text.end());
  return utf::is_valid_codepoint(code_point) ? static_cast<std::size_t>(end - text.begin()) : 0;
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  return first < 0x20 || first == 0x7F || (first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_missing_word(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text == "?") return true;
  constexpr std::string_view kWords[] = {"na", "nan", "null"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return equals_ignoring_case(text, word); });
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
  for (std::size_t length = 1; length > 0 && !text.empty(); text.remove_prefix(length)) length = character_length(text);
  return text.empty();
}

std::string shortest(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string label_of(double value) { return shortest(value == 0 ? 0.0 : value); }

std::string label_of(std::string_view cell) {
  cell = trimmed(cell);
  double value = 0;
  if (!parse_number(cell, value) || !std::isfinite(value)) return std::string(cell);
  return label_of(value);
}

std::vector<std::string> sorted_labels(const std::set<std::string>& labels) {
  std::vector<std::string> names(labels.begin(), labels.end());
  std::vector<std::pair<double, std::string>> numbers;
  for (const std::string& name : names) {
    double value = 0;
    if (!parse_number(name, value) || !std::isfinite(value)) return names;
    numbers.emplace_back(value, name);
  }
  std::sort(numbers.begin(), numbers.end());
  std::transform(numbers.begin(), numbers.end(), names.begin(), [](const auto& number) { return number.second; });
  return names;
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = length == 0 || is_control(text.substr(0, length)) ? "?" : text.substr(0, length);
    if (shown.size() + character.size() > kLongest) return shown + "...";
    shown += character;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

std::string in_quotes(std::string_view name) { return std::string(1, '\'').append(printable(name)).append(1, '\''); }

}  // namespace alacarte::data_detail
