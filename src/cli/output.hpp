#pragma once
// Checked output of results.
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace alacarte::cli {

/// Throws IoError when standard output took less than was written to it.
void flush_standard_output();

/// Throws IoError now when one of `paths` cannot be written later, and UsageError when it is one of `others`, files
/// that the command reads besides, or an earlier one of `paths`, which would be lost; nothing is left behind. "-" is
/// standard output, "" no file.
void require_writable(const std::vector<std::string>& paths, std::vector<std::string> others = {});

/// Writes a file atomically by `write`, and logs it. Throws IoError.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace alacarte::cli
