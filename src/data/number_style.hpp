#pragma once
// Numbers written for people: "$1,234.50", "12 %", "1 234,5 EUR", "(300)". Private to the data room.
#include <optional>
#include <string>
#include <string_view>

#include "alacarte/data/dataset.hpp"

namespace alacarte::data_detail {

/// Computes the number of a cell in a style; a gap gives NaN. Returns false for all other text. The cell may lack the
/// sign or unit, and separators of thousands.
bool parse_styled(std::string_view cell, const NumberStyle& style, double& value);

/// Finds the style in which all of some cells are numbers, if there is one: a currency sign in front or behind, a unit
/// or per cent sign behind, separators of thousands, a decimal comma. Cells is a range of (text, rows). decimal: the
/// decimal sign if it is known, else 0.
template <class Cells>
std::optional<NumberStyle> style_of(const Cells& cells, char decimal = 0);

/// Guesses the style of one cell: its sign and unit, without separators. nullopt: it holds no digit, or other text.
std::optional<NumberStyle> affixes_of(std::string_view cell);
/// Returns true if cells may lack a sign or unit that others have: currencies and per cent. "103" is no "103a".
bool can_be_absent(const std::string& affix);
/// Notes the separators that a cell needs beyond those of the style. Returns false if they contradict it.
bool take_separators(std::string_view cell, NumberStyle& style);

template <class Cells>
std::optional<NumberStyle> style_of(const Cells& cells, char decimal) {
  std::optional<NumberStyle> style;
  bool all_alike = true;
  for (const auto& [cell, rows] : cells) {
    const std::optional<NumberStyle> own = affixes_of(cell);
    if (!own) return std::nullopt;
    if (!style) style = own;
    const bool alike = own->prefix == style->prefix && own->suffix == style->suffix;
    const bool optional = can_be_absent(own->prefix) && can_be_absent(style->prefix) && can_be_absent(own->suffix) &&
                          can_be_absent(style->suffix);
    if (!alike && !optional) return std::nullopt;
    all_alike = all_alike && alike;
    if (style->prefix.empty()) style->prefix = own->prefix;
    if (style->suffix.empty()) style->suffix = own->suffix;
  }
  // "$5" and "5 EUR" are of two currencies.
  if (!style || (!all_alike && !style->prefix.empty() && !style->suffix.empty())) return std::nullopt;
  style->decimal = decimal;
  for (const auto& [cell, rows] : cells)
    if (!take_separators(cell, *style)) return std::nullopt;
  double value = 0;
  for (const auto& [cell, rows] : cells)
    if (!parse_styled(cell, *style, value)) return std::nullopt;
  return style;
}

}  // namespace alacarte::data_detail
