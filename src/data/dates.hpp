#pragma once
// Dates in tables, as numbers.
#include <string_view>

namespace alacarte {

/// What parse_date() reads, for messages.
inline constexpr const char* kDateForms = "2024-03-31, 2024/03/31, 20240331 or 31.03.2024, with a time like 18:05:30";

/// Days since 1970-01-01 (UTC where the cell names no other zone), the time of day as their fraction. Forms:
/// kDateForms, between date and time a blank or T, behind it Z or +02:00. Cells that are missing words (cells.hpp) give
/// NaN. False for all others, such as 03/04/2024, of which nobody knows the month, and for days that no calendar has.
bool parse_date(std::string_view text, double& days);

}  // namespace alacarte
