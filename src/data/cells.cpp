#include "data/cells.hpp"

#include <boost/locale/utf.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

namespace alacarte::data_detail {
namespace {

namespace utf = boost::locale::utf;

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b; });
}

/// Words for a gap in a column of any kind, in any case of letters: of spreadsheets, also for a formula that failed, of
/// databases and of C libraries.
constexpr std::string_view kSureGaps[] = {"n/a",    "#n/a",    "n.a.",    "<na>",    "<null>", "#value!",
                                          "#ref!",  "#div/0!", "#num!",   "#name?",  "#null!", "\\n",
                                          "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"};
/// Marks for a gap among numbers and dates: SAS writes a point, the World Bank two, spreadsheets dashes.
constexpr std::string_view kGapMarks[] = {"-", "--", "---", ".", "..", "...", "*", "\u2013", "\u2014"};
/// Words for a gap among numbers and dates, in any case of letters; in other columns they may be levels.
constexpr std::string_view kGapWords[] = {"none", "nil", "missing", "unknown", "no data", "not available"};

template <std::size_t kCount>
bool is_one_of(const std::string_view (&words)[kCount], std::string_view text) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return equals_ignoring_case(text, word); });
}

/// Returns true for kSureGaps and "NaT", of which another case of letters may be a word. The first character and the
/// length exclude nearly all text.
bool is_sure_gap(std::string_view text) {
  if (text.size() < 2 || text.size() > 8) return false;
  switch (text.front()) {
    case 'n':
    case 'N':
    case '#':
    case '<':
    case '\\':
    case '1':
    case '-': return text == "NaT" || is_one_of(kSureGaps, text);
    default: return false;
  }
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

bool is_gap_word_of_numbers(std::string_view text) {
  text = trimmed(text);
  return is_missing_word(text) || is_sure_gap(text) || is_one_of(kGapMarks, text) || is_one_of(kGapWords, text);
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
  // Nearly all text is ASCII, whose bytes are characters.
  while (!text.empty()) {
    const std::size_t length = (text.front() & 0x80) == 0 ? 1 : character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
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

bool parse_with_comma(std::string_view text, double& value) {
  if (text.find('.') != std::string_view::npos) return false;
  std::string point(text);
  if (const auto comma = point.find(','); comma != std::string::npos) point[comma] = '.';
  return parse_number(point, value);
}

CellFormat::CellFormat(const DataConfig& config) {
  decimal_comma_ = is_asked_ = config.decimal == DecimalSign::comma;
  is_found_ = config.decimal == DecimalSign::automatic;
  is_strict_ = config.strict;
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
  if (missing_words_.empty() && is_strict_) return false;
  text = trimmed(text);
  if (!missing_words_.empty() && missing_words_.find(text) != missing_words_.end()) return true;
  double value = 0;
  if (!is_strict_ && !missing_numbers_.empty() &&
      (decimal_comma_ ? parse_with_comma(text, value) : parse_number(text, value)) &&
      std::find(missing_numbers_.begin(), missing_numbers_.end(), value) != missing_numbers_.end())
    return true;
  return !is_strict_ && is_sure_gap(text);
}

bool CellFormat::is_gap_of_numbers_alone(std::string_view text) const {
  text = trimmed(text);
  return !is_strict_ && (is_one_of(kGapMarks, text) || is_one_of(kGapWords, text)) && !is_own_missing_word(text);
}

bool CellFormat::may_be_text(std::string_view text) const {
  return !is_strict_ && !is_own_missing_word(text) && is_one_of(kGapWords, trimmed(text));
}

bool CellFormat::parse(std::string_view text, double& value) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!missing_words_.empty() && missing_words_.find(trimmed(text)) != missing_words_.end()) {
    value = kNone;
    return true;
  }
  // A detected comma, unlike a requested one, must not change numbers without it.
  const bool read = decimal_comma_ && (is_asked_ || text.find(',') != std::string_view::npos)
                        ? parse_with_comma(text, value)
                        : parse_number(text, value);
  if (read && std::find(missing_numbers_.begin(), missing_numbers_.end(), value) != missing_numbers_.end())
    value = kNone;
  if (read || !is_gap_among_numbers(text)) return read;
  value = kNone;
  return true;
}

}  // namespace alacarte::data_detail

