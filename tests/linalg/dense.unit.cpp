#include "linalg/dense.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"

namespace alacarte {
namespace {

Matrix random_matrix(Index rows, Index cols, RandomStream& stream) {
  Matrix matrix(rows, cols);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = stream.normal();
  return matrix;
}

TEST(Dense, GemmInEveryOrientationOnBlocks) {
  RandomStream stream(1);
  const Matrix a = random_matrix(9, 7, stream), b = random_matrix(8, 9, stream);
  for (const Op op_a : {Op::none, Op::transpose}) {
    for (const Op op_b : {Op::none, Op::transpose}) {
      const Matrix left = op_a == Op::none ? Matrix(a.block(1, 2, 4, 5)) : Matrix(a.block(1, 2, 5, 4));
      const Matrix right = op_b == Op::none ? Matrix(b.block(2, 1, 5, 6)) : Matrix(b.block(2, 1, 6, 5));
      const Matrix old = random_matrix(4, 6, stream);
      Matrix c = old;
      const Matrix expected = 2.0 * (op_a == Op::none ? left : Matrix(left.transpose())) *
                                  (op_b == Op::none ? right : Matrix(right.transpose())) -
                              0.5 * old;
      gemm(2.0, op_a == Op::none ? a.block(1, 2, 4, 5) : a.block(1, 2, 5, 4), op_a,
           op_b == Op::none ? b.block(2, 1, 5, 6) : b.block(2, 1, 6, 5), op_b, -0.5, c);
      EXPECT_LT((c - expected).cwiseAbs().maxCoeff(), 1e-13);
    }
  }
}

TEST(Dense, GemmInFloatsOverwritesABlock) {
  const Eigen::MatrixXf a = Eigen::MatrixXf::Random(9, 6), b = Eigen::MatrixXf::Random(6, 5);
  Eigen::MatrixXf large = Eigen::MatrixXf::Constant(12, 7, std::nanf(""));
  gemm(a, b, large.block(1, 1, 9, 5));
  EXPECT_LT((large.block(1, 1, 9, 5) - a * b).cwiseAbs().maxCoeff(), 1e-5F);
  EXPECT_TRUE(std::isnan(large(0, 0)) && std::isnan(large(10, 6)));
  EXPECT_THROW(gemm(a, a, large), std::invalid_argument);
}

TEST(Dense, GemmInFloatsInEveryOrientation) {
  const Eigen::MatrixXf a = Eigen::MatrixXf::Random(9, 6), b = Eigen::MatrixXf::Random(6, 5);
  const Eigen::MatrixXf at = a.transpose(), bt = b.transpose(), old = Eigen::MatrixXf::Random(9, 5);
  const Eigen::MatrixXf expected = 2 * a * b - 0.5F * old;
  for (const Op op_a : {Op::none, Op::transpose})
    for (const Op op_b : {Op::none, Op::transpose}) {
      Eigen::MatrixXf c = old;
      gemm(2.0F, op_a == Op::none ? a : at, op_a, op_b == Op::none ? b : bt, op_b, -0.5F, c);
      EXPECT_LT((c - expected).cwiseAbs().maxCoeff(), 1e-5F);
    }
}

TEST(Dense, GemmWithZeroBetaIgnoresWhatWasThere) {
  Matrix c = Matrix::Constant(2, 2, std::nan(""));
  gemm(1.0, Matrix::Identity(2, 2), Op::none, Matrix::Identity(2, 2), Op::none, 0.0, c);
  EXPECT_EQ(c, Matrix(Matrix::Identity(2, 2)));
}

TEST(Dense, SyrkSolveAndInverseAgreeWithTheirDefinitions) {
  RandomStream stream(2);
  const Matrix a = random_matrix(20, 6, stream);
  Matrix gram = Matrix::Identity(6, 6);
  syrk_lower(0.5, a, Op::transpose, 1.0, gram);
  mirror_lower(gram);
  const Matrix expected = Matrix::Identity(6, 6) + 0.5 * a.transpose() * a;
  EXPECT_LT((gram - expected).cwiseAbs().maxCoeff(), 1e-13);

  Matrix factor = gram;
  EXPECT_EQ(safe_cholesky(factor, "test"), 0.0);
  const Matrix lower = factor.triangularView<Eigen::Lower>();
  EXPECT_LT((lower * lower.transpose() - gram).cwiseAbs().maxCoeff(), 1e-12);

  const Matrix right = random_matrix(6, 3, stream), wide = random_matrix(3, 6, stream);
  for (const Op op : {Op::none, Op::transpose}) {
    const Matrix triangle = op == Op::none ? lower : Matrix(lower.transpose());
    Matrix x = right, y = wide;
    solve_lower(factor, op, x);
    solve_lower_right(factor, op, y);
    EXPECT_LT((triangle * x - right).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((y * triangle - wide).cwiseAbs().maxCoeff(), 1e-12);
  }
  const double log_det = log_determinant(factor);
  invert_from_cholesky(factor);
  EXPECT_LT((factor * gram - Matrix::Identity(6, 6)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(log_det, std::log(gram.determinant()), 1e-12);
}

TEST(Dense, InverseOfEverySize) {
  constexpr double kAbove = 7.5;
  RandomStream stream(5);
  for (const Index n : {1, 2, 15, 16, 17, 31, 32, 33, 47, 100, 257, 640, 999, 1000, 1001}) {
    Matrix definite = random_matrix(n, 8, stream);
    definite = (definite * definite.transpose()).eval();
    definite.diagonal().array() += 1;
    Matrix inverse = Matrix::Constant(n, n, kAbove);
    inverse.triangularView<Eigen::Lower>() = definite;
    const auto never = [] { FAIL(); };
    EXPECT_EQ(safe_cholesky(inverse, "test", never), 0);
    invert_lower_from_cholesky(inverse);
    EXPECT_EQ((inverse.triangularView<Eigen::StrictlyUpper>().toDenseMatrix().array() == kAbove).count(),
              n * (n - 1) / 2);
    mirror_lower(inverse);
    EXPECT_LT((inverse * definite - Matrix::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-10) << n;
  }
  Matrix singular = Matrix::Identity(40, 40);
  singular(20, 20) = 0;
  EXPECT_THROW(invert_lower_from_cholesky(singular), NumericalError);
}

// For smooth kernels with little noise, LAPACK's residual is 1e-7, that of careless products of inverses 1e-5 and more.
TEST(Dense, InverseOfAnIllConditionedGramMatrix) {
  constexpr Index kRows = 200;
  constexpr double kReach = 8, kNoise = 1e-8;
  Matrix gram(kRows, kRows);
  for (Index j = 0; j < kRows; ++j)
    for (Index i = 0; i < kRows; ++i)
      gram(i, j) = std::exp(-0.5 * std::pow(kReach * static_cast<double>(i - j) / kRows, 2)) + (i == j ? kNoise : 0);
  Matrix inverse = gram;
  EXPECT_EQ(safe_cholesky(inverse, "test"), 0);
  invert_from_cholesky(inverse);
  const auto more_digits = [](const Matrix& matrix) { return matrix.cast<long double>().eval(); };
  const auto residual = (more_digits(inverse) * more_digits(gram)).eval();
  EXPECT_LT((residual.cast<double>() - Matrix::Identity(kRows, kRows)).cwiseAbs().maxCoeff(), 1e-6);
}

// Nothing above the diagonal is read or written, and each attempt with jitter starts from the original matrix.
TEST(Dense, FactorAndInverseOfALowerTriangle) {
  constexpr double kAbove = 7.5;
  RandomStream stream(3);
  const Matrix a = random_matrix(9, 5, stream);
  Matrix definite = a.transpose() * a, singular = a * a.transpose();
  for (Matrix* matrix : {&definite, &singular}) {
    Matrix usual = *matrix, lower = Matrix::Constant(matrix->rows(), matrix->cols(), kAbove);
    int restored = 0;
    const auto fill = [&] {
      lower.triangularView<Eigen::Lower>() = *matrix;
      ++restored;
    };
    fill();
    const double jitter = safe_cholesky(usual, "test");
    EXPECT_EQ(safe_cholesky(lower, "test", fill), jitter);
    EXPECT_EQ(restored > 1, jitter > 0);
    invert_from_cholesky(usual);
    invert_lower_from_cholesky(lower);
    for (Index j = 0; j < lower.cols(); ++j)
      for (Index i = 0; i < lower.rows(); ++i) EXPECT_EQ(lower(i, j), i < j ? kAbove : usual(i, j));
  }
}

TEST(Dense, JitterIsReportedAndHopelessMatricesAreErrors) {
  Matrix singular = Matrix::Ones(5, 5);
  EXPECT_GT(safe_cholesky(singular, "test"), 0.0);
  Matrix negative = -Matrix::Identity(3, 3);
  EXPECT_THROW(safe_cholesky(negative, "test"), NumericalError);
  Matrix broken = Matrix::Constant(2, 2, std::nan(""));
  EXPECT_THROW(safe_cholesky(broken, "test"), NumericalError);
  Matrix empty(0, 0);
  EXPECT_EQ(safe_cholesky(empty, "test"), 0.0);
}

}  // namespace
}  // namespace alacarte
