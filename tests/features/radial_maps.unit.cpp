// Draws, storage and features of maps with radial laws.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "alacarte/core/error.hpp"
#include "features/maps_under_test.hpp"

namespace alacarte {
namespace {

constexpr Index kRadialFrequencies = 21;

// Hashed draws store only their key, which reproduces everything else.
TEST(RadialMaps, HashedDrawsStoreTheirKeyOnly) {
  for (const MapCase& c : map_cases(kRadialFrequencies)) {
    if (c.recipe.features.draws != DirectionSource::hashed) continue;
    TensorBundle bundle;
    make_map(c, 5)->save(bundle, "");
    ASSERT_EQ(bundle.tensors.size(), 1u) << c.label;
    EXPECT_EQ(bundle.vector("hashed.key").size(), 3);
    Tensor& key = bundle.tensors["hashed.key"];
    for (const double wrong : {0.5, -1.0, 0x1p53}) {
      key.f64.back() = wrong;
      EXPECT_THROW(find_feature_map(c.name)->load(c.recipe, 5, bundle, ""), IoError);
    }
  }
}

TEST(RadialMaps, OrthogonalDrawsAreOrthogonalInBlocks) {
  const Index d = 5;
  for (const MapCase& c : map_cases(12)) {
    if (c.label != "ard_orthogonal" && c.label != "ball_orthogonal") continue;
    const auto map = make_map(c, d);
    Matrix rows = map->frequencies(Vector::Zero(map->parameters().size())).rows;
    const Vector lengths = rows.rowwise().norm();
    rows.rowwise().normalize();
    for (const Index first : {0, 5, 10}) {
      const Index count = std::min<Index>(d, 12 - first);
      const Matrix gram = rows.middleRows(first, count) * rows.middleRows(first, count).transpose();
      EXPECT_LT((gram - Matrix::Identity(count, count)).cwiseAbs().maxCoeff(), 1e-13) << c.label;
    }
    EXPECT_GT(lengths.maxCoeff() - lengths.minCoeff(), 0.1);
  }
}

// Rows of Pi F B follow the formula (s_i / sqrt l) (cos + sin)(2 pi p_i j / l) B_j.
TEST(RadialMaps, FourierDrawsFollowTheFormula) {
  const Index d = 5, l = 8;
  for (const MapCase& c : map_cases(21)) {
    if (c.label != "ard_fft" && c.label != "ball_fft") continue;
    const auto map = make_map(c, d);
    TensorBundle bundle;
    map->save(bundle, "");
    const Vector signs = bundle.vector("fft.signs"), lengths = bundle.vector("fft.lengths");
    const auto places = bundle.integers("fft.permutation");
    const Matrix rows = map->frequencies(Vector::Zero(map->parameters().size())).rows;
    for (Index i = 0; i < 21; ++i) {
      Vector wanted(d);
      for (Index j = 0; j < d; ++j) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(places[static_cast<std::size_t>(i)] * j) / l;
        wanted[j] = (std::cos(angle) + std::sin(angle)) * signs[i / l * l + j] * lengths[i] / std::sqrt(8.0);
      }
      const double scale = c.name == "ball" ? bundle.vector("radial.lengths")[i] : 1;
      EXPECT_LT((rows.row(i).transpose() - scale * wanted).norm(), 1e-12 * rows.row(i).norm()) << c.label << i;
      EXPECT_NEAR(rows.row(i).norm(), scale * wanted.norm(), 1e-12);
      EXPECT_TRUE(c.name != "ball" || std::abs(wanted.norm() - 1) < 1e-12);
    }
  }
}

}  // namespace
}  // namespace alacarte
