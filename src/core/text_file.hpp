#pragma once
// A whole file as text, and its folder.
#include <cstdint>
#include <string>

namespace alacarte {

/// No recipe, experiment or stored result is larger, and neither a device nor a pipe can fill the memory.
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{64} << 20;

/// All bytes of a file. Throws IoError, naming the path, when it cannot be read, is a folder or has more than
/// `max_bytes` bytes.
std::string read_text_file(const std::string& path, std::uint64_t max_bytes = kMaxTextBytes);

/// Writes a file atomically (core/atomic_file.hpp). Throws IoError.
void write_text_file(const std::string& path, const std::string& text);

/// A folder, with those above it. Throws IoError.
void make_folders(const std::string& path);

}  // namespace alacarte
