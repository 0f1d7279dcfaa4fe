#pragma once
// Fingerprints of data: SHA-256 sums (FIPS 180-4) in lower-case hexadecimal (64 characters).
#include <alacarte/data/row_source.hpp>
#include <string>

namespace alacarte {

/// SHA-256 of the bytes of a file as stored (a .gz is not decompressed), streamed. Throws IoError if it cannot be read.
std::string file_sha256(const std::string& path);

/// Of a table, as open_table() reads it: that of its file or, of images, of the sums of these and of the labels beside
/// them. Throws IoError as file_sha256().
std::string table_sha256(const std::string& path);

std::string text_sha256(const std::string& text);  ///< of the bytes, as 64 hexadecimal digits

/// SHA-256 of rows and their targets. Dense: rows and inputs as 64-bit integers, then row by row its inputs and its
/// target as doubles, all little-endian. Sparse: the word "sparse", rows and inputs, then starts (from 0), columns,
/// values, targets. Equal for -0.0 and 0.0 only if stored alike. Memory: one block.
std::string rows_sha256(const RowSource& rows);

}  // namespace alacarte
