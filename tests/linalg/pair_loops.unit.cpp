#include "linalg/pair_loops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/simd_scope.hpp"

namespace alacarte {
namespace {

constexpr double kAlpha = 1.7, kScale = 2.5;

double phi_of(PairProfile profile, double r2) {
  const double r = std::sqrt(r2), s3 = std::sqrt(3.0) * r, s5 = std::sqrt(5.0) * r;
  switch (profile) {
    case PairProfile::squared_exponential: return std::exp(-0.5 * r2);
    case PairProfile::matern12: return std::exp(-r);
    case PairProfile::matern32: return (1 + s3) * std::exp(-s3);
    case PairProfile::matern52: return (1 + s5 + s5 * s5 / 3) * std::exp(-s5);
    case PairProfile::rational_quadratic: return std::exp(-kAlpha * std::log1p(r2 / (2 * kAlpha)));
  }
  return 0;
}

/// Returns -2 phi'.
double slope_of(PairProfile profile, double r2) {
  const double r = std::sqrt(r2);
  switch (profile) {
    case PairProfile::squared_exponential: return std::exp(-0.5 * r2);
    case PairProfile::matern12: return r2 > 0 ? std::exp(-r) / r : 0;
    case PairProfile::matern32: return 3 * std::exp(-std::sqrt(3.0) * r);
    case PairProfile::matern52: return 5.0 / 3 * (1 + std::sqrt(5.0) * r) * std::exp(-std::sqrt(5.0) * r);
    case PairProfile::rational_quadratic: return std::exp(-(kAlpha + 1) * std::log1p(r2 / (2 * kAlpha)));
  }
  return 0;
}

// Covers pairs from equal to unrelated rows, on every instruction set.
TEST(PairLoops, ProfilesAndTheirSlopes) {
  const Index count = 201;
  Vector r2 = Vector::LinSpaced(count, -80, 13).array().exp();
  r2[0] = 0;
  const Vector weight = Vector::LinSpaced(count, -1, 2);
  for (const SimdPath path : simd_paths()) {
    const SimdScope scope(path);
    for (const auto profile : {PairProfile::squared_exponential, PairProfile::matern12, PairProfile::matern32,
                               PairProfile::matern52, PairProfile::rational_quadratic}) {
      Vector value = r2, slope = r2;
      pair_values(profile, count, kScale, kAlpha, value.data());
      pair_slopes(profile, count, kAlpha, value.data(), weight.data(), slope.data());
      for (Index i = 0; i < count; ++i) {
        const double wanted = kScale * phi_of(profile, r2[i]);
        // If phi is a power, the rounding of its exponent grows with the exponent.
        const double digits = 1e-14 + 1e-15 * std::abs(std::log(wanted + 1e-305));
        EXPECT_NEAR(value[i], wanted, digits * wanted + 1e-305);
        const double steep = kScale * weight[i] * slope_of(profile, r2[i]);
        EXPECT_NEAR(slope[i], steep, 2 * digits * std::abs(steep) + 1e-305);
      }
    }
    double shape = 0;
    Vector value = r2;
    pair_values(PairProfile::rational_quadratic, count, kScale, kAlpha, value.data());
    for (Index i = 0; i < count; ++i) {
      const double u = r2[i] / (2 * kAlpha);
      shape += kAlpha * weight[i] * value[i] * (u / (1 + u) - std::log1p(u));
    }
    EXPECT_NEAR(rational_quadratic_shape_slope(count, kAlpha, value.data(), weight.data(), r2.data()), shape,
                1e-12 * std::abs(shape));
  }
}

TEST(PairLoops, RowsThatAreTooFarHaveNoCovariance) {
  for (const SimdPath path : simd_paths()) {
    const SimdScope scope(path);
    for (const auto profile :
         {PairProfile::squared_exponential, PairProfile::matern12, PairProfile::matern32, PairProfile::matern52}) {
      Vector value(3);
      value << 1e9, 1e300, std::numeric_limits<double>::infinity();
      pair_values(profile, 3, kScale, 0, value.data());
      EXPECT_EQ(value, Vector(Vector::Zero(3)));
    }
  }
}

TEST(PairLoops, DistancesAndWeightedSquares) {
  for (const Index inputs : {1, 2, 5})
    for (const Index count : {1, 7, 64}) {
      const Matrix rows = Matrix::Random(count + 3, inputs), points = Matrix::Random(4, inputs);
      const Vector inverse = Vector::Random(inputs), slope = Vector::Random(count);
      Vector r2(count), sums = Vector::Ones(inputs);
      const RowsAndPoint x{rows.data() + 2, rows.outerStride(), count, inputs, points.data() + 1, points.outerStride()};
      scaled_square_distances(x, inverse.data(), r2.data());
      add_weighted_squares(x, slope.data(), sums.data());
      const Matrix difference = rows.middleRows(2, count).rowwise() - points.row(1);
      const Vector wanted = (difference * inverse.asDiagonal()).rowwise().squaredNorm();
      const Vector total = Vector::Ones(inputs) + difference.cwiseAbs2().transpose() * slope;
      EXPECT_LT((r2 - wanted).norm(), 1e-14 * (1 + wanted.norm()));
      EXPECT_LT((sums - total).norm(), 1e-14 * (1 + total.norm()) * static_cast<double>(count));
    }
}

}  // namespace
}  // namespace alacarte
