// Targets on a transformed scale: y = exp(sin(3 x) + 0.3 e) by every way that predicts them.
#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/model/explanation.hpp"
#include "alacarte/model/update.hpp"
#include "support/trained_model.hpp"
#include "support/uniform_rows.hpp"
#include "train/noise/target_scale.hpp"

namespace alacarte {
namespace {

using test::scored;
using test::trained;
using test::uniform_rows;
using json = nlohmann::json;

constexpr double kNoise = 0.3;

double log_truth(double x) { return std::sin(3 * x); }

Dataset log_normal_rows(Index rows, std::uint64_t seed) {
  return uniform_rows(rows, 1, seed, [](const auto& x, double e) { return std::exp(log_truth(x[0]) + kNoise * e); });
}

/// Returns the mean negative log density of the law that the rows come from.
double truth_nlpd(const Dataset& rows) {
  double sum = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const double u = std::log(rows.target[i]), z = (u - log_truth(rows.inputs(i, 0))) / kNoise;
    sum += 0.5 * z * z + std::log(kNoise * std::sqrt(2 * M_PI)) + u;
  }
  return sum / static_cast<double>(rows.rows());
}

json recipe_with(const std::string& scale, const std::string& model = "exact-ard") {
  return {{"model", model},
          {"scale", {{"target", scale}}},
          {"training", {{"starts", 2}, {"probe_iterations", 5}, {"iterations", 30}}}};
}

TEST(TargetScale, LogOfALogNormalTargetIsNearTheTruth) {
  const Dataset train = log_normal_rows(300, 1), test = log_normal_rows(2000, 2);
  const double truth = truth_nlpd(test);
  for (const char* model : {"exact-ard", "ard"}) {
    const FittedModel fitted = trained(recipe_with("log", model), train);
    const Metrics scores = scored(fitted, test);
    EXPECT_LT(scores.nlpd, truth + 0.03) << model;
    EXPECT_GT(scores.coverage95, 0.93) << model;
    EXPECT_LT(scores.coverage95, 0.97) << model;
    const Prediction prediction = fitted.predict(test.view());
    for (const double probability : {0.5, 0.95, 0.999999})
      EXPECT_GT(fitted.interval(prediction, probability).lower.minCoeff(), 0);
    // The mean is that of the log-normal law, above its median.
    Vector expected(test.rows());
    for (Index i = 0; i < test.rows(); ++i)
      expected[i] = std::exp(log_truth(test.inputs(i, 0)) + 0.5 * kNoise * kNoise);
    EXPECT_LT(((prediction.distribution().mean() - expected).array() / expected.array()).abs().mean(), 0.05);
    ASSERT_TRUE(fitted.training.leave_one_out);
    EXPECT_NEAR(std::get<Metrics>(*fitted.training.leave_one_out).nlpd, truth_nlpd(train), 0.06);
  }
  EXPECT_GT(scored(trained(recipe_with("zscore"), train), test).nlpd, truth + 0.1);
}

TEST(TargetScale, YeoJohnsonTakesZeroAndBelow) {
  Dataset train = log_normal_rows(300, 3), test = log_normal_rows(1000, 4);
  const double truth = truth_nlpd(test);
  const Metrics positive = scored(trained(recipe_with("yeo-johnson"), train), test);
  EXPECT_LT(positive.nlpd, truth + 0.1);
  train.target.array() -= 1;
  test.target.array() -= 1;
  const FittedModel fitted = trained(recipe_with("yeo-johnson"), train);
  const Metrics shifted = scored(fitted, test);
  EXPECT_LT(shifted.nlpd, scored(trained(recipe_with("zscore"), train), test).nlpd - 0.05);
  EXPECT_GT(shifted.coverage95, 0.92);
  EXPECT_GT((test.target.array() < 0).count(), 50);
}

TEST(TargetScale, EveryWayOfPredictingAgrees) {
  const Dataset train = log_normal_rows(120, 5), test = log_normal_rows(20, 6);
  for (const char* scale : {"log", "yeo-johnson"}) {
    const FittedModel fitted = trained(recipe_with(scale), train);
    const FittedModel loaded = FittedModel::load(fitted.save());
    const PredictiveDistribution p = fitted.predict(test.view()).distribution();
    EXPECT_EQ(p.mean(), loaded.predict(test.view()).distribution().mean());
    EXPECT_EQ(p.quantile(0.3), loaded.predict(test.view()).distribution().quantile(0.3));
    EXPECT_EQ(p.log_density(test.target), loaded.predict(test.view()).distribution().log_density(test.target));
    // Means alone are those with variances, and a file of means keeps what they need.
    PredictOptions means;
    means.variance = false;
    EXPECT_EQ(fitted.predict(test.view(), means).distribution().mean(), p.mean());
    EXPECT_EQ(FittedModel::load(fitted.save(true)).predict(test.view(), means).distribution().mean(), p.mean());
    PredictOptions latent;
    latent.latent = true;
    const PredictiveDistribution f = fitted.predict(test.view(), latent).distribution();
    OneRowWorkspace workspace = fitted.one_row_workspace();
    for (Index i = 0; i < 5; ++i) {
      const Vector row = test.inputs.row(i);
      const OneRowPrediction one = fitted.predict_one(row, workspace);
      EXPECT_NEAR(one.mean, p.mean()[i], 1e-9 * p.mean()[i]);
      EXPECT_NEAR(one.variance, p.variance()[i], 1e-8 * p.variance()[i]);
      EXPECT_NEAR(fitted.predict_one(row, workspace, Moment::mean).mean, p.mean()[i], 1e-9 * p.mean()[i]);
      const OneRowPrediction own = fitted.predict_one(row, workspace, Moment::latent_variance);
      EXPECT_NEAR(own.mean, f.mean()[i], 1e-9 * f.mean()[i]);
      EXPECT_NEAR(own.variance, f.variance()[i], 1e-7 * f.variance()[i]);
    }
    constexpr Index kDraws = 4000;
    const Matrix draws = fitted.draws(test.view(), kDraws, 7);
    EXPECT_GT(draws.minCoeff(), 0);
    const Vector error = (f.variance() / static_cast<double>(kDraws)).cwiseSqrt();
    EXPECT_LT(((draws.rowwise().mean() - f.mean()).array() / error.array()).abs().maxCoeff(), 5);
    if (std::string(scale) == "log") {
      const Matrix covariance = fitted.covariance(test.view(), true);
      EXPECT_LT((covariance.diagonal() - f.variance()).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LT((fitted.covariance(test.view(), false).diagonal() - p.variance()).cwiseAbs().maxCoeff(), 1e-9);
      const Matrix centred = draws.colwise() - draws.rowwise().mean();
      const Matrix sampled = centred * centred.transpose() / static_cast<double>(kDraws);
      EXPECT_LT((sampled - covariance).cwiseAbs().maxCoeff(), 0.2 * covariance.diagonal().maxCoeff());
    } else {
      EXPECT_THROW(fitted.covariance(test.view(), true), ConfigError);
    }
    EXPECT_NE(why_no_gradient(fitted).find(scale), std::string::npos);
    const std::vector<ExplainedInput> inputs = explained_inputs(fitted.schema);
    EXPECT_TRUE(std::isfinite(partial_dependence(fitted, test.inputs, inputs.front(), 5, 1).spread));
  }
}

TEST(TargetScale, NoiseOfEveryKindIsThatOfTheTransformedTarget) {
  // Noise of the logarithm that grows with x, and a twentieth of the rows with ten times as much.
  const auto rows = [](Index count, std::uint64_t seed, bool varies) {
    return uniform_rows(count, 1, seed, [&](const auto& x, double e) {
      const bool is_heavy = std::fmod(1e4 * x[0], 1.0) < 0.05;
      const double sd = varies ? 0.05 + 0.6 * x[0] : is_heavy ? 1.0 : 0.1;
      return std::exp(log_truth(x[0]) + sd * e);
    });
  };
  const Dataset uneven = rows(400, 8, true), new_uneven = rows(1500, 9, true);
  json recipe = recipe_with("log");
  const double of_one_size = scored(trained(recipe, uneven), new_uneven).nlpd;
  for (const int rounds : {0, 2}) {
    recipe["noise"] = {{"varies", true}, {"rounds", rounds}};
    const FittedModel fitted = trained(recipe, uneven);
    EXPECT_LT(scored(fitted, new_uneven).nlpd, of_one_size - 0.1) << rounds;
    OneRowWorkspace workspace = fitted.one_row_workspace();
    const PredictiveDistribution p = fitted.predict(new_uneven.view()).distribution();
    EXPECT_NEAR(fitted.predict_one(new_uneven.inputs.row(0), workspace).variance, p.variance()[0],
                1e-8 * p.variance()[0]);
  }
  const Dataset heavy = rows(400, 10, false), new_heavy = rows(1500, 11, false);
  recipe["noise"] = {{"shape", "mixture"}};
  const FittedModel shaped = trained(recipe, heavy);
  EXPECT_LT(scored(shaped, new_heavy).nlpd, scored(trained(recipe_with("log"), heavy), new_heavy).nlpd - 0.1);
  OneRowWorkspace workspace = shaped.one_row_workspace();
  const PredictiveDistribution p = shaped.predict(new_heavy.view()).distribution();
  for (Index i = 0; i < 3; ++i) {
    const OneRowPrediction one = shaped.predict_one(new_heavy.inputs.row(i), workspace);
    EXPECT_NEAR(one.mean, p.mean()[i], 1e-9 * p.mean()[i]);
    EXPECT_NEAR(one.variance, p.variance()[i], 1e-7 * p.variance()[i]);
  }
}

TEST(TargetScale, ConformalIntervalsCoverAndStayPositive) {
  const Dataset train = log_normal_rows(400, 12), test = log_normal_rows(2000, 13);
  json recipe = recipe_with("log");
  recipe["calibration"] = {{"kind", "conformal"}, {"share", 0.4}};
  const FittedModel fitted = trained(recipe, train);
  const Interval bounds = fitted.interval(fitted.predict(test.view()), 0.9);
  const auto inside = (test.target.array() >= bounds.lower.array() && test.target.array() <= bounds.upper.array());
  EXPECT_GT(inside.cast<double>().mean(), 0.84);
  EXPECT_LT(inside.cast<double>().mean(), 0.96);
  EXPECT_GT(bounds.lower.minCoeff(), 0);
}

TEST(TargetScale, AnUpdateLearnsRowsInTheSameUnit) {
  const Dataset train = log_normal_rows(150, 14), more = log_normal_rows(150, 15), test = log_normal_rows(1000, 16);
  const FittedModel first = trained(recipe_with("log"), train);
  ModelUpdate update(first, {});
  update.add(more);
  const FittedModel both = update.finish();
  EXPECT_LT(scored(both, test).nlpd, truth_nlpd(test) + 0.03);
  EXPECT_NEAR(both.training.updates.back().before_learning.metrics.nlpd, scored(first, more).nlpd, 1e-9);
  Dataset negative = more;
  negative.target[3] = -1;
  ModelUpdate refused(first, {});
  EXPECT_THROW(refused.add(negative), DataError);
}

TEST(TargetScale, SeveralTargetsHaveTheirOwnTransforms) {
  Dataset train = log_normal_rows(200, 17);
  train.more_targets = (3 * train.target.array().log()).exp().matrix();  // log-normal with thrice the spread
  const Schema schema = Schema::numbers(1);
  const std::vector<FittedModel> models = fit_targets(parse_registered_recipe(recipe_with("log")), {schema, schema},
                                                      std::make_shared<MemoryRows>(train), {});
  const Dataset test = log_normal_rows(1000, 18);
  EXPECT_LT(scored(models[0], test).nlpd, truth_nlpd(test) + 0.04);
  const Vector cubes = test.target.array().cube();
  const Vector logs = models[1].predict(test.view()).distribution().log_density(cubes);
  // The density of y^3 is that of y over 3 y^2.
  const double expected = truth_nlpd(test) + (3 * test.target.array().square()).log().mean();
  EXPECT_NEAR(-logs.mean(), expected, 0.04);
}

TEST(TargetScale, RefusesWhatHasNoUnit) {
  const auto message = [](const json& recipe, const Dataset& rows) -> std::string {
    try {
      trained(recipe, rows);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  Dataset rows = log_normal_rows(50, 19);
  json recipe = recipe_with("log");
  recipe["noise"] = {{"sd", 0.1}};
  EXPECT_NE(message(recipe, rows).find("/noise/sd"), std::string::npos);
  recipe = recipe_with("log");
  recipe["kernel"] = {{"amplitude", 2}};
  EXPECT_NE(message(recipe, rows).find("/kernel/amplitude"), std::string::npos);
  recipe = recipe_with("log");
  recipe["likelihood"] = "student-t";
  EXPECT_NE(message(recipe, rows).find("/scale/target"), std::string::npos);
  recipe["likelihood"] = "poisson";
  EXPECT_NE(message(recipe, rows).find("/scale/target"), std::string::npos);
  rows.target[7] = -0.25;
  const std::string smallest = message(recipe_with("log"), rows);
  EXPECT_NE(smallest.find("the smallest is -0.25, in row 8"), std::string::npos) << smallest;
  EXPECT_EQ(message(recipe_with("yeo-johnson"), rows), "");
}

TEST(TargetScale, IsChosenByLeftOutRows) {
  const Recipe recipe;
  const auto chosen = [&](const Dataset& rows) {
    constexpr double kNoneHeldOut = std::numeric_limits<double>::infinity();
    return choose_target_scale(recipe, *MemoryRows::view(rows.inputs, rows.target), kNoneHeldOut, {}, {});
  };
  const Dataset symmetric = uniform_rows(300, 1, 21, [](const auto& x, double e) { return 10 + x[0] + 0.1 * e; });
  EXPECT_EQ(chosen(symmetric).scaling, TargetScaling::zscore);
  EXPECT_TRUE(chosen(symmetric).note.empty());
  const Dataset prices = uniform_rows(300, 1, 22, [](const auto& x, double e) { return std::exp(2 * x[0] + 0.5 * e); });
  const TargetScaleChoice taken = chosen(prices);
  EXPECT_EQ(taken.scaling, TargetScaling::log) << taken.note;
  EXPECT_NE(taken.note.find("scale.target is log"), std::string::npos);
  // The exponential of so wide a logarithm has no useful mean far from the rows.
  const Dataset wide = uniform_rows(300, 1, 22, [](const auto& x, double e) { return std::exp(6 * x[0] + 0.5 * e); });
  EXPECT_NE(chosen(wide).note.find("with yeo-johnson"), std::string::npos);
  // A skewed mean with even noise keeps its unit.
  const Dataset even =
      uniform_rows(300, 1, 23, [](const auto& x, double e) { return 3 + std::exp(5 * x[0]) + 0.5 * e; });
  EXPECT_EQ(chosen(even).scaling, TargetScaling::zscore);
  EXPECT_FALSE(chosen(even).note.empty());
}

}  // namespace
}  // namespace alacarte
