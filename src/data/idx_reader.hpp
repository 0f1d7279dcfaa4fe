#pragma once
// IDX arrays, the format of MNIST: one row for each entry along the first dimension, its numbers the columns. Private
// to the data room; made by open_table().
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alacarte/data/table.hpp"
#include "data/byte_source.hpp"
#include "data/chunk_builder.hpp"

namespace alacarte::data_detail {

/// Returns true for two zero bytes and a type code, which begin no text.
bool looks_like_idx(std::string_view start);

/// Returns the path of the labels of an image file, by its name ("..images-idx3-ubyte.." has "..labels-idx1-ubyte..");
/// "" if the name does not contain "images".
std::string idx_labels_path(const std::string& images);

/// Returns the path of the labels beside an image file, gzipped or not; "" without any.
std::string find_idx_labels(const std::string& images);

struct IdxType;

/// One IDX file, read row by row. Throws DataError for an invalid header, and for a wrong number of rows.
class IdxStream {
 public:
  IdxStream(std::string name, std::unique_ptr<ByteSource> source);
  const std::string& name() const { return name_; }
  std::uint64_t rows() const { return rows_; }
  Index columns() const { return columns_; }
  std::size_t dimensions() const { return dimensions_; }
  double share_read() const { return source_->share_read(); }
  /// Reads the next row (columns()), which must exist; a number that is not finite becomes NaN.
  void read_row(double* row);
  /// Checks that nothing follows the last row.
  void finish();

 private:
  void fill_row();

  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::uint64_t rows_ = 0, next_row_ = 0;
  Index columns_ = 1;
  std::size_t dimensions_ = 0;
  const IdxType* type_ = nullptr;
  std::vector<unsigned char> bytes_;  // bytes of one row, which start with the first
};

class IdxReader : public RowReader {
 public:
  /// Takes the target column `labels`, put last; or nullptr.
  IdxReader(std::unique_ptr<IdxStream> values, std::unique_ptr<IdxStream> labels);
  double share_read() const override { return values_->share_read(); }

 private:
  bool find_row() override;
  void parse_row(double* row, TableChunk& chunk) override;

  std::unique_ptr<IdxStream> values_, labels_;
};

}  // namespace alacarte::data_detail
