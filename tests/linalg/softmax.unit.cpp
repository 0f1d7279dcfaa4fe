#include "linalg/softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "alacarte/core/random.hpp"
#include "linalg/simd_scope.hpp"

namespace alacarte {
namespace {

/// Compares with long doubles, row by row.
void expect_softmax(const Matrix& f, const Matrix& p, const Vector& log_sums) {
  for (Index i = 0; i < f.rows(); ++i) {
    const long double most = f.row(i).maxCoeff();
    long double sum = 0;
    for (Index k = 0; k < f.cols(); ++k) sum += std::exp(static_cast<long double>(f(i, k)) - most);
    EXPECT_NEAR(log_sums[i], static_cast<double>(most + std::log(sum)), 1e-14 * (1 + std::abs(log_sums[i])));
    for (Index k = 0; k < f.cols(); ++k) {
      const auto expected = static_cast<double>(std::exp(static_cast<long double>(f(i, k)) - most) / sum);
      EXPECT_NEAR(p(i, k), expected, 1e-300 + 1e-13 * expected) << f(i, k) - static_cast<double>(most);
    }
  }
}

TEST(SoftmaxRows, AreThoseOfLongDoublesOnEveryPath) {
  on_every_path([] {
    for (const Index outputs : {1, 2, 7, 26})
      for (const double spread : {0.1, 3.0, 200.0}) {
        RandomStream stream(outputs);
        Matrix padded(41, outputs);  // blocks of a larger matrix, of an odd number of rows
        for (double& value : padded.reshaped()) value = spread * stream.normal();
        Matrix p = Matrix::Zero(40, outputs);
        Vector log_sums(37);
        softmax_rows(padded.middleRows(2, 37), p.topRows(37), log_sums);
        expect_softmax(padded.middleRows(2, 37), p.topRows(37), log_sums);
        EXPECT_EQ(p.bottomRows(3).cwiseAbs().maxCoeff(), 0);
      }
  });
}

TEST(SoftmaxRows, SayWhatIsNotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  on_every_path([] {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity})
      for (Index at = 0; at < 3; ++at) {
        Matrix f = Matrix::Zero(9, 3), p(9, 3);
        Vector log_sums(9);
        f(4, at) = bad;
        softmax_rows(f, p, log_sums);
        EXPECT_TRUE(p.row(4).array().isNaN().all());
        EXPECT_FALSE(std::isfinite(log_sums[4]));
        EXPECT_NEAR((p.topRows(4).array() - 1.0 / 3).abs().maxCoeff(), 0, 1e-15);
      }
  });
}

TEST(SoftmaxRows, RefuseShapes) {
  Matrix p(2, 3);
  Vector log_sums(2);
  EXPECT_THROW(softmax_rows(Matrix::Zero(2, 2), p, log_sums), std::invalid_argument);
  EXPECT_THROW(softmax_rows(Matrix::Zero(3, 3), p, log_sums), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
