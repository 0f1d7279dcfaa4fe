#pragma once
// Rows of which most entries are zero, by their nonzeros (CSR): row i has the entries starts[i] .. starts[i + 1] of
// columns and values.
#include <alacarte/core/types.hpp>
#include <vector>

namespace alacarte {

/// Rows in someone else's memory: a chunk of SparseRows, or arrays from elsewhere. Copied freely.
struct SparseView {
  Index rows = 0, width = 0;       ///< n, and d
  const Index* starts = nullptr;   ///< (n + 1) ascending; the first need not be 0
  const Index* columns = nullptr;  ///< in [0, d), ascending in each row, none twice
  const double* values = nullptr;  ///< finite; a stored 0 counts as a zero

  /// Rows first .. first + count - 1.
  SparseView middle(Index first, Index count) const { return {count, width, starts + first, columns, values}; }
  Index nonzeros() const { return rows == 0 ? 0 : starts[rows] - starts[0]; }  ///< stored entries of all rows
};

/// Rows with memory of their own, made one after the other.
struct SparseRows {
  Index width = 0;                  ///< d
  std::vector<Index> starts = {0};  ///< (n + 1) as in SparseView
  std::vector<Index> columns;       ///< as in SparseView
  std::vector<double> values;       ///< as in SparseView

  Index rows() const { return static_cast<Index>(starts.size()) - 1; }  ///< n, without a row that is not ended
  /// Forgets all rows and keeps the memory.
  void clear(Index new_width);
  /// Adds an entry to the row that is being made; columns must ascend.
  void add(Index column, double value) {
    columns.push_back(column);
    values.push_back(value);
  }
  /// Copies rows of the same width behind those that are there.
  void append(const SparseView& rows);
  /// Ends the row that is being made, which may be empty.
  void end_row() { starts.push_back(static_cast<Index>(columns.size())); }
  /// Valid until rows are added.
  SparseView view() const { return {rows(), width, starts.data(), columns.data(), values.data()}; }
};

/// The rows `order` of x, in that order; entries of each as they are stored. Cost: their nonzeros.
SparseRows select_rows(const SparseView& x, const std::vector<Index>& order);
/// The nonzeros of x (n, d). Cost O(n d).
SparseRows to_sparse(ConstMat x);
/// Writes the nonzeros of x (n, d) to `rows`, which is overwritten; its memory is reused. Cost O(n d).
void to_sparse(ConstMat x, SparseRows& rows);
/// The dense matrix (n, d) of x. Cost O(n d).
Matrix to_dense(const SparseView& x);

}  // namespace alacarte
