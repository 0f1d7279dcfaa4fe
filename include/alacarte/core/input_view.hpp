#pragma once
// A view of rows of inputs, dense or sparse: the input of feature maps.
#include <alacarte/core/error.hpp>
#include <alacarte/core/sparse_rows.hpp>
#include <alacarte/core/types.hpp>
#include <type_traits>

namespace alacarte {

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
