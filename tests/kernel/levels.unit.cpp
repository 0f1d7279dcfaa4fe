// The kernel of random effects of levels, and its sum with another.
#include "kernel/levels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/data/row_source.hpp"

namespace alacarte {
namespace {

/// Two numbers and two columns of codes; the last rows have unknown levels.
Matrix grouped_inputs() {
  Matrix x(7, 4);
  RandomStream stream(3);
  for (Index i = 0; i < x.rows(); ++i) x.row(i).head(2) = stream.normals(2).transpose();
  x.col(2) = Vector{{0, 0, 1, 2, 1, -1, -1}};
  x.col(3) = Vector{{1, 0, 1, 1, 0, 0, -1}};
  return x;
}

std::unique_ptr<Kernel> ard_with_levels() {
  return with_level_effects("exact-ard", find_kernel("exact-ard")->make({}, 2), 2);
}

TEST(LevelsKernel, IsTheSquaredAmplitudeWithinALevel) {
  const std::unique_ptr<Kernel> kernel = make_levels_kernel();
  const Matrix x = grouped_inputs().col(2);
  const Vector theta = Vector::Constant(1, std::log(0.7));
  Matrix gram(7, 7);
  kernel->gram(theta, x, x, gram);
  for (Index i = 0; i < 7; ++i)
    for (Index j = 0; j < 7; ++j)
      EXPECT_NEAR(gram(i, j), i == j || (x(i, 0) == x(j, 0) && x(i, 0) >= 0) ? 0.49 : 0, 1e-15) << i << ' ' << j;
  const Matrix other = x;
  Matrix cross(7, 7);
  kernel->gram(theta, x, other, cross);
  EXPECT_EQ(cross(5, 5), 0) << "rows of unknown levels share nothing";
  EXPECT_EQ(cross.topLeftCorner(5, 5), gram.topLeftCorner(5, 5));
}

TEST(LevelsKernel, AddsToAKernelOfTheOtherColumns) {
  const std::unique_ptr<Kernel> kernel = ard_with_levels(), inner = find_kernel("exact-ard")->make({}, 2),
                                levels = make_levels_kernel();
  EXPECT_EQ(kernel->parameters().slots()[0].name, "ard.log_lengthscale");
  EXPECT_EQ(kernel->parameters().slots()[2].name, "effect[0].levels.log_amplitude");
  const Vector theta{{0.1, -0.3, 0.2, -0.5, 0.4}};
  const Matrix x = grouped_inputs(), smooth = x.leftCols(2), first = x.col(2), second = x.col(3);
  Matrix gram(7, 7), expected(7, 7), more(7, 7);
  kernel->gram(theta, x, x, gram);
  inner->gram(theta.head(3), smooth, smooth, expected);
  levels->gram(theta.segment(3, 1), first, first, more);
  expected += more;
  levels->gram(theta.segment(4, 1), second, second, more);
  expected += more;
  EXPECT_LT((gram - expected).cwiseAbs().maxCoeff(), 1e-14);
  Vector row(7), diagonal(7);
  kernel->row(theta, x.row(1).transpose(), x, row);
  EXPECT_LT((row - gram.col(1)).cwiseAbs().maxCoeff(), 1e-14);
  kernel->diagonal(theta, x, diagonal);
  EXPECT_LT((diagonal - gram.diagonal()).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(LevelsKernel, GradientsEqualCentralDifferences) {
  const auto kernel = ard_with_levels();
  Vector theta{{0.1, -0.3, 0.2, -0.5, 0.4}};
  const Matrix x = grouped_inputs();
  RandomStream stream(5);
  Matrix bar(7, 7), gram(7, 7);
  for (Index j = 0; j < 7; ++j) bar.col(j) = stream.normals(7);
  bar = (bar + bar.transpose()).eval();
  const auto value = [&](const Vector& at) {
    Matrix own(7, 7);
    kernel->gram(at, x, x, own);
    return own.cwiseProduct(bar).sum();
  };
  kernel->gram(theta, x, x, gram);
  Vector gradient = Vector::Zero(5);
  kernel->backward(theta, x, gram, bar, gradient);
  for (Index k = 0; k < 5; ++k) {
    constexpr double kStep = 1e-5;
    Vector above = theta, below = theta;
    above[k] += kStep;
    below[k] -= kStep;
    EXPECT_NEAR(gradient[k], (value(above) - value(below)) / (2 * kStep), 1e-8 * (1 + std::abs(gradient[k]))) << k;
  }
}

TEST(LevelsKernel, IsATermOfTheReport) {
  const auto kernel = ard_with_levels();
  const Vector theta{{0.1, -0.3, 0.2, -0.5, 0.4}};
  const KernelDescription report = kernel->describe(theta);
  ASSERT_EQ(report.terms.size(), 3U);
  EXPECT_EQ(report.terms[0].model, "exact-ard");
  EXPECT_EQ(report.terms[2].model, "levels");
  EXPECT_DOUBLE_EQ(report.terms[2].amplitude, std::exp(0.4));
  EXPECT_EQ(report.relevance.size(), 4);
  EXPECT_GT(report.relevance[0], 0);
  EXPECT_EQ(report.relevance[2], 0);
}

}  // namespace
}  // namespace alacarte
