// Noise that is a mixture of normals, learned from rows that were left out of the fits (noise.shape).
#include "train/noise/noise_shape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/model/update.hpp"
#include "alacarte/train/auto_recipe.hpp"
#include "alacarte/train/fit.hpp"
#include "support/trained_model.hpp"
#include "support/uniform_rows.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using test::scored;
using test::trained;

/// A smooth function in units of 5 with the noise 0.2, and 8 in place of 0.2 for one row of 25.
Dataset rows_with_outliers(Index rows, std::uint64_t seed) {
  RandomStream stream = RandomStreams(seed).stream("outliers");
  return test::uniform_rows(rows, 2, seed, [&stream](const auto& x, double normal) {
    return 100 + 5 * (std::sin(6 * x[0]) + (stream.uniform() < 0.04 ? 8 : 0.2) * normal);
  });
}

Dataset rows_without_outliers(Index rows, std::uint64_t seed) {
  return test::uniform_rows(rows, 2, seed,
                            [](const auto& x, double normal) { return 100 + 5 * (std::sin(6 * x[0]) + 0.2 * normal); });
}

Json shape_recipe(const std::string& shape = "mixture") {
  return {{"model", "exact-ard"},
          {"copies", 2},
          {"training", {{"starts", 1}, {"iterations", 30}}},
          {"noise", {{"shape", shape}}}};
}

/// Zero means, variances of f of 0.5, noise of 1 in two components; targets with the law 0.9 N(0, 1.5) + 0.1 N(0,
/// 100.5).
TEST(NoiseShape, IsThatOfTheTargets) {
  constexpr Index kRows = 4000;
  RandomStream stream = RandomStreams(1).stream("targets");
  Vector plain(kRows), tailed(kRows);
  for (Index i = 0; i < kRows; ++i) {
    plain[i] = std::sqrt(1.5) * stream.normal();
    tailed[i] = std::sqrt(stream.uniform() < 0.1 ? 100.5 : 1.5) * stream.normal();
  }
  const Matrix noise = Matrix::Ones(kRows, 2);
  const PredictiveDistribution given(Matrix::Zero(kRows, 2), Matrix::Constant(kRows, 2, 1.5), true);
  EXPECT_TRUE(learn_noise_shape(given, noise, plain).is_gaussian());
  const NoiseShape shape = learn_noise_shape(given, noise, tailed);
  ASSERT_EQ(shape.shares.size(), 2);
  EXPECT_NEAR(shape.shares[1], 0.1, 0.02);
  EXPECT_NEAR(std::log2(shape.factors[0]), 0, 0.6);
  EXPECT_NEAR(std::log2(shape.factors[1]), std::log2(100.0), 0.6);
  EXPECT_NEAR(shape.mean_factor(), 10.9, 3);
  // Noise that is too large or too small by one factor is put right by one normal.
  const NoiseShape one = learn_noise_shape(given, noise, 0.8 * plain);
  ASSERT_EQ(one.shares.size(), 1);
  EXPECT_NEAR(one.factors[0], 0.46, 0.1);
}

TEST(NoiseShape, OfFewRowsOrOddOnesIsFinite) {
  const PredictiveDistribution given(Matrix::Zero(3, 1), Matrix::Constant(3, 1, 2.0), true);
  EXPECT_TRUE(learn_noise_shape(given, Matrix::Ones(3, 1), Vector::Zero(3)).is_gaussian());
  Vector far(3);
  far << 0, 1e150, -1e-300;
  const NoiseShape shape = learn_noise_shape(given, Matrix::Ones(3, 1), far);
  EXPECT_TRUE(shape.factors.allFinite());
  EXPECT_TRUE(shape.is_gaussian() || std::abs(shape.shares.sum() - 1) < 1e-12);
}

TEST(NoiseShape, IntervalsHoldBesideOutliers) {
  const Dataset rows = rows_with_outliers(500, 2), test = rows_with_outliers(3000, 3);
  const FittedModel mixture = trained(shape_recipe(), rows), gaussian = trained(shape_recipe("gaussian"), rows);
  ASSERT_GE(mixture.noise_shape.shares.size(), 2);
  EXPECT_TRUE(gaussian.noise_shape.is_gaussian());
  EXPECT_TRUE(mixture.predict(test.view())
                  .distribution()
                  .mean()
                  .isApprox(gaussian.predict(test.view()).distribution().mean(), 1e-12));
  EXPECT_LT(scored(mixture, test).nlpd, scored(gaussian, test).nlpd - 0.5);
  EXPECT_LT(scored(mixture, test).crps, scored(gaussian, test).crps);
  EXPECT_NEAR(scored(mixture, test).coverage50, 0.5, 0.08);
  EXPECT_NEAR(scored(mixture, test).coverage95, 0.95, 0.02);
  EXPECT_GT(scored(gaussian, test).coverage50, 0.8);
  // Scores of left-out rows are those of the model with its shape.
  EXPECT_NEAR(mixture.training["leave_one_out"]["nlpd"].get<double>(), scored(mixture, test).nlpd, 0.25);
  EXPECT_EQ(trained(shape_recipe(), rows).noise_shape, mixture.noise_shape);
}

