#pragma once
// Dates in tables, as numbers.
#include <string_view>

namespace alacarte {

/// Forms that parse_date() reads, for messages.
inline constexpr const char* kDateForms = "2024-03-31, 2024/03/31, 20240331 or 31.03.2024, with a time like 18:05:30";

/// Computes days since 1970-01-01 (UTC unless the cell names another zone), with the time of day as their fraction.
/// Forms: kDateForms, with a blank or T before the time, and Z or +02:00 after it. Missing words (cells.hpp) give NaN.
/// Returns false for all other text, such as 03/04/2024, whose month is ambiguous, and for days of no calendar.
bool parse_date(std::string_view text, double& days);

}  // namespace alacarte
