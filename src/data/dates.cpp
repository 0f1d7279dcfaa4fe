#include "dates.hpp"

#include <chrono>
#include <limits>
#include <optional>

#include "data/cells.hpp"

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
