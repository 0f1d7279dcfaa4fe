#pragma once
// The bytes of a rows file, shared by its reader and writer. Private to the data room.
#include <zlib.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "alacarte/core/types.hpp"
#include "alacarte/data/rows_file.hpp"

namespace alacarte::data_detail {

static_assert(std::endian::native == std::endian::little, "rows files hold numbers as they lie in memory");

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline constexpr std::string_view kRowsWord = "alacarte rows ";
inline constexpr char kRowsMagic[16] = {'a', 'l', 'a', 'c', 'a', 'r', 't', 'e',
                                        ' ', 'r', 'o', 'w', 's', ' ', '1', '\n'};

/// The last 64 bytes of the file.
struct RowsFooter {
  std::uint64_t rows, values, chunk_rows, description_bytes;
  std::uint32_t description_sum, sums_sum, own_sum, zero;
  char magic[16];
};
static_assert(sizeof(RowsFooter) == 64);

/// Largest chunk a reader accepts, so that a forged file cannot request arbitrary memory.
inline constexpr std::uint64_t kMaxChunkRows = std::uint64_t{1} << 20;

/// Returns the CRC-32 of zlib and gzip.
inline std::uint32_t checksum(const void* bytes, std::size_t count) {
  return static_cast<std::uint32_t>(::crc32_z(0, static_cast<const unsigned char*>(bytes), count));
}

struct RowsDescription {
  Schema schema;         ///< schema of the rows
  Index table_rows = 0;  ///< data rows of the table, dropped ones included
  RowsPart part = {};    ///< part of a table
};

std::string rows_description_text(const RowsDescription& description);
/// Parses a description; nothing for other text. Throws IoError for a malformed schema.
std::optional<RowsDescription> parse_rows_description(const std::string& text);

}  // namespace alacarte::data_detail
