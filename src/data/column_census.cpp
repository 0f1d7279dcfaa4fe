#include "data/column_census.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "data/cells.hpp"

namespace alacarte::data_detail {

std::string level_of(std::string_view cell) {
  cell = trimmed(cell);
  return is_missing_word(cell) ? std::string() : label_of(cell);
}

namespace {

/// Largest number of different whole numbers that are kept of a column in which texts are rare.
constexpr std::size_t kMaxWholeNumbers = 1000;

}  // namespace

void ColumnCensus::add_number(double value) {
  ++rows;
  if (!std::isfinite(value)) {
    ++gaps;
    is_counting = false;
    return;
  }
  add_value(value, kMaxWholeNumbers);
}

void ColumnCensus::add_value(double value, std::size_t max_whole_numbers) {
  ++numbers;
  sum += value;
  minimum = std::min(minimum, value);
  maximum = std::max(maximum, value);
  is_counting = is_counting && (std::isnan(previous) || value == previous + 1);
  previous = value;
  if (!is_whole) return;
  is_whole = value == std::floor(value);
  if (is_whole && (numbers == 1 || !whole_numbers.empty())) ++whole_numbers[value];
  if (!is_whole || whole_numbers.size() > max_whole_numbers) whole_numbers = {};
}

void ColumnCensus::add_text(const std::string& cell) {
  ++rows;
  // Most cells are those of rows before, of which it is known that they are neither gap nor number.
  if (const auto known = texts.find(cell); known != texts.end()) {
    ++known->second;
    is_counting = false;
    return;
  }
  const std::string_view text = trimmed(cell);
  double value = 0;
  if (is_missing_word(text)) {
    ++gaps;
    is_counting = false;
  } else if (parse_number(text, value) && std::isfinite(value)) {
    add_value(value, kMaxTexts);
  } else {
    is_counting = false;
    count_text(std::string(text));
  }
}

void ColumnCensus::add_category(const std::string& cell) {
  ++rows;
  if (is_missing_word(cell))
    ++gaps;
  else
    count_text(cell);
}

void ColumnCensus::count_text(const std::string& text) {
  const auto found = texts.find(text);
  if (found != texts.end())
    ++found->second;
  else if (texts.size() < kMaxTexts && text_bytes + static_cast<Index>(text.size()) <= kMaxTextBytes)
    text_bytes += static_cast<Index>(texts.emplace(text, 1).first->first.size());
  else
    is_full = true;
}

void ColumnCensus::add(const ColumnCensus& later) {
  const bool both_known = keeps_numbers() && later.keeps_numbers();
  rows += later.rows;
  gaps += later.gaps;
  numbers += later.numbers;
  sum += later.sum;
  minimum = std::min(minimum, later.minimum);
  maximum = std::max(maximum, later.maximum);
  is_counting = is_counting && later.is_counting;
  is_whole = is_whole && later.is_whole;
  is_full = is_full || later.is_full;
  text_bytes += later.text_bytes;
  previous = later.previous;
  for (const auto& [value, count] : later.whole_numbers) whole_numbers[value] += count;
  for (const auto& [text, count] : later.texts) texts[text] += count;
  if (!both_known) whole_numbers = {};
  is_full = is_full || texts.size() > kMaxTexts || text_bytes > kMaxTextBytes;
}

bool ColumnCensus::is_free_text() const {
  // Smallest mean number of words, and of bytes, of free text.
  constexpr double kMinWords = 5, kMinBytes = 60;
  double cells = 0, bytes = 0, words = 0;
  for (const auto& [text, count] : texts) {
    const auto own = static_cast<double>(count);
    cells += own;
    bytes += own * static_cast<double>(text.size());
    words += own * (1 + static_cast<double>(std::count(text.begin(), text.end(), ' ')));
  }
  return cells > 0 && (words >= kMinWords * cells || bytes >= kMinBytes * cells);
}

std::unordered_map<std::string, Index> ColumnCensus::levels() const {
  std::unordered_map<std::string, Index> all = texts;
  for (const auto& [value, count] : whole_numbers) all[label_of(value)] += count;
  return all;
}

std::map<std::string, Index> ColumnCensus::cells() const {
  std::map<std::string, Index> all(texts.begin(), texts.end());
  char digits[std::numeric_limits<double>::max_exponent10 + 3];
  for (const auto& [value, count] : whole_numbers) {
    const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed).ptr;
    all[std::string(digits, end)] += count;
  }
  return all;
}

}  // namespace alacarte::data_detail
