#pragma once
// IDX arrays, the format of MNIST: one row for each entry along the first dimension, its numbers the columns. Private
// to the data room; open_table() makes the reader.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alacarte/data/table.hpp"
#include "data/byte_source.hpp"
#include "data/chunk_builder.hpp"

namespace alacarte::data_detail {

/// Two bytes of zero and the code of a type: what no text begins with.
bool looks_like_idx(std::string_view start);

/// Path of the labels of a file of images, by its name ("..images-idx3-ubyte.." has "..labels-idx1-ubyte.."); "" when
/// the name says nothing of images.
std::string idx_labels_path(const std::string& images);

/// The labels that lie beside a file of images, gzipped or not; "" if there are none.
std::string find_idx_labels(const std::string& images);

struct IdxType;

/// One IDX file, read row by row. Throws DataError for a header that is none, and when the rows that it promises are
/// not what the file holds.
class IdxStream {
 public:
  IdxStream(std::string name, std::unique_ptr<ByteSource> source);
  const std::string& name() const { return name_; }
  std::uint64_t rows() const { return rows_; }
  Index columns() const { return columns_; }
  std::size_t dimensions() const { return dimensions_; }
  double share_read() const { return source_->share_read(); }
  /// The next row (columns()), which must be there; a number that is not finite becomes NaN.
  void read_row(double* row);
  /// After the last row: nothing may follow.
  void finish();

 private:
  void fill_row();

  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::uint64_t rows_ = 0, next_row_ = 0;
  Index columns_ = 1;
  std::size_t dimensions_ = 0;
  const IdxType* type_ = nullptr;
  std::vector<unsigned char> bytes_;  // of one row, from the start the first
};

class IdxReader : public RowReader {
 public:
  /// `labels`: the target's column, put last; nullptr: there is none.
  IdxReader(std::unique_ptr<IdxStream> values, std::unique_ptr<IdxStream> labels);
  bool read(TableChunk& chunk, Index max_rows) override;
  double share_read() const override { return values_->share_read(); }

 private:
  bool find_row() override;
  void parse_row(double* row, TableChunk& chunk) override;

  std::unique_ptr<IdxStream> values_, labels_;
};

}  // namespace alacarte::data_detail
