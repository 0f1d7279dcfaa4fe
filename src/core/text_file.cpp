#include "alacarte/core/text_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "alacarte/core/error.hpp"
#include "alacarte/core/pipes.hpp"

namespace alacarte {

std::string read_text_file(const std::string& path) {
  const PipeWait wait(PipeWait::reading, is_stream(path));
  std::ostringstream text;
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (!file || std::filesystem::is_directory(path, error)) throw IoError(path, "cannot be read");
  // Copying nothing counts as a failure of the stream that copies.
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (file.bad()) throw IoError(path, "cannot be read");
  return text.str();
}

}  // namespace alacarte
