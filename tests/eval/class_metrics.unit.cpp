#include "alacarte/eval/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

// Four rows of three classes; all numbers below were computed by hand from the definitions in the header.
const Matrix kValues = (Matrix(4, 3) << 0.7, 0.2, 0.1, 0.1, 0.6, 0.3, 0.5, 0.25, 0.25, 0.0, 0.0, 1.0).finished();
const Vector kTarget = Vector({{0.0, 2.0, 0.0, 2.0}});

TEST(ClassMetrics, AreTheirDefinitions) {
  const ClassMetrics metrics = score_classes(kValues, kTarget);
  EXPECT_EQ(metrics.n, 4);
  EXPECT_DOUBLE_EQ(metrics.accuracy, 0.75);
  EXPECT_NEAR(metrics.log_loss, -(std::log(0.7) + std::log(0.3) + std::log(0.5)) / 4, 1e-15);
  EXPECT_NEAR(metrics.brier, (0.14 + 0.86 + 0.375 + 0.0) / 4, 1e-15);
  // 0.7, 0.6, 0.5 and 1 lie in different bins of width 1/15.
  EXPECT_NEAR(metrics.ece, (0.3 + 0.6 + 0.5 + 0.0) / 4, 1e-15);
  EXPECT_EQ(metrics.confusion, (std::vector<std::vector<Index>>{{2, 0, 0}, {0, 0, 0}, {0, 1, 1}}));
  ASSERT_EQ(metrics.bins.size(), 15U);
  EXPECT_EQ(metrics.bins[9].rows, 1);  // the row that gives 0.6 to the wrong class
  EXPECT_EQ(metrics.bins[9].right, 0);
  EXPECT_EQ(metrics.bins[9].probability, 0.6);
  EXPECT_EQ(metrics.bins[14].right, 1);
  EXPECT_TRUE(score_classes(kValues, kTarget, false).bins.empty());
}

TEST(ClassMetrics, OfWhatIsNotFiniteAreAnError) {
  Matrix values = kValues;
  values(2, 1) = std::nan("");
  EXPECT_THROW(score_classes(values, kTarget), NumericalError);
}

TEST(ClassMetrics, OfAnImpossibleClassStayFinite) {
  const ClassMetrics metrics = score_classes((Matrix(1, 2) << 1, 0).finished(), Vector::Ones(1));
  EXPECT_NEAR(metrics.log_loss, 708.4, 0.1);
  EXPECT_EQ(metrics.brier, 2);
}

TEST(ClassMetrics, DoNotDependOnChunks) {
  ClassScoreSums sums(3, true);
  sums.add(kValues.topRows(1), kTarget.head(1));
  sums.add(kValues.bottomRows(3), kTarget.tail(3));
  const ClassMetrics whole = score_classes(kValues, kTarget), parts = sums.result();
  EXPECT_EQ(whole.log_loss, parts.log_loss);
  EXPECT_EQ(whole.ece, parts.ece);
  EXPECT_EQ(whole.confusion, parts.confusion);
}

TEST(ClassMetrics, OfDecisionValuesAreAccuracyAlone) {
  const nlohmann::json json = to_json(score_classes(10 * kValues, kTarget, false), {"a", "b", "c"});
  EXPECT_EQ(json["accuracy"], 0.75);
  for (const char* key : {"log_loss", "brier", "ece"}) EXPECT_TRUE(json[key].is_null()) << key;
  EXPECT_EQ(json["classes"], (std::vector<std::string>{"a", "b", "c"}));
}

TEST(ClassMetrics, CalibratedProbabilitiesHaveLittleError) {
  RandomStream stream(1);
  constexpr Index kRows = 20000;
  Matrix values(kRows, 2);
  Vector target(kRows);
  for (Index i = 0; i < kRows; ++i) {
    values(i, 1) = stream.uniform();
    values(i, 0) = 1 - values(i, 1);
    target[i] = stream.uniform() < values(i, 1) ? 1 : 0;
  }
  EXPECT_LT(score_classes(values, target).ece, 0.015);
  const Matrix certain = (values.array() > 0.5).cast<double>();
  EXPECT_NEAR(score_classes(certain, target).ece, 0.25, 0.01);  // right in three of four rows, and certain in all
}

TEST(ClassMetrics, RefuseWhatIsNoClass) {
  EXPECT_THROW(score_classes(kValues, Vector::Constant(4, 3.0)), std::invalid_argument);
  EXPECT_THROW(score_classes(kValues, Vector::Constant(4, NAN)), std::invalid_argument);
  EXPECT_THROW(score_classes(kValues, Vector::Zero(3)), std::invalid_argument);
  EXPECT_THROW(ClassScoreSums(2, true).result(), std::invalid_argument);
}

TEST(ClassMetrics, MeansAreByTheWeightsOfRows) {
  Matrix values(3, 2);
  values << 0.9, 0.1, 0.4, 0.6, 0.7, 0.3;
  const Vector target{{0, 0, 1}}, weights{{1, 2, 1}};
  const std::vector<Index> twice = {0, 1, 1, 2};
  const ClassMetrics own = score_classes(values, target, true, weights),
                     expected = score_classes(values(twice, Eigen::all), target(twice));
  EXPECT_NEAR(own.accuracy, expected.accuracy, 1e-14);
  EXPECT_NEAR(own.log_loss, expected.log_loss, 1e-14);
  EXPECT_NEAR(own.brier, expected.brier, 1e-14);
  EXPECT_EQ(own.n, 3);
}

}  // namespace
}  // namespace alacarte
