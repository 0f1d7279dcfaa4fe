#pragma once
// Formats quantities and tables for people.
#include <string>
#include <vector>

namespace alacarte {

/// Formats "1.2 GFLOP", "3.4 MB", "12 s" or "3 min 20 s".
std::string format_flops(double flops);
std::string format_bytes(double bytes);  ///< powers of 1000
/// Uses one decimal below 10 s, minutes and seconds from 60 s, hours and minutes from an hour.
std::string format_seconds(double seconds);

/// Formats rows of cells as lines of text, two blanks between columns and `indent` blanks before the first. `alignment`
/// has 'l' or 'r' for each column.
std::string text_table(const std::vector<std::vector<std::string>>& rows, const std::string& alignment,
                       std::size_t indent = 0);

}  // namespace alacarte
