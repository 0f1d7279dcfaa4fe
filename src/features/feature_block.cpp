#include "alacarte/features/feature_block.hpp"

#include "alacarte/core/error.hpp"

namespace alacarte {

MatRef FeatureBlock::dense() const {
  require(sparse_ == nullptr, "the map writes dense features alone");
  return Eigen::Map<Matrix, 0, Eigen::OuterStride<>>(dense_, rows_, cols_, Eigen::OuterStride<>(stride_));
}

SparseRows& FeatureBlock::sparse() const {
  require(sparse_ != nullptr, "dense features where sparse ones are needed");
  return *sparse_;
}

}  // namespace alacarte
