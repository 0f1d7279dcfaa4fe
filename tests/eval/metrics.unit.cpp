#include "alacarte/eval/metrics.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "io/documents.hpp"

namespace alacarte {
namespace {

/// Adds the sums of two ranks. Each begins again whenever it waits for a message that the other has yet to send.
template <class Sums>
std::array<Sums, 2> added_over_ranks(const Sums& first, const Sums& second) {
  struct Waits {};
  std::vector<std::array<Vector, 2>> messages;
  for (;;) {
    std::array<Sums, 2> all = {first, second};
    bool waits = false;
    for (Index own = 0; own < 2; ++own) {
      std::size_t at = 0;
      const auto add = [&](VecRef values) {
        if (at == messages.size()) messages.emplace_back();
        auto& message = messages[at++];
        message[static_cast<std::size_t>(own)] = values;
        if (message[static_cast<std::size_t>(1 - own)].size() == 0) throw Waits();
        values = message[0] + message[1];
      };
      try {
        all[static_cast<std::size_t>(own)].add_over({2, own, add});
      } catch (const Waits&) {
        waits = true;
      }
    }
    if (!waits) return all;
  }
}

TEST(Metrics, ByHand) {
  Matrix mean(4, 1), variance = Matrix::Ones(4, 1);
  mean << 0, 1, 2, 3;
  Vector y(4);
  y << 0.5, 1, 2, 5;  // errors -0.5, 0, 0, -2
  const Metrics m = score({mean, variance, true}, y);
  const double spread =
      std::pow(0.5 - 2.125, 2) + std::pow(1 - 2.125, 2) + std::pow(2 - 2.125, 2) + std::pow(5 - 2.125, 2);
  EXPECT_EQ(m.n, 4);
  EXPECT_NEAR(m.rmse, std::sqrt(4.25 / 4), 1e-15);
  EXPECT_NEAR(m.mae, 2.5 / 4, 1e-15);
  EXPECT_NEAR(m.smse, 4.25 / spread, 1e-15);
  EXPECT_NEAR(m.r2, 1 - 4.25 / spread, 1e-15);
  const double base = 0.5 * std::log(2 * std::numbers::pi);
  EXPECT_NEAR(m.nlpd, base + 4.25 / 8, 1e-14);
  EXPECT_NEAR(m.nlpd_median, base + 0.125 / 2, 1e-14);
  // |z| = 0.5, 0, 0, 2 against 0.674, 1.645, 1.960.
  EXPECT_EQ(m.coverage50, 0.75);
  EXPECT_EQ(m.coverage90, 0.75);
  EXPECT_EQ(m.coverage95, 0.75);
  EXPECT_EQ(to_json(m)["coverage"]["90"], 0.75);
  EXPECT_EQ(to_json(m)["n"], 4);
}

TEST(Metrics, ARowOfWeightTwoIsTheRowTwice) {
  Matrix mean(3, 1), variance(3, 1);
  mean << 0, 1, 2;
  variance << 1, 2, 0.5;
  const Vector y{{0.5, 3, 2.2}}, weights{{1, 2, 1}};
  const std::vector<Index> twice = {0, 1, 1, 2};
  ScoreSums chunks;  // weighted and unweighted
  chunks.add({mean.topRows(2), variance.topRows(2), true}, y.head(2), weights.head(2));
  chunks.add({mean.bottomRows(1), variance.bottomRows(1), true}, y.tail(1));
  const Metrics expected = score({mean(twice, Eigen::all), variance(twice, Eigen::all), true}, y(twice));
  for (const Metrics& m : {score({mean, variance, true}, y, weights), chunks.result()}) {
    EXPECT_EQ(m.n, 3);
    EXPECT_NEAR(m.rmse, expected.rmse, 1e-14);
    EXPECT_NEAR(m.mae, expected.mae, 1e-14);
    EXPECT_NEAR(m.smse, expected.smse, 1e-14);
    EXPECT_NEAR(m.nlpd, expected.nlpd, 1e-14);
    EXPECT_NEAR(m.crps, expected.crps, 1e-14);
    EXPECT_NEAR(m.coverage50, expected.coverage50, 1e-14);
  }
  EXPECT_THROW(score({mean, variance, true}, y, weights.head(2)), std::invalid_argument);
}

TEST(Metrics, OfTwoRanksAreThoseOfAllRows) {
  const Vector y{{0.5, 3, 2.2, -1, 7}}, weights{{1, 2, 1, 0.5, 3}}, mean{{0, 1, 2, 0, 5}}, variance{{1, 2, 0.5, 1, 3}};
  const Metrics expected = score({mean, variance, true}, y, weights);
  ScoreSums first, second;
  first.add({mean.head(2), variance.head(2), true}, y.head(2), weights.head(2));
  second.add({mean.tail(3), variance.tail(3), true}, y.tail(3), weights.tail(3));
  for (const ScoreSums& sums : added_over_ranks(first, second)) {
    const Metrics m = sums.result();
    EXPECT_EQ(m.n, 5);
    EXPECT_NEAR(m.rmse, expected.rmse, 1e-14);
    EXPECT_NEAR(m.smse, expected.smse, 1e-14);
    EXPECT_NEAR(m.nlpd, expected.nlpd, 1e-14);
    EXPECT_EQ(m.nlpd_median, expected.nlpd_median);
    EXPECT_NEAR(m.coverage90, expected.coverage90, 1e-14);
  }
  first.add_over({});  // one rank alone
  EXPECT_NEAR(first.result().rmse, score({mean.head(2), variance.head(2), true}, y.head(2), weights.head(2)).rmse,
              1e-14);
}

TEST(Metrics, OfClassesOnTwoRanksAreThoseOfAllRows) {
  const Matrix values{{0.7, 0.3}, {0.4, 0.6}, {0.9, 0.1}};
  const Vector y{{0, 0, 1}}, weights{{1, 2, 3}};
  const ClassMetrics expected = score_classes(values, y, true, weights);
  ClassScoreSums first(2, true), second(2, true);
  first.add(values.topRows(1), y.head(1), weights.head(1));
  second.add(values.bottomRows(2), y.tail(2), weights.tail(2));
  for (const ClassScoreSums& sums : added_over_ranks(first, second)) {
    const ClassMetrics m = sums.result();
    EXPECT_EQ(m.n, 3);
    EXPECT_EQ(m.confusion, expected.confusion);
    EXPECT_NEAR(m.log_loss, expected.log_loss, 1e-14);
    EXPECT_NEAR(m.ece, expected.ece, 1e-14);
    for (std::size_t bin = 0; bin < m.bins.size(); ++bin) EXPECT_EQ(m.bins[bin].right, expected.bins[bin].right);
  }
}

TEST(Metrics, RefusesWhatCannotBeScored) {
  const Matrix one = Matrix::Ones(1, 1);
  EXPECT_THROW(score({one, one, false}, Vector::Ones(1)), std::invalid_argument);
  EXPECT_THROW(score({one, one, true}, Vector::Ones(2)), std::invalid_argument);
  EXPECT_THROW(score({Matrix(0, 1), Matrix(0, 1), true}, Vector(0)), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
