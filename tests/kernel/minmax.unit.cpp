#include "kernel/minmax.hpp"

#include <gtest/gtest.h>

#include "alacarte/kernel/kernel.hpp"

namespace alacarte {
namespace {

Matrix gapped_rows(Index rows, Index cols, std::uint64_t seed) {
  RandomStream stream(seed);
  Matrix x(rows, cols);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = stream.uniform() < 0.6 ? 0 : stream.normal();
  return x;
}

TEST(MinMax, SparseGramIsTheDenseOne) {
  Matrix x1 = gapped_rows(9, 6, 1), x2 = gapped_rows(11, 6, 2);
  x1.row(3).setZero();
  x2.row(4).setZero();
  x2.row(5) = x1.row(6);
  const auto kernel = find_kernel("exact-minmax")->make({}, 6);
  Matrix dense(9, 11), sparse(9, 11), threaded(9, 11);
  kernel->gram(Vector::Zero(1), x1, x2, dense);
  minmax_gram(to_sparse(x1).view(), to_sparse(x2).view(), sparse);
  minmax_gram(to_sparse(x1).view(), to_sparse(x2).view(), threaded, 2);
  EXPECT_LT((dense - sparse).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(sparse, threaded);
  EXPECT_EQ(sparse(3, 4), 1);  // both rows of zeros
  EXPECT_EQ(sparse(6, 5), 1);
  EXPECT_EQ(sparse(3, 5), 0);
  EXPECT_THROW(minmax_gram(to_sparse(x1).view(), to_sparse(gapped_rows(11, 5, 2)).view(), sparse),
               std::invalid_argument);
}

// The paper's example doubles [-5 3] to [0 5 3 0].
TEST(MinMax, SignsAreInputsOfTheirOwn) {
  const auto kernel = find_kernel("exact-minmax")->make({}, 2);
  Matrix x1(1, 2), x2(3, 2), gram(1, 3);
  x1 << -5, 3;
  x2 << -5, -3, 5, 3, -2, 4;
  kernel->gram(Vector::Zero(1), x1, x2, gram);
  EXPECT_DOUBLE_EQ(gram(0, 0), 5.0 / 11);
  EXPECT_DOUBLE_EQ(gram(0, 1), 3.0 / 13);
  EXPECT_DOUBLE_EQ(gram(0, 2), 5.0 / 9);
}

}  // namespace
}  // namespace alacarte
