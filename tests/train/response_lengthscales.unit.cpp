// Length-scales that classes and counts show before any fit.
#include "train/search/response_lengthscales.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "alacarte/core/random.hpp"

namespace alacarte {
namespace {

/// Rows of one or more inputs in [0, 1] with targets of a likelihood.
struct ResponseRows {
  Recipe recipe;
  TrainingRows rows;

  ResponseRows(const std::string& likelihood, Index classes, Index count, Index inputs,
               double (*target)(double x, RandomStream& stream)) {
    recipe.likelihood = likelihood;
    Dataset data;
    RandomStream stream(11);
    data.inputs.resize(count, inputs);
    data.target.resize(count);
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < inputs; ++j) data.inputs(i, j) = stream.uniform();
      data.target[i] = target(data.inputs(i, 0), stream);
    }
    rows = make_training_rows(std::make_shared<MemoryRows>(std::move(data)), RandomStreams(1));
    rows.classes.assign(static_cast<std::size_t>(classes), 1);
  }

  std::optional<Vector> found() const { return response_lengthscales(recipe, rows, RandomStream(5)); }
};

double sine(double x) { return std::sin(6 * std::numbers::pi * x); }
double uniform_below(double p, RandomStream& stream) { return stream.uniform() < p ? 1 : 0; }

TEST(ResponseLengthscales, AreShortWhereClassesAlternate) {
  for (const Index count : {60, 200, 1000}) {
    const auto found =
        ResponseRows("softmax", 2, count, 1, [](double x, RandomStream&) { return sine(x) > 0 ? 1.0 : 0.0; }).found();
    ASSERT_TRUE(found) << count;
    EXPECT_GT((*found)[0], 0.01) << count;
    EXPECT_LT((*found)[0], 0.12) << count;
  }
}

TEST(ResponseLengthscales, AreFoundForSeveralClassesAndForCounts) {
  const ResponseRows classes("softmax", 3, 200, 1, [](double x, RandomStream& stream) {
    return uniform_below(0.05, stream) > 0 ? 1.0 : sine(x) > 0.5 ? 2.0 : sine(x) > -0.5 ? 0.0 : 1.0;
  });
  EXPECT_TRUE(classes.found());
  const ResponseRows counts("poisson", 0, 200, 1,
                            [](double x, RandomStream&) { return std::floor(std::exp(2 + sine(x))); });
  ASSERT_TRUE(counts.found());
  EXPECT_LT((*counts.found())[0], 0.12);
}

TEST(ResponseLengthscales, AreNotThoseOfSlowFunctionsNorOfNoise) {
  for (const Index inputs : {1, 2, 5}) {
    EXPECT_FALSE(ResponseRows("softmax", 2, 200, inputs,
                              [](double x, RandomStream& stream) {
                                return uniform_below(1 / (1 + std::exp(3 - 6 * x)), stream);
                              })
                     .found())
        << inputs;
    EXPECT_FALSE(
        ResponseRows("softmax", 2, 200, inputs, [](double, RandomStream& stream) { return uniform_below(0.5, stream); })
            .found())
        << inputs;
  }
}

TEST(ResponseLengthscales, AlongOneOfTwoInputsComeFromItsSinusoid) {
  ResponseRows rows("softmax", 3, 400, 2,
                    [](double x, RandomStream&) { return std::sin(16 * std::numbers::pi * x) > 0 ? 1.0 : 0.0; });
  const auto found = rows.found();
  ASSERT_TRUE(found);
  EXPECT_LT((*found)[0], 0.1);
  EXPECT_GT((*found)[1], 3 * (*found)[0]);
}

TEST(WorkingResponse, HasCentredColumnsOfUnitVariance) {
  Vector y(6);
  y << 0, 2, 1, 2, 2, 0;
  for (const Index classes : {0, 3}) {
    const Matrix response =
        working_response(find_likelihood(classes > 0 ? "softmax" : "poisson")->likelihood, y, classes);
    EXPECT_EQ(response.cols(), std::max<Index>(1, classes));
    EXPECT_LT(response.colwise().sum().cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(response.array().square().mean(), 1, 1e-12);
  }
  EXPECT_EQ(working_response(find_likelihood("poisson")->likelihood, Vector::Constant(4, 3.0), 0).squaredNorm(), 0);
  // A row far away has no more weight than one at three units.
  Vector numbers(4);
  numbers << 0, 1, -1, 1e9;
  const Matrix response = working_response(find_likelihood("student-t")->likelihood, numbers, 0);
  EXPECT_LT(response.cwiseAbs().maxCoeff(), 2);
}

}  // namespace
}  // namespace alacarte