TEST(NoiseShape, OfGaussianNoiseStaysGaussian) {
  const Dataset rows = rows_without_outliers(400, 4);
  const FittedModel mixture = trained(shape_recipe(), rows), gaussian = trained(shape_recipe("gaussian"), rows);
  EXPECT_TRUE(mixture.noise_shape.is_gaussian());
  EXPECT_EQ(mixture.predict(rows.view()).distribution().variance(),
            gaussian.predict(rows.view()).distribution().variance());
}

TEST(NoiseShape, IsOneInEveryPrediction) {
  const Dataset rows = rows_with_outliers(300, 5);
  const FittedModel model = trained(shape_recipe(), rows);
  ASSERT_FALSE(model.noise_shape.is_gaussian());
  const Prediction prediction = model.predict(rows.view());
  const PredictiveDistribution& many = prediction.distribution();
  EXPECT_EQ(many.component_count(), 2 * model.noise_shape.shares.size());
  OneRowWorkspace workspace = model.one_row_workspace();
  const Vector variance = many.variance(), mean = many.mean();
  const Matrix covariance = model.covariance(rows.view(), false);
  for (const Index i : {0, 7, 299}) {
    const OneRowPrediction& one = model.predict_one(rows.inputs.row(i).transpose(), workspace);
    EXPECT_NEAR(one.mean, mean[i], 1e-9 * std::abs(mean[i]));
    EXPECT_NEAR(one.variance, variance[i], 1e-9 * variance[i]);
    EXPECT_NEAR(covariance(i, i), variance[i], 1e-9 * variance[i]);
  }
  // Without noise nothing is mixed; a row of weight w has each normal's variance divided by w.
  PredictOptions latent;
  latent.latent = true;
  EXPECT_EQ(model.predict(rows.view(), latent).distribution().component_count(), 2);
  PredictOptions weighted;
  weighted.weights = Vector::Constant(rows.rows(), 4);
  const PredictiveDistribution heavy = model.predict(rows.view(), weighted).distribution();
  const Vector function = model.predict(rows.view(), latent).distribution().variance();
  for (const Index i : {0, 7, 299})
    EXPECT_NEAR(heavy.variance()[i] - function[i], (variance[i] - function[i]) / 4, 1e-9 * variance[i]);
}

TEST(NoiseShape, IsSavedAndUpdatedWithTheModel) {
  const Dataset rows = rows_with_outliers(300, 6), more = rows_with_outliers(20, 7);
  const FittedModel model = trained(shape_recipe(), rows);
  ASSERT_FALSE(model.noise_shape.is_gaussian());
  ModelFile file = model.save();
  const FittedModel loaded = FittedModel::load(file);
  EXPECT_EQ(loaded.noise_shape, model.noise_shape);
  EXPECT_EQ(loaded.predict(more.view()).distribution().variance(),
            model.predict(more.view()).distribution().variance());
  ModelUpdate update(model, {});
  update.add(more);
  EXPECT_EQ(update.finish().noise_shape, model.noise_shape);
  for (const Json& bad :
       {Json::array(), Json{{0.5, 1.0}}, Json{{1.0, -1.0}}, Json{{0.5, 2.0}, {0.5, 1.0}}, Json{{1.0, "x"}}, Json(3)}) {
    file.document["noise_shape"] = bad;
    EXPECT_THROW(FittedModel::load(file), IoError) << bad;
  }
}

TEST(NoiseShape, RefusesWhatItCannotLearnFrom) {
  Dataset rows = rows_without_outliers(60, 8);
  rows.weights = Vector::Ones(60);
  EXPECT_THROW(trained(shape_recipe(), rows), ConfigError);
  rows.weights.resize(0);
  Json recipe = shape_recipe();
  recipe["likelihood"] = "student-t";
  EXPECT_THROW(trained(recipe, rows), ConfigError);
  recipe = shape_recipe();
  recipe["noise"]["varies"] = true;
  EXPECT_THROW(trained(recipe, rows), ConfigError);
}

