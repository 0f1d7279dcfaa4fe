#pragma once
// The header of an NPY file (numpy.lib.format, versions 1 to 3). Private to the data room.
#include <cstdint>
#include <string>
#include <string_view>

#include "data/byte_source.hpp"

namespace alacarte::data_detail {

struct NpyHeader {
  std::uint64_t data_offset = 0;
  std::uint64_t rows = 0, columns = 1;
  unsigned item_bytes = 8;  ///< 4 or 8, IEEE little-endian
  bool fortran_order = false;
};

bool looks_like_npy(std::string_view start);

/// Reads and checks the header against the size of the file. Throws DataError for other element types, shapes and
/// versions, and for files shorter or longer than the shape says.
NpyHeader read_npy_header(const Origin& origin);

}  // namespace alacarte::data_detail
