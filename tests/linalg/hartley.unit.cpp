#include "linalg/fourier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace alacarte {
namespace {

TEST(Hartley, EqualsTheDenseMatrixAndIsItsOwnAdjoint) {
  for (const Index l : {1, 2, 4, 7, 8, 64}) {
    Matrix dense(l, l), made(l, l);
    for (Index j = 0; j < l; ++j)
      for (Index k = 0; k < l; ++k) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(j * k % l) / static_cast<double>(l);
        dense(j, k) = std::cos(angle) + std::sin(angle);
      }
    const HartleyTransform transform(l);
    Vector unit(l);
    for (Index j = 0; j < l; ++j) {
      unit = Vector::Unit(l, j);
      transform.apply(unit.data(), made.col(j).data());
    }
    EXPECT_LT((made - dense).cwiseAbs().maxCoeff(), 1e-14) << l;
    EXPECT_LT((made * made - static_cast<double>(l) * Matrix::Identity(l, l)).cwiseAbs().maxCoeff(), 1e-12) << l;
  }
}

}  // namespace
}  // namespace alacarte
