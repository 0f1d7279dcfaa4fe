#include "data/column_kinds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "data/cells.hpp"
#include "data/number_style.hpp"

namespace alacarte::data_detail {
namespace {

/// Bounds of the largest number of categories that are coded one-hot, and the rows for each; more are levels of a
/// random effect, whose one variance needs few rows of each.
constexpr Index kMinOnehot = 10, kMaxOnehot = 64, kRowsOfOnehot = 20;
/// Largest number of indicators of a category that the config names.
constexpr Index kMaxNamedOnehot = 64;
/// Share of rows with different texts from which these are identifiers rather than levels.
constexpr double kIdentifierShare = 0.8;
/// Largest number of different texts, in a column of numbers, that count as further words for a gap, and the smallest
/// number of different numbers in such a column.
constexpr std::size_t kMaxGapWords = 3, kMinNumbers = 20;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return text;
}

bool has_digit(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Counts the texts that are no known words for a gap among numbers.
std::size_t count_other_words(const std::vector<std::string>& texts) {
  return static_cast<std::size_t>(
      std::count_if(texts.begin(), texts.end(), [](const std::string& text) { return !is_gap_word_of_numbers(text); }));
}

/// Texts of a column of numbers or dates: those with digits, and words that stand for a gap.
struct NumberTexts {
  std::map<std::string, Index> values;
  std::vector<std::string> words;
  Index word_rows = 0;
};

/// Returns the texts and whole numbers of a column, apart; nullopt if its words are too many to stand for gaps.
std::optional<NumberTexts> number_texts(const ColumnCensus& census) {
  NumberTexts all{census.cells(), {}, 0};
  std::erase_if(all.values, [&](const auto& entry) {
    if (has_digit(entry.first)) return false;
    all.words.push_back(entry.first);
    all.word_rows += entry.second;
    return true;
  });
  if (count_other_words(all.words) > (all.values.size() > kMinNumbers ? kMaxGapWords : 0)) return std::nullopt;
  return all;
}

/// Returns a remark on words that stand for a gap.
std::string remark_on(const std::vector<std::string>& words) {
  std::string all;
  for (std::size_t k = 0; k < std::min(words.size(), kMaxGapWords); ++k)
    all += (k > 0 ? ", " : "") + in_quotes(words[k]);
  return words.empty() ? all : "gaps: " + all + (words.size() > kMaxGapWords ? ", .." : "");
}

/// Sets the two words of a flag, if the texts are such.
bool take_flag(const ColumnCensus& census, InputColumn& input) {
  constexpr std::array<std::array<std::string_view, 2>, 5> kFlags = {
      {{"false", "true"}, {"no", "yes"}, {"n", "y"}, {"f", "t"}, {"off", "on"}}};
  if (census.numbers > 0) return false;
  for (const auto& words : kFlags) {
    Index ones = 0;
    const bool fits = std::all_of(census.texts.begin(), census.texts.end(), [&](const auto& text) {
      const std::string own = lower(text.first);
      ones += own == words[1] ? text.second : 0;
      return own == words[0] || own == words[1];
    });
    if (!fits || ones == 0 || ones == census.text_rows()) continue;
    input.form = InputForm::flag;
    input.categories = {std::string(words[0]), std::string(words[1])};
    input.fill = static_cast<double>(ones) / static_cast<double>(census.text_rows());
    return true;
  }
  return false;
}

/// Range of the days of dates, and the spread of their phases in each cycle.
struct DateRange {
  double low = INFINITY, high = -INFINITY;
  long double sum = 0;
  Index count = 0;
  std::array<double, kCycles.size()> first_phase{}, spread{};

  void add(double days, Index rows) {
    for (std::size_t k = 0; k < kCycles.size(); ++k) {
      const double phase = days / kCycles[k] - std::floor(days / kCycles[k]);
      if (count == 0) first_phase[k] = phase;
      spread[k] = std::max(spread[k], std::abs(phase - first_phase[k]));
    }
    sum += static_cast<long double>(days) * static_cast<long double>(rows);
    low = std::min(low, days);
    high = std::max(high, days);
    count += rows;
  }
  /// Returns the periods of which two are seen, and which the dates are fine enough to show.
  std::vector<double> cycles() const {
    constexpr double kMinSpread = 0.02;
    std::vector<double> periods;
    for (std::size_t k = 0; k < kCycles.size(); ++k)
      if (high - low >= 2 * kCycles[k] && spread[k] > kMinSpread) periods.push_back(kCycles[k]);
    return periods;
  }
};

/// Sets a date and its cycles, if every value is one, or some are and dates are asked for. texts: number_texts().
bool take_date(const ColumnCensus& census, const std::optional<NumberTexts>& texts, bool is_asked, InputColumn& input) {
  if (!texts) return false;
  // 20240331 may be a number, and fractions, whose values are not kept, are no dates.
  if (!is_asked && (!census.keeps_numbers() || census.text_rows() == texts->word_rows)) return false;
  DateRange range;
  for (const auto& [text, rows] : texts->values) {
    double days = 0;
    if (parse_date(text, days))
      range.add(days, rows);
    else if (!is_asked)
      return false;
  }
  if (!(range.low < range.high)) return false;
  input.form = InputForm::date;
  input.fill = static_cast<double>(range.sum / static_cast<long double>(range.count));
  // Texts beyond those that a census keeps are taken for dates as well.
  input.gaps = census.is_full ? census.gaps + texts->word_rows : census.rows - range.count;
  input.cycles = range.cycles();
  input.remark = remark_on(texts->words);
  return true;
}

/// Sets the style of numbers, if all texts have one. Returns nullopt if they have not, the reason to leave the column
/// out if its plain numbers, whose text is not known any more, may be of another style, or "". texts: number_texts().
std::optional<std::string> take_style(const ColumnCensus& census, const std::optional<NumberTexts>& texts,
                                      bool decimal_comma, InputColumn& input) {
  if (!texts || census.text_rows() == texts->word_rows) return std::nullopt;
  const auto style = style_of(texts->values, decimal_comma ? ',' : '\0');
  if (!style) return std::nullopt;
  const bool is_unclear = style->thousands == '.' || (style->decimal == ',' && !census.is_whole);
  if (census.numbers > 0 && is_unclear) return "points or commas as thousands: see data.decimal";
  long double sum = census.keeps_numbers() ? 0 : census.sum;
  Index count = census.keeps_numbers() ? 0 : census.numbers;
  for (const auto& [cell, rows] : texts->values) {
    double value = 0;
    parse_styled(cell, *style, value);
    sum += static_cast<long double>(value) * static_cast<long double>(rows);
    count += rows;
  }
  input.form = InputForm::styled;
  input.style = *style;
  input.fill = static_cast<double>(sum / static_cast<long double>(count));
  input.gaps += texts->word_rows;
  input.remark = remark_on(texts->words);
  return "";
}

void take_number(const ColumnCensus& census, InputColumn& input) {
  input.form = InputForm::number;
  if (census.numbers > 0) input.fill = static_cast<double>(census.sum / static_cast<long double>(census.numbers));
}

void take_number_with_words(const ColumnCensus& census, InputColumn& input) {
  take_number(census, input);
  input.gaps += census.text_rows();
  std::vector<std::string> words;
  for (const auto& [text, rows] : census.texts) words.push_back(text);
  std::sort(words.begin(), words.end());
  input.remark = remark_on(words);
}

/// Returns true if a column of numbers has a few words in place of numbers, which then are gaps.
bool is_number_with_words(const ColumnCensus& census) {
  if (census.numbers == 0 || census.is_full) return false;
  if (std::all_of(census.texts.begin(), census.texts.end(),
                  [](const auto& text) { return is_gap_word_of_numbers(text.first); }))
    return true;
  if (!census.is_whole || !census.keeps_numbers()) return census.numbers >= census.text_rows();
  return census.texts.size() <= kMaxGapWords && census.whole_numbers.size() > kMinNumbers &&
         std::none_of(census.texts.begin(), census.texts.end(), [](const auto& text) { return has_digit(text.first); });
}

std::string decide_text(const ColumnCensus& census, bool is_asked, bool marks_gaps, InputColumn& input) {
  const Index filled = census.rows - census.gaps;
  const auto levels = census.levels();
  const auto count = static_cast<Index>(levels.size());
  if (!is_asked) {
    if (count > kMinOnehot && census.is_free_text()) return "free text";
    if (census.is_full) return "too many different texts";
    if (count > 2 && static_cast<double>(count) > kIdentifierShare * static_cast<double>(filled))
      return "different in nearly every row";
  }
  const Index most = is_asked ? kMaxNamedOnehot : std::clamp(census.rows / kRowsOfOnehot, kMinOnehot, kMaxOnehot);
  input.form = count <= most ? InputForm::onehot : InputForm::levels;
  if (census.is_full) input.remark = "of more levels the first " + std::to_string(count);
  for (const auto& [level, rows] : levels) input.categories.push_back(level);
  if (marks_gaps && census.gaps >= kMinGaps) input.categories.emplace_back();
  std::sort(input.categories.begin(), input.categories.end());
  if (input.form == InputForm::onehot) return "";
  Index fewest = census.rows, largest = 0;
  for (const std::string& level : input.categories) {
    input.counts.push_back(level.empty() ? census.gaps : levels.at(level));
    fewest = std::min(fewest, input.counts.back());
    largest = std::max(largest, input.counts.back());
  }
  if (largest < 2 * fewest) input.counts.clear();  // equally frequent levels
  return "";
}

}  // namespace

bool names_rows(const std::string& name) {
  if (name == "X") return true;  // R's name for the nameless
  const std::string own = lower(name);
  constexpr std::array<std::string_view, 12> kNames = {"",         "index",     "id",        "row",
                                                       "row_id",   "rowid",     "row id",    "level_0",
                                                       "rownames", "row_names", "row names", "row.names"};
  return own.starts_with("unnamed") || std::find(kNames.begin(), kNames.end(), own) != kNames.end();
}

std::string decide_form(const ColumnCensus& census, const KindOptions& how, InputColumn& input) {
  const auto [asked, marks_gaps, decimal_comma] = how;
  input.gaps = census.gaps;
  const Index filled = census.rows - census.gaps;
  if (filled == 0) return "no value";
  const bool many_gaps = marks_gaps && census.gaps >= kMinGaps;
  const bool is_category = asked == AskedForm::category;
  const auto levels_known = !census.is_full && census.keeps_numbers();
  const bool one_value = census.text_rows() == 0 ? census.minimum == census.maximum
                                                 : levels_known && census.texts.size() == 1 && census.numbers == 0;
  if (one_value && many_gaps) {
    input.form = InputForm::presence;
    return "";
  }
  if (one_value) {
    take_number(census, input);
    return kConstant;
  }
  if (asked == AskedForm::date) {
    if (!take_date(census, number_texts(census), true, input)) return "holds no dates";
  } else if (is_category) {
    return decide_text(census, true, marks_gaps, input);
  } else if (census.text_rows() == 0) {
    take_number(census, input);
    if (census.is_counting && census.gaps == 0 && names_rows(input.name) && census.rows > 2 && census.minimum <= 1)
      return kNumbersRows;
  } else if (!take_flag(census, input)) {
    const std::optional<NumberTexts> texts = number_texts(census);
    const std::optional<std::string> styled =
        take_date(census, texts, false, input) ? "" : take_style(census, texts, decimal_comma, input);
    if (styled && !styled->empty()) return *styled;
    if (!styled && !is_number_with_words(census)) return decide_text(census, false, marks_gaps, input);
    if (!styled) take_number_with_words(census, input);
  }
  input.has_gap = marks_gaps && input.gaps >= kMinGaps && input.gaps < census.rows;
  return "";
}

}  // namespace alacarte::data_detail
