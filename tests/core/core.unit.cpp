#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/core/parameter_layout.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/core/tensor_bundle.hpp"
#include "alacarte/data/row_source.hpp"

namespace alacarte {
namespace {

TEST(RandomStreams, SameNameSameDrawsOtherNameOtherDraws) {
  const RandomStreams streams(7);
  RandomStream a = streams.stream("gm[0].signs"), b = streams.stream("gm[0].signs"), c = streams.stream("gm[1].signs");
  const double first = a.normal();
  EXPECT_EQ(first, b.normal());
  EXPECT_NE(first, c.normal());
  EXPECT_EQ(streams.scope("gm[0]").stream("x").uniform(), streams.stream("gm[0]/x").uniform());
}

TEST(RandomStreams, PermutationHoldsEveryIndexOnce) {
  RandomStream stream = RandomStreams(1).stream("p");
  const auto order = stream.permutation(257);
  EXPECT_EQ(std::set<std::int32_t>(order.begin(), order.end()).size(), 257u);
}

TEST(ParameterLayout, NamesEntriesAndCountsTrainable) {
  ParameterLayout layout;
  layout.add({.name = "a"});
  layout.add({.name = "b", .size = 3, .trainable = false});
  EXPECT_EQ(layout.entry_name(0), "a");
  EXPECT_EQ(layout.entry_name(3), "b[2]");
  EXPECT_EQ(layout.trainable_count(), 1);
  EXPECT_THROW(layout.add({.name = "a"}), std::invalid_argument);
}

TEST(ParameterLayout, PenaltyGradientMatchesDifferences) {
  ParameterLayout layout;
  layout.add({.name = "n", .size = 2, .prior = {ParameterPrior::Kind::normal, Vector::Constant(1, 0.5), 0.7}});
  layout.add({.name = "l",
              .size = 2,
              .prior = {ParameterPrior::Kind::lower_normal, Vector::Constant(1, 0.1), 1.0},
              .lower = -1,
              .upper = 1});
  layout.add(
      {.name = "s", .size = 2, .prior = {ParameterPrior::Kind::log_inverse_gamma, Vector::Constant(1, -0.4), 0.5}});
  Vector theta(6);
  theta << 0.3, -2, -1.5, 1.7, -1.9, 0.8;
  Vector gradient = Vector::Zero(6);
  layout.penalty(theta, true, gradient);
  for (Index i = 0; i < 6; ++i) {
    Vector up = theta, down = theta, unused = Vector::Zero(6);
    up[i] += 1e-6;
    down[i] -= 1e-6;
    const double slope = (layout.penalty(up, true, unused) - layout.penalty(down, true, unused)) / 2e-6;
    EXPECT_NEAR(gradient[i], slope, 1e-6 * (1 + std::abs(slope)));
  }
  EXPECT_EQ(layout.at_bound(theta).size(), 2u);
}

// The prior is zero and flat at the mean, with the curvature of a normal of that sd, and a wall below it.
TEST(ParameterLayout, InverseGammaPriorIsABarrierBelow) {
  ParameterLayout layout;
  layout.add({.name = "s", .prior = {ParameterPrior::Kind::log_inverse_gamma, Vector::Zero(1), 0.5}});
  const auto penalty = [&](double at) {
    Vector unused = Vector::Zero(1);
    return layout.penalty(Vector::Constant(1, at), true, unused);
  };
  EXPECT_EQ(penalty(0), 0);
  EXPECT_NEAR((penalty(1e-3) + penalty(-1e-3)) / 1e-6, 1 / 0.25, 1e-4);
  EXPECT_GT(penalty(std::log(0.01)), 9000);
  EXPECT_LT(penalty(std::log(100.0)), 10);
}

TEST(TensorBundle, RoundTripsAndRefusesWrongShapes) {
  TensorBundle bundle;
  const Matrix m = Matrix::Random(3, 2);
  bundle.put("m", m);
  EXPECT_EQ(bundle.matrix("m", 3, 2), m);
  EXPECT_THROW(bundle.matrix("m", 2, 3), IoError);
  EXPECT_THROW(bundle.vector("m"), IoError);
  EXPECT_THROW(bundle.matrix("absent"), IoError);
}

TEST(TrainingStatistics, WideRowsHaveFewerPairs) {
  RandomStream stream(3);
  const auto pairs = [&](Index inputs) {
    const Matrix x = Matrix::Random(4, inputs);
    return training_statistics(x, Vector::LinSpaced(4, 0, 1), stream).pair_differences.rows();
  };
  EXPECT_EQ(pairs(10000), 2000);
  EXPECT_EQ(pairs(40000), 500);
  EXPECT_EQ(pairs(250000), 100);
}

TEST(TrainingStatistics, ConstantColumnsAndSingleRowsStayFinite) {
  RandomStream stream = RandomStreams(1).stream("pairs");
  const TrainingStatistics statistics = training_statistics(Matrix::Ones(1, 3), Vector::Ones(1), stream);
  EXPECT_EQ(statistics.range, Vector::Ones(3));
  EXPECT_EQ(statistics.target_sd, 1.0);
  EXPECT_GT(statistics.distance_quantile(0.5, Vector::Ones(3)), 0.0);
}

TEST(TrainingStatistics, StartsAreSharesOfTheRangesOrNearKnownLengthscales) {
  TrainingStatistics statistics;
  statistics.range = (Vector(2) << 1.0, 50.0).finished();
  RandomStream cold(7), warm(7);
  const Vector shares =
      ard_start(statistics, cold).array().exp().matrix().cwiseQuotient(std::sqrt(2.0) * statistics.range);
  EXPECT_GE(shares.minCoeff(), 0.4);
  EXPECT_LE(shares.maxCoeff(), 0.8);
  statistics.lengthscale = (Vector(2) << 30.0, 0.02).finished();
  const Vector factors = ard_start(statistics, warm).array().exp().matrix().cwiseQuotient(statistics.lengthscale);
  EXPECT_LT((factors - shares / 0.6).norm(), 1e-12) << "of the same draws";
}

}  // namespace
}  // namespace alacarte
