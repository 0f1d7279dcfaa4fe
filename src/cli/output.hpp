#pragma once
// What every result must satisfy on its way out.
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

/// What `write` puts into the stream, whole or not at all; says so in the log. Throws IoError.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace alacarte::cli
