#include "alacarte/features/fastfood.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "features/maps_under_test.hpp"
#include "spectrum/radial.hpp"

namespace alacarte {
namespace {

// Returns the frequencies of a block by dense matrices, as the paper writes them: the independent reference.
Matrix dense_frequencies(const FastfoodDraws& draws, const Vector& lengths, const Vector& lengthscale) {
  const Index l = draws.length;
  Matrix h(l, l);
  for (Index i = 0; i < l; ++i)
    for (Index j = 0; j < l; ++j) h(i, j) = std::popcount(static_cast<std::uint64_t>(i & j)) % 2 == 0 ? 1 : -1;
  Matrix all(draws.blocks * l, l);
  for (Index block = 0; block < draws.blocks; ++block) {
    Matrix permutation = Matrix::Zero(l, l);
    for (Index i = 0; i < l; ++i) permutation(i, draws.permutation[static_cast<std::size_t>(block * l + i)]) = 1;
    const Vector g = draws.gaussian.segment(block * l, l);
    all.middleRows(block * l, l) = h * g.asDiagonal() * permutation * h *
                                   Matrix(draws.signs.segment(block * l, l).asDiagonal()) /
                                   (g.norm() * std::sqrt(static_cast<double>(l)));
  }
  const Matrix cut = lengths.asDiagonal() * all.topRows(draws.frequencies);
  return cut.leftCols(draws.inputs) * lengthscale.cwiseInverse().asDiagonal();
}

struct Stack {
  std::shared_ptr<const FastfoodDraws> draws;
  Vector lengths, lengthscale;
  Fastfood fastfood;

  Stack(Index d, Index m, FastfoodLearned learned = {})
      : draws(std::make_shared<const FastfoodDraws>(d, m, RandomStreams(9))),
        lengths(normal_matrix(m, 1, 10).cwiseAbs().array() + 0.5),
        lengthscale(normal_matrix(d, 1, 11).array().exp()),
        fastfood(draws, draws->signs, draws->gaussian, lengths, lengthscale, learned) {}
};

TEST(Fastfood, EqualsTheDenseProduct) {
  for (const Index d : {1, 2, 3, 5, 8, 13, 64, 200})
    for (const Index m : {1, 7, 40, 300}) {
      const Stack stack(d, m);
      const Matrix want = dense_frequencies(*stack.draws, stack.lengths, stack.lengthscale);
      EXPECT_LT((stack.fastfood.frequencies() - want).cwiseAbs().maxCoeff(), 1e-12 * want.cwiseAbs().maxCoeff() + 1e-13)
          << d << " " << m;
    }
}

TEST(Fastfood, RowsOfABlockHaveTheLengthsGiven) {
  const Stack stack(8, 24);
  const Matrix rows = stack.fastfood.frequencies() * stack.lengthscale.asDiagonal();
  EXPECT_LT((rows.rowwise().norm() - stack.lengths).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Fastfood, FeaturesAreCosineAndSineOfThePhases) {
  const Stack stack(5, 21);
  const Matrix x = normal_matrix(35, 5, 12);
  const Matrix u = x * dense_frequencies(*stack.draws, stack.lengths, stack.lengthscale).transpose();
  Matrix psi(35, 42), shifted(35, 84), projected(35, 21);
  stack.fastfood.forward(x, 0.3, psi);
  EXPECT_LT((psi.leftCols(21).array() - 0.3 * u.array().cos()).abs().maxCoeff(), 1e-13);
  EXPECT_LT((psi.rightCols(21).array() - 0.3 * u.array().sin()).abs().maxCoeff(), 1e-13);
  stack.fastfood.project(x, projected);
  EXPECT_LT((projected - u).cwiseAbs().maxCoeff(), 1e-12);
  const Vector shift = Vector::LinSpaced(5, -1, 2);
  stack.fastfood.forward_shifted(x, shift, 0.3, shifted);
  const Matrix plus = u.colwise() + x * shift, minus = u.colwise() - x * shift;
  EXPECT_LT((shifted.middleCols(0, 21).array() - 0.3 * plus.array().cos()).abs().maxCoeff(), 1e-13);
  EXPECT_LT((shifted.middleCols(21, 21).array() - 0.3 * plus.array().sin()).abs().maxCoeff(), 1e-13);
  EXPECT_LT((shifted.middleCols(42, 21).array() - 0.3 * minus.array().cos()).abs().maxCoeff(), 1e-13);
  EXPECT_LT((shifted.middleCols(63, 21).array() - 0.3 * minus.array().sin()).abs().maxCoeff(), 1e-13);
}

// The adjoint equals the dense product's: G_bar, B_bar and s_bar follow from one row sum each.
TEST(Fastfood, RowSumsEqualTheDenseAdjoint) {
  const Index d = 5, m = 21, n = 35;
  const Stack stack(d, m, {.lengths = true, .gaussian = true, .signs = true});
  const Matrix rows = dense_frequencies(*stack.draws, stack.lengths, stack.lengthscale);
  const Matrix x = normal_matrix(n, d, 12), bar = normal_matrix(n, 2 * m, 13);
  Matrix psi(n, 2 * m);
  stack.fastfood.forward(x, 1, psi);
  const FastfoodSums at(0, *stack.draws, {.lengths = true, .gaussian = true, .signs = true});
  Vector sums = Vector::Zero(at.end);
  stack.fastfood.backward(x, psi, bar, at, sums);
  const auto pulled = stack.fastfood.finish(at, sums);

  const Matrix u_bar = psi.leftCols(m).cwiseProduct(bar.rightCols(m)) - psi.rightCols(m).cwiseProduct(bar.leftCols(m));
  const Matrix product = u_bar.transpose() * x;  // cotangent of the rows
  const Vector scale_bar = -product.cwiseProduct(rows).colwise().sum();
  EXPECT_LT((pulled.log_lengthscale - scale_bar).norm(), 1e-11 * scale_bar.norm());
  const Vector length_bar = product.cwiseProduct(rows).rowwise().sum();
  EXPECT_LT((pulled.log_lengths - length_bar).norm(), 1e-11 * length_bar.norm());
  // Phases are linear in G and in B, so the products with their own cotangents sum to the whole.
  EXPECT_NEAR(pulled.gaussian.dot(stack.draws->gaussian), length_bar.sum(), 1e-10 * length_bar.norm());
  Vector live(pulled.signs.size());
  for (Index i = 0; i < live.size(); ++i) live[i] = stack.draws->signs[i / d * stack.draws->length + i % d];
  EXPECT_NEAR(pulled.signs.dot(live), length_bar.sum(), 1e-10 * length_bar.norm());
}

TEST(Fastfood, DrawsAreWhatTheySay) {
  const FastfoodDraws draws(5, 2000, RandomStreams(1));
  EXPECT_EQ(draws.length, 8);
  EXPECT_EQ(draws.blocks, 250);
  EXPECT_EQ(draws.signs.cwiseAbs(), Vector::Ones(2000));
  // Five standard errors: a false alarm in 2 million seeds each.
  EXPECT_LT(std::abs(draws.signs.sum()), 5 * std::sqrt(2000.0));
  EXPECT_LT(std::abs(draws.gaussian.squaredNorm() - 2000), 5 * std::sqrt(2 * 2000.0));
  EXPECT_THROW(FastfoodDraws(0, 5, RandomStreams(1)), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
