#pragma once
// Reads tables of Python like files, through the same schema.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "alacarte/core/input_view.hpp"
#include "alacarte/data/row_source.hpp"
#include "alacarte/data/table.hpp"
#include "data/cells.hpp"

namespace alacarte::python {

/// Matrix in Fortran order, copied only if it is in another order.
using Array = pybind11::array_t<double, pybind11::array::f_style | pybind11::array::forcecast>;
using MatrixView = Eigen::Map<const Matrix>;
/// Returns a view. Throws std::invalid_argument unless there are two dimensions.
MatrixView view(const Array& array);

/// Contiguous list, copied only if it is not contiguous.
template <class T>
using List = pybind11::array_t<T, pybind11::array::c_style | pybind11::array::forcecast>;

/// CSR rows of scipy; indices are copied if they have another width. The Python files have checked them: ascending
/// columns in [0, width), no duplicates, finite values.
struct Csr {
  Index width = 0;
  List<Index> starts, columns;
  List<double> values;
};
/// Returns a view. Throws std::invalid_argument for inconsistent lengths.
SparseView view(const Csr& rows);

/// Matrix already in C order, never converted.
using RowMajorArray = pybind11::array_t<double, pybind11::array::c_style>;
using Rows = std::variant<Csr, Array, RowMajorArray>;

/// Rows for predictions, read block by block: C-order rows are transposed a block at a time in the cache, others are
/// viewed. The arrays must outlive it.
class RowBlocks {
 public:
  /// Throws std::invalid_argument unless there are two dimensions, and as view() of CSR rows.
  explicit RowBlocks(const Rows& rows) : view_(view_of(rows)) {}
  Index rows() const;
  Index cols() const;
  bool is_sparse() const;
  /// Returns rows first .. first + count - 1. buffer: storage of transposed rows; must outlive the view.
  InputView block(Index first, Index count, Matrix& buffer) const;
  InputView all(Matrix& buffer) const { return block(0, rows(), buffer); }

 private:
  using RowMajorView = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  using View = std::variant<InputView, RowMajorView>;
  static View view_of(const Rows& rows);

  View view_;
};

/// Numeric and text columns; a text column's place among the numbers is ignored.
struct Table {
  std::string name;                                ///< name in messages
  std::vector<std::string> columns;                ///< one per column of `numbers`
  bool has_names = false;                          ///< false: names are only positions
  Array numbers;                                   ///< (rows, columns)
  std::map<Index, std::vector<std::string>> text;  ///< key: column; "" is a missing cell
  /// If set, the inputs: `columns` then has the target and one column in their place, which is ignored.
  std::optional<Csr> sparse;
  SplitColumns columns_of_splits = {};  ///< groups or times of the rows
  bool holds_text = false;              ///< true for frames, whose kinds of columns are those of files
};

/// Reads a table, all rows at once. A column of text may be read as numbers, and one of numbers as text, since frames
/// of the same table may differ in the types of their columns.
class TableOfPython final : public TableReader {
 public:
  /// config: the one of a model has the decimal sign and the words for gaps of its training table. Throws
  /// std::invalid_argument for inconsistent lengths. The table must outlive the reader.
  TableOfPython(const Table& table, const DataConfig& config);
  /// Names the decimal sign of a column whose cells have a NumberStyle, for numbers that are read as text.
  void set_decimal(Index column, char sign) { decimals_[column] = sign; }
  void find_text_columns() override;
  bool holds_text() const override { return table_.holds_text; }
  bool read(TableChunk& chunk, Index max_rows) override;
  double share_read() const override { return -1; }

 private:
  void read_text(TableChunk& chunk, Index column, const std::vector<std::string>* cells) const;
  void read_numbers(TableChunk& chunk, Index column, const std::vector<std::string>& cells) const;

  const Table& table_;
  MatrixView numbers_;
  data_detail::CellFormat format_;
  bool has_missing_words_;
  std::map<Index, char> decimals_;
  Index next_ = 0;
};

}  // namespace alacarte::python
