#include "linalg/hadamard.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "alacarte/core/random.hpp"
#include "simd_scope.hpp"

namespace alacarte {
namespace {

Matrix dense_hadamard(Index l) {
  Matrix h(l, l);
  for (Index i = 0; i < l; ++i)
    for (Index j = 0; j < l; ++j) h(i, j) = std::popcount(static_cast<std::uint64_t>(i & j)) % 2 == 0 ? 1 : -1;
  return h;
}

template <class Real>
using Block = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

// Returns a tile as a matrix: (points, coordinates), column-major, is its exact layout.
Matrix random_tile(Index l, std::uint64_t seed) {
  RandomStream stream(seed);
  Matrix tile(kTileWidth, l);
  for (Index i = 0; i < tile.size(); ++i) tile.data()[i] = stream.normal();
  return tile;
}

template <class Real>
void expect_dense(double tolerance) {
  for (Index l = 1; l <= 512; l *= 2) {
    const Matrix x = random_tile(l, 1);
    Block<Real> tile = x.cast<Real>();
    hadamard(tile.data(), l);
    EXPECT_LT((tile.template cast<double>() - x * dense_hadamard(l)).cwiseAbs().maxCoeff(), tolerance) << l;
  }
}

TEST(Hadamard, EqualsTheDenseMatrixOnEveryPath) {
  on_every_path([] {
    expect_dense<double>(1e-12);
    expect_dense<float>(1e-4);
  });
}

TEST(Hadamard, TilesOfOneCallAreTheTilesOfMany) {
  on_every_path([] {
    for (const Index l : {Index{1}, Index{4}, Index{16}, Index{64}, Index{2048}}) {
      constexpr Index kTiles = 3;
      const Matrix x = random_tile(kTiles * l, 2);
      Matrix together = x, apart = x;
      hadamard(together.data(), l, kTiles);
      for (Index t = 0; t < kTiles; ++t) hadamard(apart.data() + t * l * kTileWidth, l);
      EXPECT_EQ(together, apart) << l;
    }
  });
}

// Sums and differences have the same order, so all paths agree to the bit.
template <class Real>
void expect_same_bits() {
  for (Index l = 2; l <= 16384; l *= 8) {
    const Block<Real> x = random_tile(l, 8).cast<Real>();
    Block<Real> plain = x;
    {
      const SimdScope scope(SimdPath::plain);
      hadamard(plain.data(), l);
    }
    on_every_path([&] {
      Block<Real> tile = x;
      hadamard(tile.data(), l);
      EXPECT_EQ(tile, plain) << l;
    });
  }
}

TEST(Hadamard, EveryPathGivesTheBitsOfThePlainOne) {
  expect_same_bits<double>();
  expect_same_bits<float>();
}

// Contiguous vectors of every length, in numbers that leave a remainder beyond whole rows of lanes.
template <class Real>
void expect_vectors(double tolerance) {
  for (Index l = 1; l <= 4096; l *= 2)
    for (const Index count : {1, 2, 5}) {
      const Index padded = (l * count + kTileWidth - 1) / kTileWidth * kTileWidth;
      RandomStream stream(9);
      const Vector x = stream.normals(padded);
      Block<Real> vectors = x.cast<Real>();
      hadamard_vectors(vectors.data(), l, count);
      const Matrix h = l <= 512 ? dense_hadamard(l) : Matrix();
      for (Index b = 0; b < count; ++b) {
        Vector wanted = x.segment(b * l, l);
        if (l <= 512) {
          wanted = h * wanted;
        } else {
          Matrix tile = Matrix::Zero(kTileWidth, l);
          tile.row(0) = wanted;
          hadamard(tile.data(), l);
          wanted = tile.row(0);
        }
        const Vector got = vectors.col(0).segment(b * l, l).template cast<double>();
        EXPECT_LT((got - wanted).cwiseAbs().maxCoeff(), tolerance) << l << " " << count;
      }
    }
}

TEST(Hadamard, LoneVectorsEqualTilesOnEveryPath) {
  on_every_path([] {
    expect_vectors<double>(1e-11);
    expect_vectors<float>(2e-3);
  });
}

TEST(Hadamard, GathersALoneVector) {
  const Vector x = Vector::LinSpaced(8, 1, 8), scale = Vector::LinSpaced(8, -1, 6);
  const std::vector<std::int32_t> index = {3, 2, 1, 0, 1, 0, 3, 2};
  Vector out(8);
  gather_vectors(x.data(), index.data(), scale.data(), 4, 2, out.data());
  for (Index i = 0; i < 8; ++i) EXPECT_EQ(out[i], scale[i] * x[i / 4 * 4 + index[static_cast<std::size_t>(i)]]);
}

TEST(Hadamard, NanAndInfinityStayInTheirPoint) {
  on_every_path([] {
    Matrix tile = random_tile(64, 10);
    const Matrix x = tile;
    tile(3, 17) = std::nan("");
    tile(9, 2) = INFINITY;
    hadamard(tile.data(), 64);
    for (Index point = 0; point < kTileWidth; ++point) {
      if (point == 3)
        EXPECT_TRUE(tile.row(point).array().isNaN().all());
      else
        EXPECT_EQ(tile.row(point).allFinite(), point != 9);
    }
  });
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

// The maximum supported length: one column of H, whose signs are known.
TEST(Hadamard, LongTransformOfAUnitVectorHasTheSignsOfItsColumn) {
  const Index l = Index{1} << 20, at = 0x5a5a5;
  Matrix tile = Matrix::Zero(kTileWidth, l);
  tile(5, at) = 1;
  hadamard(tile.data(), l);
  for (Index i = 0; i < l; i += 4099) {
    const int sign = std::popcount(static_cast<std::uint64_t>(i & at)) % 2 == 0 ? 1 : -1;
    ASSERT_EQ(tile(5, i), sign) << i;
    ASSERT_EQ(tile(4, i), 0) << i;
  }
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
