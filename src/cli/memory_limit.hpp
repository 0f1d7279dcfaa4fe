#pragma once
// How much memory a training may take.
#include <CLI/CLI.hpp>
#include <string>

namespace alacarte::cli {

/// "1GiB", "500MB", "2g", "1000000": bytes. Units: B; kB, MB, GB, TB (powers of 1000); KiB, MiB, GiB, TiB (of 1024); a
/// letter alone is a power of 1024. Throws UsageError.
double parse_size(const std::string& text);

/// What the machine, or the group of processes this one belongs to, has left; 0 when that cannot be found out.
double available_memory();

}  // namespace alacarte::cli
