#pragma once
// Output buffer of a feature map.
#include <alacarte/core/sparse_rows.hpp>
#include <alacarte/core/types.hpp>
#include <type_traits>

namespace alacarte {

/// Destination of n rows of D features, in someone else's memory, which must outlive the block: a dense column-major
/// matrix (n, D) or SparseRows, which grow as they are filled. Either is overwritten. Cheap to copy.
class FeatureBlock {
 public:
  /// psi (n, D): anything convertible to MatRef, such as writable matrices and blocks of columns or rows.
  template <class Dense>
  requires std::is_convertible_v<Dense, MatRef> FeatureBlock(Dense&& psi) {
    MatRef view(psi);
    dense_ = view.data();
    stride_ = view.outerStride();
    rows_ = view.rows();
    cols_ = view.cols();
  }
  FeatureBlock(SparseRows& psi) : sparse_(&psi) {}  ///< writes CSR rows

  bool is_sparse() const { return sparse_ != nullptr; }  ///< true if features are written as CSR rows
  /// Returns the matrix (n, D). Throws std::invalid_argument for sparse features.
  MatRef dense() const;
  /// Returns the CSR rows. Throws std::invalid_argument for dense features.
  SparseRows& sparse() const;

 private:
  double* dense_ = nullptr;
  Index stride_ = 0, rows_ = 0, cols_ = 0;
  SparseRows* sparse_ = nullptr;
};

}  // namespace alacarte
