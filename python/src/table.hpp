#pragma once
// Tables of Python as those of files, so that they go through the same schema.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <vector>

#include "alacarte/data/table.hpp"

namespace alacarte::python {

/// A matrix in Fortran order: one that is so already comes without a copy.
using Array = pybind11::array_t<double, pybind11::array::f_style | pybind11::array::forcecast>;
using MatrixView = Eigen::Map<const Matrix>;
/// Throws std::invalid_argument unless there are two dimensions.
MatrixView view(const Array& array);

/// Columns of numbers and columns of text; a text column's place among the numbers is not looked at.
struct Table {
  std::string name;                                ///< in messages
  std::vector<std::string> columns;                ///< one for each column of `numbers`
  bool has_names = false;                          ///< false: the names are only positions
  Array numbers;                                   ///< (rows, columns)
  std::map<Index, std::vector<std::string>> text;  ///< by column; "" is a missing cell
};

/// Reads a table, all rows at once.
class TableOfPython final : public TableReader {
 public:
  /// The table must outlive the reader. Throws std::invalid_argument on lengths.
  explicit TableOfPython(const Table& table);
  bool read(TableChunk& chunk, Index max_rows) override;
  double share_read() const override { return -1; }

 private:
  const Table& table_;
  MatrixView numbers_;
  Index next_ = 0;
};

}  // namespace alacarte::python
