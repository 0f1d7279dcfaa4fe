#include "data/column_census.hpp"

#include <algorithm>
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

void ColumnCensus::add_text(std::string_view cell) {
  cell = trimmed(cell);
  ++rows;
  double value = 0;
  if (is_missing_word(cell)) {
    ++gaps;
    is_counting = false;
  } else if (parse_number(cell, value) && std::isfinite(value)) {
    add_value(value, kMaxTexts);
  } else {
    is_counting = false;
    letters += static_cast<double>(cell.size());
    words += 1 + static_cast<double>(std::count(cell.begin(), cell.end(), ' '));
    count_text(std::string(cell));
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
  else if (texts.size() < kMaxTexts)
    texts.emplace(text, 1);
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
  letters += later.letters;
  words += later.words;
  is_counting = is_counting && later.is_counting;
  is_whole = is_whole && later.is_whole;
  is_full = is_full || later.is_full;
  previous = later.previous;
  for (const auto& [value, count] : later.whole_numbers) whole_numbers[value] += count;
  for (const auto& [text, count] : later.texts) texts[text] += count;
  if (!both_known) whole_numbers = {};
  is_full = is_full || texts.size() > kMaxTexts;
}

std::unordered_map<std::string, Index> ColumnCensus::levels() const {
  std::unordered_map<std::string, Index> all = texts;
  for (const auto& [value, count] : whole_numbers) all[label_of(value)] += count;
  return all;
}

}  // namespace alacarte::data_detail
