// Counts of rows with exposures through fit(), predictions, left-out scores and model files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alacarte/io/model_file.hpp"
#include "alacarte/train/fit.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {
namespace {

constexpr Index kRows = 300;

double draw_count(double mean, RandomStream& stream) {
  double count = 0;
  for (double left = mean + std::log(stream.uniform()); left > 0; left += std::log(stream.uniform())) ++count;
  return count;
}

/// Returns counts of rate exp(sin x) and of exposures from 0.05 to 20.
Dataset exposed_rows(std::uint64_t seed = 3) {
  RandomStream stream(seed);
  Dataset data;
  data.inputs.resize(kRows, 1);
  data.target.resize(kRows);
  data.offsets.resize(kRows);
  for (Index i = 0; i < kRows; ++i) {
    data.inputs(i, 0) = 6 * stream.uniform() - 3;
    data.offsets[i] = 3 * (2 * stream.uniform() - 1);
    data.target[i] = draw_count(std::exp(data.offsets[i] + std::sin(data.inputs(i, 0))), stream);
  }
  return data;
}

Recipe quick(const std::string& likelihood = "poisson", const std::string& model = "ard") {
  Recipe recipe;
  recipe.model = model;
  recipe.likelihood = likelihood;
  if (!model.starts_with("exact")) recipe.features.frequencies = 24;
  recipe.training.starts = 1;
  recipe.training.iterations = 30;
  return apply_likelihood_defaults(std::move(recipe));
}

FittedModel train(const Recipe& recipe, Dataset data) {
  const Index inputs = data.inputs.cols();
  return fit(recipe, Schema::numbers(inputs), std::move(data), {});
}

Matrix grid() { return Vector::LinSpaced(50, -2.8, 2.8); }

/// Returns the root mean square error of the log rate on a grid.
double rate_error(const FittedModel& model) {
  PredictOptions options;
  options.latent = true;
  const Vector log_rate = model.predict(grid(), options).distribution().mean();
  return std::sqrt((log_rate.array() - grid().col(0).array().sin()).square().mean());
}

TEST(Exposure, RecoversTheRate) {
  for (const char* model : {"ard", "exact-rbf"}) {
    const FittedModel own = train(quick("poisson", model), exposed_rows());
    EXPECT_LT(rate_error(own), 0.2) << model;
    Dataset ignored = exposed_rows();
    ignored.offsets.resize(0);
    const FittedModel other = train(quick("poisson", model), std::move(ignored));
    EXPECT_GT(rate_error(other), 0.6) << model;
    const auto nlpd = [](const FittedModel& m) {
      return std::get<CountMetrics>(m.training.leave_one_out.value()).nlpd;
    };
    EXPECT_LT(nlpd(own), nlpd(other) - 0.5) << "left-out scores are of counts with their exposures";
  }
}

TEST(Exposure, IsThatOfTheNegativeBinomialToo) {
  EXPECT_LT(rate_error(train(quick("negative-binomial"), exposed_rows())), 0.2);
}

TEST(Exposure, PredictionsAreOfTheCountAndItsExposure) {
  const FittedModel model = train(quick(), exposed_rows());
  const Vector rates = model.predict(grid()).counts().mean();
  PredictOptions options;
  options.offsets = Vector::Constant(50, std::log(7.0));
  const Prediction counts = model.predict(grid(), options);
  EXPECT_LT((counts.counts().mean() - 7 * rates).norm(), 1e-9 * counts.counts().mean().norm());
  const Interval bounds = model.interval(counts, 0.9);
  EXPECT_TRUE((bounds.lower.array() <= 7 * rates.array() && bounds.upper.array() >= 7 * rates.array()).all());
  options.latent = true;
  const Prediction latent = model.predict(grid(), options);
  ASSERT_EQ(latent.kind(), TargetKind::numbers);
  const PredictiveDistribution& log_rate = latent.distribution();
  EXPECT_LT(((log_rate.mean() + 0.5 * log_rate.variance()).array().exp().matrix() - rates).norm(), 1e-9 * rates.norm());
  OneRowWorkspace workspace = model.one_row_workspace();
  const Vector row = grid().row(4);
  const OneRowPrediction& one = model.predict_one(row, workspace, Moment::variance, 7);
  EXPECT_NEAR(one.mean, counts.counts().mean()[4], 1e-9 * one.mean);
  EXPECT_NEAR(one.variance, counts.counts().variance()[4], 1e-8 * one.variance);
  EXPECT_NEAR(model.predict_one(row, workspace).mean, rates[4], 1e-9 * rates[4]);
  EXPECT_THROW(model.predict_one(row, workspace, Moment::variance, 0), std::invalid_argument);
  options.offsets = Vector::Zero(49);
  EXPECT_THROW(model.predict(grid(), options), std::invalid_argument);
}

TEST(Exposure, OfAnotherUnitGivesTheSameCounts) {
  Recipe recipe = quick();
  recipe.training.iterations = 60;
  Dataset days = exposed_rows();
  days.offsets.array() += std::log(365.0);
  const FittedModel years = train(recipe, exposed_rows()), other = train(recipe, std::move(days));
  PredictOptions options;
  const Vector own = years.predict(grid(), options).counts().mean();
  options.offsets = Vector::Constant(50, std::log(365.0));
  const Vector same = other.predict(grid(), options).counts().mean();
  EXPECT_LT((own - same).norm(), 0.05 * own.norm());
}

TEST(Exposure, IsKeptWithRowsHeldOutForCalibration) {
  Recipe recipe = quick();
  recipe.calibration.kind = CalibrationKind::conformal;
  const FittedModel model = train(recipe, exposed_rows());
  const Dataset test = exposed_rows(9);
  PredictOptions options;
  options.offsets = test.offsets;
  const Interval bounds = model.interval(model.predict(test.view(), options), 0.9);
  const double covered = static_cast<double>(
      (test.target.array() >= bounds.lower.array() && test.target.array() <= bounds.upper.array()).count());
  EXPECT_GT(covered / static_cast<double>(kRows), 0.8);
}

TEST(Exposure, TeachesNetworksOnMinibatches) {
  Recipe recipe = example_recipe("deep", 24);
  recipe.likelihood = "poisson";
  recipe = apply_likelihood_defaults(std::move(recipe));
  recipe.network.widths = {24, 12};
  recipe.network.epochs = 60;
  recipe.network.batch = 32;
  const FittedModel model = train(recipe, exposed_rows());
  EXPECT_TRUE(model.members.front().summary.minibatches.has_value());
  EXPECT_LT(rate_error(model), 0.35);
}

TEST(Exposure, IsThatOfSavedModels) {
  const FittedModel model = train(quick(), exposed_rows());
  const FittedModel loaded = FittedModel::load(model.save());
  PredictOptions options;
  options.offsets = Vector::Constant(50, 1.5);
  EXPECT_EQ(model.predict(grid(), options).counts().mean(), loaded.predict(grid(), options).counts().mean());
}

TEST(Exposure, IsOfCountsAlone) {
  Recipe recipe;
  recipe.data.exposure = "e";
  EXPECT_THROW(apply_likelihood_defaults(recipe), ConfigError);
  recipe.likelihood = "softmax";
  EXPECT_THROW(apply_likelihood_defaults(recipe), ConfigError);
  recipe.likelihood = "negative-binomial";
  EXPECT_EQ(apply_likelihood_defaults(recipe).data.exposure, "e");
  EXPECT_THROW(train(quick("gaussian"), exposed_rows()), ConfigError);
}

}  // namespace
}  // namespace alacarte
