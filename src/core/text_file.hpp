#pragma once
// A whole file as text, and its folder.
#include <cstdint>
#include <string>

namespace alacarte {

/// Default read limit in bytes: recipes, experiments and stored results are smaller, and devices and pipes end here.
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{64} << 20;

/// Returns all bytes of a file. Throws IoError, naming the path, if it cannot be read, is a folder or has more than
/// `max_bytes` bytes.
std::string read_text_file(const std::string& path, std::uint64_t max_bytes = kMaxTextBytes);

/// Writes a file atomically (core/atomic_file.hpp). Throws IoError.
void write_text_file(const std::string& path, const std::string& text);

/// Makes a folder and its parents. Throws IoError.
void make_folders(const std::string& path);

}  // namespace alacarte
