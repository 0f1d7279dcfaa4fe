#pragma once
// Rows with mostly zero entries, by their nonzeros (CSR): row i has the entries starts[i] .. starts[i + 1] of columns
// and values.
#include <alacarte/core/types.hpp>
#include <vector>

namespace alacarte {

/// Rows in someone else's memory: a chunk of SparseRows, or arrays from elsewhere. Cheap to copy.
struct SparseView {
  Index rows = 0, width = 0;       ///< n, and d
  const Index* starts = nullptr;   ///< (n + 1) ascending; the first need not be 0
  const Index* columns = nullptr;  ///< in [0, d), strictly ascending in each row
  const double* values = nullptr;  ///< finite; a stored 0 counts as a zero

  /// Returns rows first .. first + count - 1.
  SparseView middle(Index first, Index count) const { return {count, width, starts + first, columns, values}; }
  Index nonzeros() const { return rows == 0 ? 0 : starts[rows] - starts[0]; }  ///< stored entries of all rows
};

/// Rows that own their memory, built one after the other.
struct SparseRows {
  Index width = 0;                  ///< d
  std::vector<Index> starts = {0};  ///< (n + 1) as in SparseView
  std::vector<Index> columns;       ///< see SparseView
  std::vector<double> values;       ///< see SparseView

  Index rows() const { return static_cast<Index>(starts.size()) - 1; }  ///< n, without an unfinished row
  /// Removes all rows and keeps the memory.
  void clear(Index new_width);
  /// Adds an entry to the unfinished row; columns must ascend.
  void add(Index column, double value) {
    columns.push_back(column);
    values.push_back(value);
  }
  /// Appends copies of rows of the same width.
  void append(const SparseView& rows);
  /// Ends the unfinished row, which may be empty.
  void end_row() { starts.push_back(static_cast<Index>(columns.size())); }
  /// Returns a view, valid until rows are added.
  SparseView view() const { return {rows(), width, starts.data(), columns.data(), values.data()}; }
};

/// Returns the rows `order` of x, in that order, entries as they are stored. Cost: their nonzeros.
SparseRows select_rows(const SparseView& x, const std::vector<Index>& order);
/// Returns the nonzeros of x (n, d). Cost O(n d).
SparseRows to_sparse(ConstMat x);
/// Overwrites `rows` with the nonzeros of x (n, d); its memory is reused. Cost O(n d).
void to_sparse(ConstMat x, SparseRows& rows);
/// Returns the dense matrix (n, d) of x. Cost O(n d).
Matrix to_dense(const SparseView& x);

}  // namespace alacarte
