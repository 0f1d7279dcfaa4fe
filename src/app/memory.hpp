#pragma once
// Memory limits: parsing sizes and measuring what is available.
#include <optional>
#include <string>

namespace alacarte {

/// Parses "1GiB", "500MB", "2g", "1000000" to bytes, > 0. Units: B; kB, MB, GB, TB (powers of 1000); KiB, MiB, GiB, TiB
/// (powers of 1024); a single letter is a power of 1024. Returns nullopt if the text is no size.
std::optional<double> parse_size(const std::string& text);

/// Returns the least of the bytes left on the machine, in this process's control group and address space; 0 if unknown.
double available_memory();

}  // namespace alacarte
