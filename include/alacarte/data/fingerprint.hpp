#pragma once
// What data a result came from, as SHA-256 sums (FIPS 180-4) in lower-case hexadecimal (64 characters).
#include <alacarte/data/dataset.hpp>
#include <string>

namespace alacarte {

/// Of a file's bytes as stored (a .gz is not unpacked), streamed. Throws IoError if it cannot be read.
std::string file_sha256(const std::string& path);

std::string text_sha256(const std::string& text);

/// Of encoded rows: rows, inputs and length of the target as 64-bit integers, then inputs column by column and target
/// as doubles, all little-endian. Keys and source rows do not count. Equal for -0.0 and 0.0 only if stored alike.
std::string dataset_sha256(ConstMat inputs, ConstVec target);
std::string dataset_sha256(const Dataset& data);

}  // namespace alacarte
