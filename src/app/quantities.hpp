#pragma once
// Formats quantities and tables for people, parses sizes, and measures the memory that is available.
#include <optional>
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

/// Parses "1GiB", "500MB", "2g", "1000000" to bytes, > 0. Units: B; kB, MB, GB, TB (powers of 1000); KiB, MiB, GiB, TiB
/// (powers of 1024); a single letter is a power of 1024. Returns nullopt if the text is no size.
std::optional<double> parse_size(const std::string& text);

/// Returns the least of the bytes left on the machine, in this process's control group and address space; 0 if unknown.
double available_memory();

}  // namespace alacarte
