#include "text_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "alacarte/core/error.hpp"
#include "atomic_file.hpp"
#include "pipes.hpp"

namespace alacarte {

std::string read_text_file(const std::string& path, std::uint64_t max_bytes) {
  const PipeWait wait(PipeWait::reading, is_stream(path));
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw IoError(path, "cannot be read: it is a folder");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(path, std::string("cannot be read: ") + std::strerror(errno));
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > max_bytes)
      throw IoError(path,
                    "is larger than " + std::to_string(max_bytes >> 20) + " MiB, the most that is read of such a file");
  }
  if (file.bad()) throw IoError(path, "cannot be read to its end");
  return text;
}

void write_text_file(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.stream() << text;
  file.commit();
}

void make_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw IoError(path, "cannot be made: " + error.message());
}

}  // namespace alacarte
