#pragma once
// What data a result came from, as SHA-256 sums (FIPS 180-4) in lower-case hexadecimal (64 characters).
#include <alacarte/data/encoded_rows.hpp>
#include <string>

namespace alacarte {

/// Of a file's bytes as stored (a .gz is not unpacked), streamed. Throws IoError if it cannot be read.
std::string file_sha256(const std::string& path);

std::string text_sha256(const std::string& text);

/// Of encoded rows: rows and inputs as 64-bit integers, then row by row its inputs and its target as doubles, all
/// little-endian. Keys and source rows do not count. Equal for -0.0 and 0.0 only if stored alike. Memory: one block.
std::string rows_sha256(const EncodedRows& rows);

/// Of sparse rows and their targets: the word "sparse", rows and inputs, then starts (from 0), columns, values,
/// targets.
std::string rows_sha256(const SparseView& rows, ConstVec targets);

}  // namespace alacarte