TEST(NoiseShape, BesideNoiseThatVaries) {
  const auto uneven_rows = [](Index rows, std::uint64_t seed) {
    RandomStream stream = RandomStreams(seed).stream("outliers");
    return test::uniform_rows(rows, 2, seed, [&stream](const auto& x, double normal) {
      const double noise = (x[1] < 0.5 ? 0.05 : 0.5) * (stream.uniform() < 0.05 ? 12 : 1);
      return 100 + 5 * (std::sin(6 * x[0]) + noise * normal);
    });
  };
  const Dataset rows = uneven_rows(1000, 9), test = uneven_rows(2000, 10);
  Json recipe = shape_recipe();
  recipe["model"] = "ssgpr";
  recipe["features"]["frequencies"] = 20;
  recipe["noise"]["varies"] = true;
  recipe["noise"]["rounds"] = 0;
  const FittedModel model = trained(recipe, rows);
  ASSERT_NE(model.noise_model, nullptr);
  ASSERT_FALSE(model.noise_shape.is_gaussian());
  EXPECT_NEAR(scored(model, test).coverage95, 0.95, 0.02);
  recipe["noise"]["shape"] = "gaussian";
  EXPECT_LT(scored(model, test).nlpd, scored(trained(recipe, rows), test).nlpd - 0.1);
  // Both factors are in every prediction, and in the file.
  const Vector variance = model.predict(test.view()).distribution().variance();
  OneRowWorkspace workspace = model.one_row_workspace();
  Dataset few;
  few.inputs = test.inputs.topRows(20);
  const Matrix covariance = model.covariance(few.view(), false);
  for (const Index i : {0, 7, 19}) {
    EXPECT_NEAR(model.predict_one(test.inputs.row(i).transpose(), workspace).variance, variance[i], 1e-9 * variance[i]);
    EXPECT_NEAR(covariance(i, i), variance[i], 1e-9 * variance[i]);
  }
  EXPECT_EQ(FittedModel::load(model.save()).predict(test.view()).distribution().variance(), variance);
}

TEST(NoiseShape, NeedsNoMoreThanSomeOfManyRows) {
  constexpr Index kRows = 25000;
  RandomStream stream = RandomStreams(12).stream("targets");
  Vector targets(kRows);
  for (double& y : targets) y = std::sqrt(stream.uniform() < 0.1 ? 101.0 : 2.0) * stream.normal();
  const NoiseShape shape = learn_noise_shape({Matrix::Zero(kRows, 1), Matrix::Constant(kRows, 1, 2.0), true},
                                             Matrix::Ones(kRows, 1), targets);
  ASSERT_EQ(shape.shares.size(), 2);
  EXPECT_NEAR(shape.shares[1], 0.1, 0.02);
}

TEST(NoiseShape, OfAConstantOrARepeatedTargetIsFinite) {
  for (const bool constant : {true, false}) {
    Dataset rows = rows_without_outliers(200, 13);
    for (Index i = 0; i < 200; ++i) rows.target[i] = constant ? 3 : double(i % 2);
    if (!constant)
      for (Index i = 0; i < 200; ++i) rows.inputs.row(i) = rows.inputs.row(i % 2);  // two rows, a hundred times
    const FittedModel model = trained(shape_recipe(), rows);
    const Metrics scores = scored(model, rows);
    EXPECT_TRUE(std::isfinite(scores.nlpd) && std::isfinite(scores.crps)) << constant;
    EXPECT_GT(model.predict(rows.view()).distribution().variance().minCoeff(), 0) << constant;
  }
}

TEST(NoiseShape, IsPartOfAutoAndOfNetworks) {
  const auto shape_of = [](const TableSize& size, const std::string& asked) {
    Recipe recipe;
    recipe.model = "auto";
    recipe.noise.shape = asked;
    return auto_recipe(recipe, size, 2).noise.shape;
  };
  for (const Index rows : {50, 2000, 20000}) {
    EXPECT_EQ(shape_of({rows, 8}, "auto"), "mixture");
    EXPECT_EQ(shape_of({rows, 8}, "gaussian"), "gaussian");
    TableSize weighted{rows, 8};
    weighted.weighted = true;
    EXPECT_EQ(shape_of(weighted, "auto"), "gaussian");
    Recipe fixed;
    fixed.model = "auto";
    fixed.noise.trained = false;
    EXPECT_EQ(auto_recipe(fixed, {rows, 8}, 2).noise.shape, "gaussian");
  }
  Json network = {{"model", "deep"},
                  {"network", {{"widths", {16}}, {"epochs", 60}}},
                  {"terms", {{{"model", "ssgpr"}, {"features", {{"frequencies", 16}}}}}}};
  EXPECT_FALSE(trained(network, rows_with_outliers(2000, 11)).noise_shape.is_gaussian());
  network["noise"]["shape"] = "gaussian";
  EXPECT_TRUE(trained(network, rows_with_outliers(2000, 11)).noise_shape.is_gaussian());
}

}  // namespace
}  // namespace alacarte
