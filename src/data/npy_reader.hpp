#pragma once
// NPY arrays (numpy.lib.format, versions 1 to 3), read in blocks of rows in either memory order. Private to the data
// room; made by open_table().
#include <cstdint>
#include <string_view>

#include "alacarte/data/table.hpp"
#include "data/byte_source.hpp"

namespace alacarte::data_detail {

struct NpyHeader {
  std::uint64_t data_offset = 0;
  std::uint64_t rows = 0, columns = 1;
  char kind = 'f';          ///< f, i, u or b: floating point, signed, unsigned, boolean
  unsigned item_bytes = 8;  ///< little-endian
  bool fortran_order = false;
};

bool looks_like_npy(std::string_view start);

class NpyReader : public TableReader {
 public:
  /// Reads the header and checks it against the size of the file. Throws DataError for other element types, shapes and
  /// versions, and for files shorter or longer than the shape.
  explicit NpyReader(Origin origin);
  bool read(TableChunk& chunk, Index max_rows) override;
  double share_read() const override {
    return header_.rows == 0 ? 1 : static_cast<double>(next_row_) / static_cast<double>(header_.rows);
  }

 private:
  template <typename Number>
  void read_numbers(Matrix& numbers);
  template <class Block>
  void require_exact(const Block& block) const;
  void read_items(Matrix& numbers);

  Origin origin_;
  NpyHeader header_;
  Index next_row_ = 0;
};

}  // namespace alacarte::data_detail
