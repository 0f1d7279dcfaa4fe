#include "alacarte/core/input_view.hpp"

#include "alacarte/core/error.hpp"

namespace alacarte {

Eigen::Ref<const Matrix> InputView::dense() const {
  require(!is_sparse_, "sparse rows where dense ones are needed");
  return Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(dense_, rows_, cols_, Eigen::OuterStride<>(stride_));
}

const SparseView& InputView::sparse() const {
  require(is_sparse_, "dense rows where sparse ones are needed");
  return sparse_;
}

InputView InputView::middle_rows(Index first, Index count) const {
  require(first >= 0 && count >= 0 && first + count <= rows_, "rows out of range");
  if (is_sparse_) return sparse_.middle(first, count);
  return Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(dense_ + first, count, cols_, Eigen::OuterStride<>(stride_));
}

}  // namespace alacarte
