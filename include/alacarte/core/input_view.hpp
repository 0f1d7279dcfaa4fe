#pragma once
// Rows by their nonzeros, and a view of rows, dense or sparse, which is the input of feature maps.
#include <alacarte/core/error.hpp>
#include <alacarte/core/types.hpp>
#include <type_traits>
#include <vector>

namespace alacarte {

// Rows with mostly zero entries, by their nonzeros (CSR): row i has the entries starts[i] .. starts[i + 1] of columns
// and values.

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

namespace detail {
/// True if an Eigen expression holds doubles in memory with contiguous columns, so that it can be viewed without a
/// copy: matrices, column vectors, blocks of columns or rows, and Ref and Map of these; not products or rows by a list.
template <class Dense>
inline constexpr bool is_viewable = std::is_same_v<typename Dense::Scalar, double> &&
                                    (Dense::Flags & Eigen::DirectAccessBit) != 0 && !Dense::IsRowMajor
                                    && Dense::InnerStrideAtCompileTime == 1;
}  // namespace detail

/// n rows of d standardised inputs in someone else's memory, which must outlive the view: a dense column-major matrix
/// (any outer stride) or CSR rows. A view copies no data and is cheap to copy. It converts implicitly from viewable
/// objects; expressions without storage do not compile.
class InputView {
 public:
  /// x (n, d).
  template <class Dense>
  requires detail::is_viewable<Dense> InputView(const Eigen::DenseBase<Dense>& x)
      : dense_(x.derived().data()), stride_(x.derived().outerStride()), rows_(x.rows()), cols_(x.cols()) {}
  /// Views CSR rows.
  InputView(const SparseView& x) : sparse_(x), is_sparse_(true), rows_(x.rows), cols_(x.width) {}

  Index rows() const { return rows_; }           ///< n
  Index cols() const { return cols_; }           ///< d
  bool is_sparse() const { return is_sparse_; }  ///< true if the rows are CSR rather than a dense matrix

  /// Returns the rows (n, d). Throws std::invalid_argument for sparse rows.
  Eigen::Ref<const Matrix> dense() const {
    require(!is_sparse_, "sparse rows where dense ones are needed");
    return dense_rows(0, rows_);
  }
  /// Returns the CSR rows. Throws std::invalid_argument for dense rows.
  const SparseView& sparse() const {
    require(is_sparse_, "dense rows where sparse ones are needed");
    return sparse_;
  }

  /// Returns rows first .. first + count - 1, with 0 <= first and first + count <= n. Cost O(1).
  InputView middle_rows(Index first, Index count) const {
    require(first >= 0 && count >= 0 && first + count <= rows_, "rows out of range");
    return is_sparse_ ? InputView(sparse_.middle(first, count)) : InputView(dense_rows(first, count));
  }

  /// Returns columns first .. first + count - 1 of dense rows. Cost O(1). Throws std::invalid_argument for others, and
  /// for sparse rows unless these are all columns.
  InputView middle_cols(Index first, Index count) const {
    if (first == 0 && count == cols_) return *this;
    require(!is_sparse_ && first >= 0 && count >= 0 && first + count <= cols_, "columns out of range");
    return {Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(dense_ + first * stride_, rows_, count,
                                                              Eigen::OuterStride<>(stride_))};
  }

  /// Calls visit(column, value) for the entries of one row by ascending column: all d entries of a dense row, zeros
  /// included, or the stored ones of a sparse row.
  template <class Visit>
  void for_each_entry(Index row, const Visit& visit) const {
    if (is_sparse_) {
      for (Index e = sparse_.starts[row]; e < sparse_.starts[row + 1]; ++e)
        visit(sparse_.columns[e], sparse_.values[e]);
    } else {
      for (Index j = 0; j < cols_; ++j) visit(j, dense_[row + j * stride_]);
    }
  }

 private:
  Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> dense_rows(Index first, Index count) const {
    return {dense_ + first, count, cols_, Eigen::OuterStride<>(stride_)};
  }

  const double* dense_ = nullptr;
  Index stride_ = 0;
  SparseView sparse_;
  bool is_sparse_ = false;
  Index rows_, cols_;
};

}  // namespace alacarte