namespace alacarte {
namespace {

constexpr double kSecondsOfDay = 86400;

/// Reads a text from its front; each step returns whether it succeeded.
class DateCursor {
 public:
  explicit DateCursor(std::string_view text) : text_(text) {}
  bool at_end() const { return text_.empty(); }

  /// Reads exactly `count` digits.
  std::optional<int> number(std::size_t count) {
    if (text_.size() < count) return std::nullopt;
    int value = 0;
    for (const char c : text_.substr(0, count)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = 10 * value + (c - '0');
    }
    text_.remove_prefix(count);
    return value;
  }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::size_t digits() const { return std::min(text_.find_first_not_of("0123456789"), text_.size()); }
  /// Reads ".25" of a second, with any number of digits.
  double fraction() {
    double value = 0, unit = 1;
    for (; digits() > 0; text_.remove_prefix(1)) value += (text_.front() - '0') * (unit /= 10);
    return value;
  }

 private:
  std::string_view text_;
};

std::optional<double> read_day(DateCursor& cursor) {
  std::optional<int> year, month, day;
  const std::size_t digits = cursor.digits();
  if (digits == 8 || digits == 4) {
    year = cursor.number(4);
    const char separator = digits == 8 ? '\0' : cursor.take('-') ? '-' : cursor.take('/') ? '/' : '?';
    if (separator == '?') return std::nullopt;
    month = cursor.number(2);
    if (separator != '\0' && !cursor.take(separator)) return std::nullopt;
    day = cursor.number(2);
  } else if (digits == 1 || digits == 2) {
    day = cursor.number(digits);
    if (!cursor.take('.')) return std::nullopt;
    month = cursor.digits() == 1 ? cursor.number(1) : cursor.number(2);
    if (!cursor.take('.')) return std::nullopt;
    year = cursor.number(4);
  }
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

/// Returns the seconds of the day less those of the zone.
std::optional<double> read_time(DateCursor& cursor) {
  const auto hour = cursor.number(2);
  if (!hour || *hour > 23 || !cursor.take(':')) return std::nullopt;
  const auto minute = cursor.number(2);
  if (!minute || *minute > 59) return std::nullopt;
  double seconds = 3600.0 * *hour + 60.0 * *minute;
  if (cursor.take(':')) {
    const auto second = cursor.number(2);
    if (!second || *second > 60) return std::nullopt;
    seconds += *second + (cursor.take('.') || cursor.take(',') ? cursor.fraction() : 0);
  }
  if (cursor.at_end() || cursor.take('Z')) return seconds;
  const int sign = cursor.take('+') ? 1 : cursor.take('-') ? -1 : 0;
  const auto zone_hour = cursor.number(2);
  cursor.take(':');
  const auto zone_minute = cursor.number(2);
  if (sign == 0 || !zone_hour || *zone_hour > 23 || !zone_minute || *zone_minute > 59) return std::nullopt;
  return seconds - sign * (3600.0 * *zone_hour + 60.0 * *zone_minute);
}

}  // namespace

bool parse_date(std::string_view text, double& days) {
  text = data_detail::trimmed(text);
  if (data_detail::is_missing_word(text)) {
    days = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  DateCursor cursor(text);
  const auto day = read_day(cursor);
  if (!day) return false;
  days = *day;
  if (cursor.at_end()) return true;
  if (!cursor.take('T') && !cursor.take(' ')) return false;
  const auto seconds = read_time(cursor);
  if (!seconds || !cursor.at_end()) return false;
  days += *seconds / kSecondsOfDay;
  return true;
}

}  // namespace alacarte
