#pragma once
// Memory limits: parsing sizes and finding out what is available.
#include <optional>
#include <string>

namespace alacarte {

/// "1GiB", "500MB", "2g", "1000000": bytes, > 0. Units: B; kB, MB, GB, TB (powers of 1000); KiB, MiB, GiB, TiB (of
/// 1024); a letter alone is a power of 1024. Nothing when the text is no size.
std::optional<double> parse_size(const std::string& text);

/// Bytes that the machine, the control group of this process, or its address space has left; 0 when that cannot be
/// found out.
double available_memory();

}  // namespace alacarte
