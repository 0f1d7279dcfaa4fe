#include "alacarte/linalg/hadamard.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "alacarte/core/random.hpp"

namespace alacarte {
namespace {

Matrix dense_hadamard(Index l) {
  Matrix h(l, l);
  for (Index i = 0; i < l; ++i)
    for (Index j = 0; j < l; ++j) h(i, j) = std::popcount(static_cast<std::uint64_t>(i & j)) % 2 == 0 ? 1 : -1;
  return h;
}

// A tile as a matrix: (points, coordinates), column-major, is exactly the layout.
Matrix random_tile(Index l, std::uint64_t seed) {
  RandomStream stream(seed);
  Matrix tile(kTileWidth, l);
  for (Index i = 0; i < tile.size(); ++i) tile.data()[i] = stream.normal();
  return tile;
}

TEST(Hadamard, EqualsTheDenseMatrix) {
  for (Index l = 1; l <= 512; l *= 2) {
    const Matrix x = random_tile(l, 1);
    Matrix tile = x;
    hadamard(tile.data(), l);
    EXPECT_LT((tile - x * dense_hadamard(l)).cwiseAbs().maxCoeff(), 1e-12) << l;
  }
}

TEST(Hadamard, TwiceIsLengthTimesIdentity) {
  for (Index l = 1; l <= 32768; l *= 2) {
    const Matrix x = random_tile(l, 2);
    Matrix tile = x;
    hadamard(tile.data(), l);
    hadamard(tile.data(), l);
    EXPECT_LT((tile / static_cast<double>(l) - x).cwiseAbs().maxCoeff(), 1e-13) << l;
  }
}

TEST(Hadamard, LongTransformKeepsParseval) {
  const Index l = Index{1} << 18;
  const Matrix x = random_tile(l, 3);
  Matrix tile = x;
  hadamard(tile.data(), l);
  EXPECT_NEAR(tile.squaredNorm() / static_cast<double>(l) / x.squaredNorm(), 1, 1e-12);
}

TEST(Hadamard, IsItsOwnAdjoint) {
  for (Index l = 1; l <= 256; l *= 2) {
    const Matrix u = random_tile(l, 4), v = random_tile(l, 5);
    Matrix hu = u, hv = v;
    hadamard(hu.data(), l);
    hadamard(hv.data(), l);
    EXPECT_NEAR(hu.cwiseProduct(v).sum(), u.cwiseProduct(hv).sum(), 1e-9 * static_cast<double>(l));
  }
}

TEST(Hadamard, GatherFusesPermutationAndDiagonalForEveryBlock) {
  RandomStream stream(6);
  for (const Index l : {1, 2, 4, 8, 16, 64})
    for (const Index count : {1, 3}) {
      const Matrix x = random_tile(l * count, 7);
      std::vector<std::int32_t> index;
      for (Index b = 0; b < count; ++b) {
        const auto order = stream.permutation(l);
        index.insert(index.end(), order.begin(), order.end());
      }
      const Vector scale = stream.normals(l * count);
      Matrix out(kTileWidth, l * count);
      hadamard_gather(x.data(), kTileWidth, l * kTileWidth, index.data(), scale.data(), l, count, out.data());
      for (Index b = 0; b < count; ++b) {
        Matrix gathered(kTileWidth, l);
        for (Index i = 0; i < l; ++i)
          gathered.col(i) = scale[b * l + i] * x.col(b * l + index[static_cast<std::size_t>(b * l + i)]);
        EXPECT_LT((out.middleCols(b * l, l) - gathered * dense_hadamard(l)).cwiseAbs().maxCoeff(), 1e-12);
      }
    }
}

TEST(Hadamard, RefusesLengthsThatAreNoPowerOfTwo) {
  double tile[3 * kTileWidth] = {};
  EXPECT_THROW(hadamard(tile, 3), std::invalid_argument);
  EXPECT_THROW(hadamard(tile, 0), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
