#include "linalg/sincos.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "alacarte/core/random.hpp"
#include "simd_scope.hpp"

namespace alacarte {
namespace {

constexpr long double kPi = 3.141592653589793238462643383279502884L;

template <class Real>
using Numbers = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

// Returns the error against long double, after an exact reduction of the argument.
template <class Real>
double worst_error(const Numbers<Real>& turns) {
  Numbers<Real> s(turns.size()), c(turns.size());
  sincos_turns(turns.data(), turns.size(), s.data(), c.data());
  long double worst = 0;
  for (Index i = 0; i < turns.size(); ++i) {
    const long double r = 2 * kPi * std::remainder(static_cast<long double>(turns[i]), 1.0L);
    worst = std::max({worst, std::abs(s[i] - std::sin(r)), std::abs(c[i] - std::cos(r))});
  }
  return static_cast<double>(worst);
}

template <class Real>
void expect_an_ulp() {
  constexpr double kUlp = std::numeric_limits<Real>::epsilon();
  RandomStream stream(1);
  for (const double size : {0.1, 1.0, 100.0, 1e6, 1e12, 1e18, 1e30}) {
    const Numbers<Real> turns = (stream.normals(20003) * size).cast<Real>();
    EXPECT_LT(worst_error<Real>(turns), kUlp) << size;
  }
  Numbers<Real> grid(8 * 64 + 1);
  for (Index i = 0; i < grid.size(); ++i) grid[i] = static_cast<Real>(i - 256) / 64;
  EXPECT_LT(worst_error<Real>(grid), kUlp);
}

TEST(SinCos, AbsoluteErrorIsBelowAnUlpOfOneOnEveryPath) {
  on_every_path([] {
    expect_an_ulp<double>();
    expect_an_ulp<float>();
  });
}

template <class Real>
void expect_extremes() {
  using Limits = std::numeric_limits<Real>;
  const Real big = Limits::max(), eighth = std::nextafter(Real(0.125), Real(1)), nan = Limits::quiet_NaN();
  Numbers<Real> turns(9), s(9), c(9);
  turns << Real(0x1p51), Real(-0x1p52), Real(0x1.8p60), big, -big, eighth, Limits::denorm_min(), Real(-0.0), Real(0.25);
  sincos_turns(turns.data(), 9, s.data(), c.data());
  EXPECT_TRUE(s.allFinite() && c.allFinite());
  EXPECT_LE(s.cwiseAbs().maxCoeff(), 1);
  EXPECT_LE(c.cwiseAbs().maxCoeff(), 1);
  EXPECT_EQ(c[7], 1);
  EXPECT_EQ(c[3], 1);
  EXPECT_EQ(s[3], 0);
  EXPECT_EQ(s[8], 1);
  turns.head(3) << nan, Limits::infinity(), -Limits::infinity();
  sincos_turns(turns.data(), 3, s.data(), c.data());
  for (Index i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(s[i]) && std::isnan(c[i]));
}

TEST(SinCos, ExtremeArgumentsStayInRangeAndNanPasses) {
  on_every_path([] {
    expect_extremes<double>();
    expect_extremes<float>();
  });
}

TEST(SinCos, ValueDoesNotDependOnThePlaceInTheArray) {
  RandomStream stream(2);
  const Vector turns = stream.normals(53);
  Vector s(53), c(53);
  sincos_turns(turns.data(), 53, s.data(), c.data());
  for (Index i = 0; i < 53; ++i) {
    double si = 0, ci = 0;
    sincos_turns(&turns[i], 1, &si, &ci);
    EXPECT_EQ(si, s[i]);
    EXPECT_EQ(ci, c[i]);
  }
  Vector in_place = turns;
  sincos_turns(in_place.data(), 53, s.data(), in_place.data());
  EXPECT_EQ(in_place, c);
}

Matrix random_turns(Index rows, std::uint64_t seed) {
  RandomStream stream(seed);
  Matrix tile(kTileWidth, rows);
  for (Index i = 0; i < tile.size(); ++i) tile.data()[i] = stream.normal();
  return tile;
}

// 37 rows: single points have a tail beyond their last whole row of lanes.
template <class Real>
void expect_dots(double tolerance) {
  constexpr Index kRows = 37;
  const Matrix phases = random_turns(kRows, 3), weights = random_turns(kRows, 4).topRows(4);
  const Vector turns = random_turns(kRows, 5).row(0).transpose();
  const Matrix angles = 2 * M_PI * (phases * turns.asDiagonal());
  Matrix wanted(kTileWidth, 2);
  for (Index set = 0; set < 2; ++set)
    wanted.col(set) = angles.array().cos().matrix() * weights.row(2 * set).transpose() +
                      angles.array().sin().matrix() * weights.row(2 * set + 1).transpose();

  const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> tile = phases.cast<Real>(),
                                                            w = weights.transpose().cast<Real>();
  const Numbers<Real> t = turns.cast<Real>(), lone = phases.row(2).transpose().cast<Real>();
  const DotWeights<Real> sets[] = {{w.col(0).data(), w.col(1).data()}, {w.col(2).data(), w.col(3).data()}};
  for (const Index count : {1, 2}) {
    Numbers<Real> sums = Numbers<Real>::Ones(2 * kTileWidth), one = Numbers<Real>::Ones(2);
    cos_sin_dot_rows(tile.data(), t.data(), sets, count, kRows, sums.data());
    cos_sin_dot(lone.data(), t.data(), sets, count, kRows, one.data());
    for (Index set = 0; set < count; ++set) {
      for (Index j = 0; j < kTileWidth; ++j)
        EXPECT_NEAR(static_cast<double>(sums[set * kTileWidth + j]) - 1, wanted(j, set), tolerance);
      EXPECT_NEAR(static_cast<double>(one[set]) - 1, wanted(2, set), tolerance);
    }
  }
}

TEST(SinCos, DotsEqualTheirSumsOnEveryPath) {
  on_every_path([] {
    expect_dots<double>(1e-12);
    expect_dots<float>(2e-4);
  });
}

// <J v, w> = <v, J^T w>, with J v from a central difference of the forward kernel.
TEST(SinCos, RowKernelAndItsAdjoint) {
  const Index rows = 5;
  const double amplitude = 0.7, h = 1e-5;
  const Vector turns = Vector::LinSpaced(rows, 0.1, 0.4);
  const Matrix x = random_turns(rows, 3), v = random_turns(rows, 4), w = random_turns(2 * rows, 5);
  const auto forward = [&](const Matrix& tile, double a) {
    Matrix out(kTileWidth, 2 * rows);
    cos_sin_rows({tile.data(), 0, 1}, turns.data(), rows, a, out.data(), out.col(rows).data(), kTileWidth);
    return out;
  };
  const Matrix psi = forward(x, amplitude);
  EXPECT_NEAR(psi(3, 2), amplitude * std::cos(2 * M_PI * turns[2] * x(3, 2)), 1e-14);
  Matrix phase_bar(kTileWidth, rows);
  Vector amplitude_bar = Vector::Zero(kTileWidth);
  cos_sin_rows_adjoint({psi.data(), psi.col(rows).data(), w.data(), w.col(rows).data(), kTileWidth, kTileWidth}, rows,
                       {phase_bar.data(), 0, 1}, amplitude_bar.data());
  const double along = (forward(x + h * v, amplitude) - forward(x - h * v, amplitude)).cwiseProduct(w).sum() / (2 * h);
  const double back = (phase_bar * (2 * M_PI * turns).asDiagonal()).cwiseProduct(v).sum();
  EXPECT_NEAR(along, back, 1e-8 * std::abs(back));
  EXPECT_NEAR(amplitude_bar.sum(), psi.cwiseProduct(w).sum(), 1e-12);
}

TEST(SinCos, ShiftedKernelIsTheSumAndDifferenceOfAngles) {
  const Index rows = 3;
  const Vector turns = Vector::LinSpaced(rows, 0.1, 0.3);
  const Matrix x = random_turns(rows, 6), shift = random_turns(1, 7), w = random_turns(4 * rows, 8);
  const Matrix v = random_turns(rows, 9), z = random_turns(1, 10);
  const double amplitude = 1.3, h = 1e-5;
  const auto forward = [&](const Matrix& tile, const Matrix& zeta) {
    Matrix out(kTileWidth, 4 * rows);
    const Vector c = zeta.col(0).array().cos(), s = zeta.col(0).array().sin();
    shifted_cos_sin_rows(
        {tile.data(), 0, 1}, turns.data(), rows, amplitude, c.data(), s.data(),
        {out.data(), out.col(rows).data(), out.col(2 * rows).data(), out.col(3 * rows).data(), kTileWidth});
    return out;
  };
  const Matrix psi = forward(x, shift);
  const double xi = 2 * M_PI * turns[1] * x(2, 1), zeta = shift(2, 0);
  EXPECT_NEAR(psi(2, 1), amplitude * std::cos(xi + zeta), 1e-14);
  EXPECT_NEAR(psi(2, rows + 1), amplitude * std::sin(xi + zeta), 1e-14);
  EXPECT_NEAR(psi(2, 2 * rows + 1), amplitude * std::cos(xi - zeta), 1e-14);
  EXPECT_NEAR(psi(2, 3 * rows + 1), amplitude * std::sin(xi - zeta), 1e-14);

  Matrix phase_bar(kTileWidth, rows);
  Vector shift_bar = Vector::Zero(kTileWidth), amplitude_bar = Vector::Zero(kTileWidth);
  const auto pair = [&](Index first) {
    return CosSinCotangent{psi.col(first).data(),
                           psi.col(first + rows).data(),
                           w.col(first).data(),
                           w.col(first + rows).data(),
                           kTileWidth,
                           kTileWidth};
  };
  shifted_cos_sin_rows_adjoint(pair(0), pair(2 * rows), rows, {phase_bar.data(), 0, 1}, shift_bar.data(),
                               amplitude_bar.data());
  const double along =
      (forward(x + h * v, shift + h * z) - forward(x - h * v, shift - h * z)).cwiseProduct(w).sum() / (2 * h);
  const double back = (phase_bar * (2 * M_PI * turns).asDiagonal()).cwiseProduct(v).sum() + shift_bar.dot(z.col(0));
  EXPECT_NEAR(along, back, 1e-8 * std::abs(back));
  EXPECT_NEAR(amplitude_bar.sum(), psi.cwiseProduct(w).sum(), 1e-12);
}

TEST(SinCos, RowSumsKeepTheirLanes) {
  const Matrix a = random_turns(4, 11), b = random_turns(2, 12);
  Matrix sums = Matrix::Ones(kTileWidth, 2);
  const std::int32_t index[] = {3, 1};
  multiply_add_rows(a.data(), kTileWidth, index, b.data(), kTileWidth, 2, sums.data());
  EXPECT_LT((sums.col(0) - Vector::Ones(kTileWidth) - a.col(3).cwiseProduct(b.col(0))).norm(), 1e-14);
  EXPECT_LT((sums.col(1) - Vector::Ones(kTileWidth) - a.col(1).cwiseProduct(b.col(1))).norm(), 1e-14);
  EXPECT_NEAR(add_lanes(a.col(2).data()), a.col(2).sum(), 1e-13);
  const Vector weights = Vector::LinSpaced(4, -1, 2);
  Vector out(kTileWidth);
  combine_rows(a.data(), kTileWidth, weights.data(), 4, out.data());
  EXPECT_LT((out - a * weights).norm(), 1e-14);
}

}  // namespace
}  // namespace alacarte
