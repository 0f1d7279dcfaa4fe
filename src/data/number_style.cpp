#include "data/number_style.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data/cells.hpp"

namespace alacarte::data_detail {
namespace {

constexpr std::string_view kCurrencies[] = {"$",   "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "USD", "EUR",         "GBP",
                                            "JPY", "CHF",          "US$",      "R$",       "kr",  "\xe2\x82\xb9"};
/// Largest number of bytes of a unit behind a number.
constexpr std::size_t kMaxUnitBytes = 8;

bool is_number_sign(char c) { return c >= '0' && c <= '9'; }

/// Parts of a cell: a sign, what stands before the digits, the digits with their separators, and what stands behind.
struct CellParts {
  bool is_negative = false;
  std::string_view prefix, digits, suffix;
};

std::optional<CellParts> parts_of(std::string_view cell) {
  CellParts parts;
  cell = trimmed(cell);
  if (cell.size() > 2 && cell.front() == '(' && cell.back() == ')') {  // accountants' negative numbers
    parts.is_negative = true;
    cell = cell.substr(1, cell.size() - 2);
  }
  const auto take_sign = [&] {
    if (cell.empty() || (cell.front() != '-' && cell.front() != '+')) return;
    parts.is_negative = parts.is_negative || cell.front() == '-';
    cell.remove_prefix(1);
    cell = trimmed(cell);
  };
  take_sign();
  const auto first = std::find_if(cell.begin(), cell.end(), is_number_sign);
  const auto last = std::find_if(cell.rbegin(), cell.rend(), is_number_sign).base();
  if (first == cell.end()) return std::nullopt;
  auto begin = static_cast<std::size_t>(first - cell.begin());
  const auto end = static_cast<std::size_t>(last - cell.begin());
  parts.suffix = trimmed(cell.substr(end));
  parts.prefix = trimmed(cell.substr(0, begin));
  if (parts.prefix.ends_with('.')) {  // ".5"
    --begin;
    parts.prefix = trimmed(parts.prefix.substr(0, parts.prefix.size() - 1));
  }
  if (parts.prefix.ends_with('-')) {  // "$-5"
    parts.is_negative = true;
    parts.prefix = trimmed(parts.prefix.substr(0, parts.prefix.size() - 1));
  }
  parts.digits = cell.substr(begin, end - begin);
  return parts;
}

/// Returns true for a per cent sign or a unit: letters, signs of degrees and powers, a stroke.
bool is_unit(std::string_view suffix) {
  return suffix.size() <= kMaxUnitBytes && std::all_of(suffix.begin(), suffix.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '/' || c == '^' || c == '$' ||
                  static_cast<unsigned char>(c) >= 0x80;
         });
}

bool is_separator(char c) { return c == ',' || c == '.' || c == ' ' || c == '\''; }

/// Returns true if the separator stands before groups of three digits, in the whole part of a number.
bool groups_thousands(std::string_view whole, char separator) {
  auto at = whole.find(separator);
  if (at == 0 || at > 3) return false;
  for (; at != std::string_view::npos; at = whole.find(separator, at + 1)) {
    const auto next = std::min(whole.find(separator, at + 1), whole.size());
    if (next - at - 1 != 3) return false;
  }
  return true;
}

}  // namespace

bool can_be_absent(const std::string& affix) {
  return affix.empty() || affix == "%" ||
         std::find(std::begin(kCurrencies), std::end(kCurrencies), affix) != std::end(kCurrencies);
}

std::optional<NumberStyle> affixes_of(std::string_view cell) {
  const auto parts = parts_of(cell);
  if (!parts) return std::nullopt;
  const bool plain = std::all_of(parts->digits.begin(), parts->digits.end(),
                                 [](char c) { return is_number_sign(c) || is_separator(c); });
  const bool known_sign = parts->prefix.empty() || std::find(std::begin(kCurrencies), std::end(kCurrencies),
                                                             parts->prefix) != std::end(kCurrencies);
  if (!plain || !known_sign || !is_unit(parts->suffix)) return std::nullopt;
  NumberStyle style;
  style.prefix = parts->prefix;
  style.suffix = parts->suffix;
  return style;
}

bool take_separators(std::string_view cell, NumberStyle& style) {
  const auto parts = parts_of(cell);
  if (!parts) return false;
  const std::string_view digits = parts->digits;
  for (const char c : {' ', '\''}) {
    if (digits.find(c) == std::string_view::npos) continue;
    if (style.thousands != 0 && style.thousands != c) return false;
    style.thousands = c;
  }
  const auto comma = digits.find(','), point = digits.find('.');
  constexpr auto kNone = std::string_view::npos;
  const auto mark = [&](char thousands, char decimal) {
    if (thousands != 0 && style.thousands != 0 && style.thousands != thousands) return false;
    if (decimal != 0 && style.decimal != 0 && style.decimal != decimal) return false;
    if (thousands != 0) style.thousands = thousands;
    if (decimal != 0) style.decimal = decimal;
    return style.thousands != style.decimal;
  };
  if (comma != kNone && point != kNone) return comma < point ? mark(',', '.') : mark('.', ',');
  if (comma == kNone && point == kNone) return true;
  const char only = comma != kNone ? ',' : '.';
  const bool repeats = digits.find(only) != digits.rfind(only);
  if (repeats) return mark(only, 0);
  // "1,234" may be either; "1,23", "1234,5" and "0,123" have decimals.
  if (!groups_thousands(digits, only) || digits.starts_with('0')) return mark(0, only);
  return true;
}

bool parse_styled(std::string_view cell, const NumberStyle& style, double& value) {
  if (is_missing_word(cell)) {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const auto parts = parts_of(cell);
  if (!parts || (!parts->prefix.empty() && parts->prefix != style.prefix) ||
      (!parts->suffix.empty() && parts->suffix != style.suffix))
    return false;
  // Where no cell decides, a comma separates thousands and a point decimals.
  const char decimal = style.decimal != 0 ? style.decimal : style.thousands == '.' ? ',' : '.';
  const char thousands = style.thousands != 0 ? style.thousands : decimal == ',' ? '.' : ',';
  const auto whole = parts->digits.substr(0, parts->digits.find(decimal));
  if (whole.find(thousands) != std::string_view::npos && !groups_thousands(whole, thousands)) return false;
  std::string plain = parts->is_negative ? "-" : "";
  for (const char c : parts->digits) {
    if (c == thousands) continue;
    plain += c == decimal ? '.' : c;
  }
  return parse_number(plain, value) && std::isfinite(value);
}

}  // namespace alacarte::data_detail
