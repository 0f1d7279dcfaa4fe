// Monotone curves of the inputs: knots, slopes, ties, and what has no curve.
#include "data/input_curves.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "core/special_functions.hpp"

namespace alacarte {
namespace {

constexpr Scaling kKinds[] = {Scaling::normal_scores, Scaling::asinh, Scaling::clip};

/// Columns: normal; its exponential; eight values; two values; constant; a code of levels.
Matrix columns(Index rows, std::uint64_t seed) {
  RandomStream stream = RandomStreams(seed).stream("columns");
  const Vector normals = stream.normals(rows);
  Matrix x(rows, 6);
  x.col(0) = normals;
  x.col(1) = (2 * normals.array()).exp();
  for (Index i = 0; i < rows; ++i) {
    x(i, 2) = static_cast<double>(i % 8) * static_cast<double>(i % 8);
    x(i, 3) = i % 3 == 0 ? 1 : 0;
    x(i, 5) = static_cast<double>(i % 11);
  }
  x.col(4).setConstant(2);
  return x;
}

TEST(InputCurves, AreMonotoneAndStandardAndLeaveOthersAsTheyAre) {
  const Matrix x = columns(1500, 1);
  for (const Scaling kind : kKinds) {
    const InputCurves curves = InputCurves::learn(kind, x, 1);
    ASSERT_EQ(curves.inputs(), 6);
    const Matrix z = curves.of(x);
    for (const Index j : {3, 4, 5}) EXPECT_EQ(z.col(j), x.col(j)) << word(kind);
    for (const Index j : {0, 1, 2}) {
      EXPECT_NEAR(z.col(j).mean(), 0, 1e-12) << word(kind);
      EXPECT_NEAR(z.col(j).squaredNorm() / 1500, 1, 1e-12) << word(kind);
      const InputCurves::Curve& curve = curves.curves()[static_cast<std::size_t>(j)];
      const double low = x.col(j).minCoeff(), high = x.col(j).maxCoeff(), step = (high - low) / 997;
      for (double at = low - 50 * step; at < high + 50 * step; at += step) {
        EXPECT_LT(curve.value(at), curve.value(at + step)) << word(kind) << " at " << at;
        EXPECT_GE(curve.slope(at), 0);
      }
      EXPECT_NEAR(curve.value(high + 3) - curve.value(high + 2), curve.slope(high), 1e-6 * curve.slope(high));
    }
  }
}

TEST(InputCurves, OfRanksAreNormalQuantilesWithTiesInTheMiddle) {
  const Matrix x = columns(800, 2);
  const InputCurves curves = InputCurves::learn(Scaling::normal_scores, x, 1);
  const Matrix z = curves.of(x);
  // A lognormal input has the scores of the normal one, up to its cubics between the knots.
  EXPECT_LT((z.col(0) - z.col(1)).cwiseAbs().maxCoeff(), 0.02);
  const double first = normal_quantile(0.5 / 8), last = normal_quantile(7.5 / 8), second = normal_quantile(1.5 / 8);
  EXPECT_NEAR((z(1, 2) - z(0, 2)) / (z(7, 2) - z(0, 2)), (second - first) / (last - first), 1e-12);
}

TEST(InputCurves, OfRanksHaveAKnotForEveryEightRows) {
  const auto knots = [](Index rows) {
    const InputCurves curves = InputCurves::learn(Scaling::normal_scores, columns(rows, 7), 1);
    return curves.curves().front().knots.size();
  };
  EXPECT_EQ(knots(20), 3);
  EXPECT_LE(knots(160), 20);  // several of the outer ones may share a value
  EXPECT_GE(knots(160), 12);
  EXPECT_LE(knots(3000), 65);
  EXPECT_GE(knots(3000), 60);
}

TEST(InputCurves, SlopesAreThoseOfDifferences) {
  const Matrix x = columns(600, 3), at = columns(9, 4);
  for (const Scaling kind : kKinds) {
    const InputCurves curves = InputCurves::learn(kind, x, 1);
    Matrix directions = Matrix::Ones(9, 6);
    curves.multiply_slopes(at, directions);
    const double h = 1e-6;
    const Matrix numeric = (curves.of(at.array() + h) - curves.of(at.array() - h)) / (2 * h);
    EXPECT_LT((directions - numeric).cwiseAbs().maxCoeff(), 1e-4 * numeric.cwiseAbs().maxCoeff()) << word(kind);
    Vector row(6);
    curves.of_row(at.row(2).transpose(), row);
    EXPECT_EQ(row.transpose(), curves.of(at).row(2));
  }
}

TEST(InputCurves, FarAndInfiniteValuesFollowTheLines) {
  const InputCurves curves = InputCurves::learn(Scaling::clip, columns(300, 5), 1);
  Matrix far = Matrix::Constant(2, 6, 1e150);
  far.row(1).setConstant(-1e150);
  curves.apply(far);
  EXPECT_TRUE(far.allFinite());
  EXPECT_GT(far(0, 0), 1e100);
  EXPECT_TRUE(std::isnan(curves.curves()[0].value(std::nan(""))));
}

TEST(InputCurves, LoadWhatTheySavedAndRefuseOthers) {
  const Matrix x = columns(400, 6);
  const InputCurves curves = InputCurves::learn(Scaling::asinh, x, 1);
  TensorBundle bundle;
  EXPECT_FALSE(InputCurves::are_in(bundle, "c/"));
  curves.save(bundle, "c/");
  EXPECT_TRUE(InputCurves::are_in(bundle, "c/"));
  EXPECT_EQ(InputCurves::load(bundle, "c/", 6).of(x), curves.of(x));
  EXPECT_THROW(InputCurves::load(bundle, "c/", 5), IoError);
  TensorBundle falling = bundle;
  Matrix points = bundle.matrix("c/points");
  std::swap(points(1, 0), points(2, 0));
  falling.put("c/points", points);
  EXPECT_THROW(InputCurves::load(falling, "c/", 6), IoError);
  TensorBundle short_of_points = bundle;
  short_of_points.put_integers("c/counts", {1, 0, 0, 0, 0, 0});
  EXPECT_THROW(InputCurves::load(short_of_points, "c/", 6), IoError);
}

TEST(InputCurves, OfTooFewOrEndlessValuesAreNone) {
  Matrix x = columns(300, 7);
  x(5, 0) = std::numeric_limits<double>::infinity();
  const InputCurves curves = InputCurves::learn(Scaling::normal_scores, x, 1);
  EXPECT_TRUE(curves.curves()[0].is_identity());
  EXPECT_TRUE(InputCurves::learn(Scaling::asinh, x.topRows(2), 0).curves()[1].is_identity());
}

}  // namespace
}  // namespace alacarte
