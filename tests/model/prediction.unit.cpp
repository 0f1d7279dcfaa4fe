#include "alacarte/model/prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace alacarte {
namespace {

Matrix column(double first, double second) { return (Matrix(2, 1) << first, second).finished(); }

std::string refusal(const Prediction& prediction) {
  try {
    static_cast<void>(prediction.distribution());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Prediction, HasTheKindOfItsValueAndRefusesTheOthers) {
  const Prediction numbers{PredictiveDistribution(column(1, 2), column(3, 4), true)};
  EXPECT_EQ(numbers.kind(), TargetKind::numbers);
  EXPECT_EQ(numbers.rows(), 2);
  EXPECT_EQ(numbers.distribution().mean(), column(1, 2).col(0));
  EXPECT_EQ(refusal(numbers), "");
  EXPECT_THROW(numbers.classes(), std::invalid_argument);
  EXPECT_THROW(numbers.counts(), std::invalid_argument);

  Prediction classes{ClassPrediction{(Matrix(2, 3) << 0.2, 0.5, 0.3, 0.4, 0.2, 0.4).finished(), true}};
  EXPECT_EQ(classes.kind(), TargetKind::classes);
  EXPECT_EQ(classes.classes().labels(), (std::vector<Index>{1, 0}));
  EXPECT_EQ(refusal(classes), "alacarte: the prediction is of classes, not of numbers");
  const double* const numbers_of_it = classes.classes().values.data();
  const ClassPrediction moved = std::move(classes).classes();
  EXPECT_EQ(moved.values.data(), numbers_of_it);

  const Prediction counts{CountDistribution(column(0, 1), column(0, 0))};
  EXPECT_EQ(counts.kind(), TargetKind::counts);
  EXPECT_NEAR(counts.counts().mean()[1], std::exp(1.0), 1e-15);
  EXPECT_EQ(refusal(counts), "alacarte: the prediction is of counts, not of numbers");
}

}  // namespace
}  // namespace alacarte
