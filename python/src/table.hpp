#pragma once
// Tables of Python as those of files, so that they go through the same schema.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "alacarte/core/input_view.hpp"
#include "alacarte/data/table.hpp"

namespace alacarte::python {

/// A matrix in Fortran order: one that is so already comes without a copy.
using Array = pybind11::array_t<double, pybind11::array::f_style | pybind11::array::forcecast>;
using MatrixView = Eigen::Map<const Matrix>;
/// Throws std::invalid_argument unless there are two dimensions.
MatrixView view(const Array& array);

/// A list in one piece: one that is so already comes without a copy.
template <class T>
using List = pybind11::array_t<T, pybind11::array::c_style | pybind11::array::forcecast>;

/// CSR rows as scipy has them, except that indices are copied where they have another width. The Python files have
/// checked them: ascending columns in [0, width), none twice, finite values.
struct Csr {
  Index width = 0;
  List<Index> starts, columns;
  List<double> values;
};
/// Throws std::invalid_argument on lengths.
SparseView view(const Csr& rows);

/// A matrix in C order that is so already: never the result of a conversion.
using RowMajorArray = pybind11::array_t<double, pybind11::array::c_style>;
using Rows = std::variant<Csr, Array, RowMajorArray>;

/// Rows as predictions read them, block by block: those in C order are laid out a block at a time, in the cache, the
/// others are only viewed. The arrays must outlive it.
class RowBlocks {
 public:
  /// Throws std::invalid_argument unless there are two dimensions, and as view() of CSR rows.
  explicit RowBlocks(const Rows& rows) : view_(view_of(rows)) {}
  Index rows() const;
  Index cols() const;
  bool is_sparse() const;
  /// Rows first .. first + count - 1; buffer: what rows in C order are laid out in, which must outlive the view.
  InputView block(Index first, Index count, Matrix& buffer) const;
  InputView all(Matrix& buffer) const { return block(0, rows(), buffer); }

 private:
  using RowMajorView = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  using View = std::variant<InputView, RowMajorView>;
  static View view_of(const Rows& rows);

  View view_;
};

/// Columns of numbers and columns of text; a text column's place among the numbers is not looked at.
struct Table {
  std::string name;                                ///< in messages
  std::vector<std::string> columns;                ///< one for each column of `numbers`
  bool has_names = false;                          ///< false: the names are only positions
  Array numbers;                                   ///< (rows, columns)
  std::map<Index, std::vector<std::string>> text;  ///< by column; "" is a missing cell
  /// If set, the inputs: then `columns` has the target and one column in their place, which is not looked at.
  std::optional<Csr> sparse;
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
