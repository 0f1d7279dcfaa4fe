#pragma once
// Encoded rows in raw units, read by ranges: the interface of data sets to training.
#include <alacarte/data/dataset.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Const and shared by threads, each with a scratch of its own.
class EncodedRows {
 public:
  virtual ~EncodedRows() = default;
  virtual Index rows() const = 0;    ///< n
  virtual Index inputs() const = 0;  ///< d after one-hot coding
  /// Rows first .. first + count - 1: x (count, d) and y (count) are overwritten. `scratch` keeps its size between
  /// calls. Throws IoError or DataError if a file cannot be read or has changed. Cost O(count d).
  virtual void read(Index first, Index count, MatRef x, VecRef y, std::vector<double>& scratch) const = 0;
  /// Bytes that `scratch` comes to for reads of `count` rows.
  virtual double scratch_bytes(Index count) const = 0;
};

/// A data set in memory, kept by reference.
class DatasetRows final : public EncodedRows {
 public:
  /// Throws std::invalid_argument unless there is one target for each row.
  explicit DatasetRows(const Dataset& data);
  Index rows() const override { return data_.rows(); }
  Index inputs() const override { return data_.inputs.cols(); }
  void read(Index first, Index count, MatRef x, VecRef y, std::vector<double>& scratch) const override;
  double scratch_bytes(Index) const override { return 0; }

 private:
  const Dataset& data_;
};

/// Calls body(x, y) for blocks of neighbouring rows, front to back. Memory: one block of at most a few thousand rows.
template <class Body>
void for_each_block(const EncodedRows& rows, const Body& body);

/// All rows in memory (keys and source rows are left empty). Memory: n (d + 1) doubles.
Dataset load(const EncodedRows& rows);

template <class Body>
void for_each_block(const EncodedRows& rows, const Body& body) {
  constexpr Index kBlockRows = 2048;
  Matrix x(std::min(kBlockRows, rows.rows()), rows.inputs());
  Vector y(x.rows());
  std::vector<double> scratch;
  for (Index first = 0; first < rows.rows(); first += kBlockRows) {
    const Index count = std::min(kBlockRows, rows.rows() - first);
    rows.read(first, count, x.topRows(count), y.head(count), scratch);
    body(x.topRows(count), y.head(count));
  }
}

}  // namespace alacarte
