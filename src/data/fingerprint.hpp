#pragma once
// Fingerprints of data: SHA-256 sums (FIPS 180-4) in lower-case hexadecimal (64 characters).
#include <alacarte/data/row_source.hpp>
#include <string>

namespace alacarte {

/// Returns the SHA-256 of a file's bytes as stored (a .gz is not decompressed), streamed. Throws IoError.
std::string file_sha256(const std::string& path);

/// Returns the SHA-256 of a table as open_table() reads it: that of its file or, for images, that of the sums of the
/// image file and the label file. Throws IoError.
std::string table_sha256(const std::string& path);

std::string text_sha256(const std::string& text);  ///< SHA-256 of its bytes

/// Returns the SHA-256 of rows and their targets. Dense: rows and inputs as 64-bit integers, then the inputs and the
/// target of each row as doubles, all little-endian. Sparse: the word "sparse", rows and inputs, then starts (from 0),
/// columns, values, targets. -0.0 and 0.0 differ. Memory: one block.
std::string rows_sha256(const RowSource& rows);

}  // namespace alacarte
