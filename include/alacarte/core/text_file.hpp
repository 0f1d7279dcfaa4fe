#pragma once
// A whole file as text.
#include <string>

namespace alacarte {

/// All bytes of a file. Throws IoError, naming the path, when it cannot be read or is a folder.
std::string read_text_file(const std::string& path);

}  // namespace alacarte
