#include "alacarte/features/feature_map.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace alacarte {
namespace {

TEST(FeatureBlock, IsTheMemoryOfWhatItIsMadeOf) {
  Matrix psi = Matrix::Zero(5, 4);
  for (FeatureBlock block : {FeatureBlock(psi), FeatureBlock(MatRef(psi))}) {
    EXPECT_FALSE(block.is_sparse());
    EXPECT_EQ(block.dense().data(), psi.data());
    EXPECT_THROW(block.sparse(), std::invalid_argument);
  }
  const FeatureBlock middle = psi.block(1, 2, 3, 2);
  middle.dense().setOnes();
  EXPECT_EQ(psi.sum(), 6);
  EXPECT_EQ(psi.block(1, 2, 3, 2).minCoeff(), 1);
  const FeatureBlock strided = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>(psi.data(), 2, 4, Eigen::OuterStride<>(5));
  EXPECT_EQ(strided.dense().rows(), 2);
  EXPECT_EQ(strided.dense().outerStride(), 5);
}

TEST(FeatureBlock, HoldsSparseRows) {
  SparseRows psi;
  const FeatureBlock block = psi;
  EXPECT_TRUE(block.is_sparse());
  EXPECT_EQ(&block.sparse(), &psi);
  EXPECT_THROW(block.dense(), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
