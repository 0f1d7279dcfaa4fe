#pragma once
// NPY arrays, read in blocks of rows in either memory order. Private to the data room; open_table() makes it.
#include <vector>

#include "alacarte/data/table.hpp"
#include "data/byte_source.hpp"
#include "data/npy_header.hpp"

namespace alacarte::data_detail {

class NpyReader : public TableReader {
 public:
  explicit NpyReader(Origin origin);
  bool read(TableChunk& chunk, Index max_rows) override;
  double share_read() const override {
    return header_.rows == 0 ? 1 : static_cast<double>(next_row_) / static_cast<double>(header_.rows);
  }

 private:
  /// Reads `count` elements from element `first` on into `bytes_`, and hands each to `store(position, value)`.
  template <typename Store>
  void elements(std::uint64_t first, std::size_t count, Store store);

  Origin origin_;
  NpyHeader header_;
  Index next_row_ = 0;
  std::vector<char> bytes_;
};

}  // namespace alacarte::data_detail
