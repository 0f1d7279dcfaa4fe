// Training on minibatches: accuracy, error bars, bits, clock, interrupt, repetition.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/data/table.hpp"
#include "alacarte/eval/class_metrics.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/inference/inference.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"
#include "alacarte/train/gradient_checker.hpp"
#include "support/example_recipe.hpp"
#include "train/held_out.hpp"

namespace alacarte {
namespace {

/// A rugged function of a bent coordinate: no stationary kernel has its length-scales everywhere.
Dataset rugged(Index rows, std::uint64_t seed) {
  RandomStream stream(seed);
  Dataset data;
  data.inputs.resize(rows, 3);
  data.target.resize(rows);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < 3; ++j) data.inputs(i, j) = 2 * stream.uniform() - 1;
    const double a = data.inputs(i, 0), b = data.inputs(i, 1);
    data.target[i] = std::sin(9 * std::exp(0.8 * a) * b) + (a * b > 0.2 ? 1 : 0) + 0.1 * stream.normal();
  }
  return data;
}

Recipe deep_recipe(Index epochs) {
  Recipe recipe = example_recipe("deep", 24);
  recipe.network.widths = {48, 24};
  recipe.network.epochs = epochs;
  recipe.network.batch = 64;
  return recipe;
}

FittedModel fitted(const Recipe& recipe, const Dataset& data, FitOptions options = {}) {
  return fit(recipe, Schema(), data, options);
}

double rmse_of(const FittedModel& model, const Dataset& test) {
  const Vector mean = model.predict(test.inputs).distribution().mean();
  return std::sqrt((mean - test.target).squaredNorm() / static_cast<double>(test.rows()));
}

std::vector<Vector> bits(const FittedModel& model, const Dataset& data) {
  std::vector<Vector> all;
  for (const Member& member : model.members) all.push_back(member.theta);
  const PredictiveDistribution prediction = model.predict(data.inputs).distribution();
  all.push_back(prediction.mean());
  all.push_back(prediction.variance());
  return all;
}

TEST(Minibatches, BeatFreeFrequenciesOnARuggedFunctionWithTrueErrorBars) {
  const Dataset data = rugged(4000, 1), test = rugged(2000, 2);
  const FittedModel deep = fitted(deep_recipe(60), data);
  Recipe spectrum = example_recipe("ssgpr", 48);
  spectrum.training.starts = 1;
  spectrum.training.iterations = 60;
  const FittedModel flat = fitted(spectrum, data);
  const double error = rmse_of(deep, test);
  EXPECT_LT(error, 0.8 * rmse_of(flat, test));
  const Metrics scores = score(deep.predict(test.inputs).distribution(), test.target);
  EXPECT_GT(scores.coverage95, 0.92);
  EXPECT_LT(scores.coverage95, 0.98);
  const auto& record = deep.members[0].summary.at("minibatches");
  EXPECT_EQ(record.at("held_out").at("rows"), 400);
  EXPECT_EQ(record.at("stop"), "epochs");
  // The rows held out, each left out of the posterior of all others.
  EXPECT_NEAR(deep.training.at("leave_one_out").at("nlpd"), scores.nlpd, 0.1);
}

TEST(Minibatches, WithoutLayersTrainFreeFrequencies) {
  const Dataset data = rugged(2000, 1), test = rugged(1000, 2);
  Recipe recipe = deep_recipe(40);
  recipe.network.widths.clear();
  const FittedModel model = fitted(recipe, data);
  EXPECT_EQ(model.members[0].map->feature_count(), 48);
  EXPECT_LT(rmse_of(model, test), 0.8 * std::sqrt((test.target.array() - test.target.mean()).square().mean()));
  for (const ParameterSlot& slot : model.members[0].map->parameters().slots())
    EXPECT_EQ(slot.name.find("layer"), std::string::npos) << slot.name;
  // What the frequencies are alone: the gradient of the evidence, by differences.
  const Matrix x = data.inputs.topRows(60);
  const Vector y = data.target.head(60);
  const auto objective = make_inference(model.members[0].map, x, y, InferenceOptions());
  RandomStream stream(7);
  Vector theta(objective->parameters().size());
  theta << model.members[0].map->start(training_statistics(x, y, stream), 0, stream), -1;
  EXPECT_LT(check_gradient(*objective, theta, 24).worst(), 1e-6);
}

TEST(Minibatches, TheSameBitsOnEveryRunAndTheSameFeaturesOnAnyNumberOfThreads) {
  const Dataset data = rugged(900, 3);
  Recipe recipe = deep_recipe(4);
  FitOptions options;
  const FittedModel one = fitted(recipe, data, options);
  EXPECT_EQ(bits(fitted(recipe, data, options), data), bits(one, data));
  options.threads = 2;
  const FittedModel two = fitted(recipe, data, options);
  EXPECT_EQ(bits(fitted(recipe, data, options), data), bits(two, data));
  // Noise and amplitude are sums over threads; the rest is not.
  const Vector difference = (one.members[0].theta - two.members[0].theta).cwiseAbs();
  EXPECT_EQ((difference.array() > 0).count() > 1, false);
  EXPECT_LT(difference.maxCoeff(), 1e-9);
  options.seed = 1;
  EXPECT_GT((fitted(recipe, data, options).members[0].theta - two.members[0].theta).cwiseAbs().maxCoeff(), 0.01);
}

TEST(Minibatches, ObeyTheClockAndRepeatWhatItCutShort) {
  const Dataset data = rugged(2000, 4);
  Recipe recipe = deep_recipe(1000000);
  recipe.training.seconds = 1.5;
  recipe.copies = 2;
  const auto began = std::chrono::steady_clock::now();
  const FittedModel first = fitted(recipe, data);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 20);
  EXPECT_TRUE(first.training.at("cut_short"));
  EXPECT_EQ(first.members.size(), 2u);
  FitOptions options;
  options.repeat = &first.training;
  const FittedModel again = fitted(recipe, data, options);
  EXPECT_EQ(bits(again, data), bits(first, data));
  EXPECT_EQ(again.training.at("work"), first.training.at("work"));
}

TEST(Minibatches, AnInterruptKeepsTheBestSoFar) {
  const Dataset data = rugged(500, 5);
  const std::atomic<bool> interrupt{true};
  FitOptions options;
  options.interrupt = &interrupt;
  const FittedModel model = fitted(deep_recipe(1000000), data, options);
  EXPECT_TRUE(model.training.at("cut_short"));
  EXPECT_EQ(model.members[0].summary.at("stop"), "interrupted");
  EXPECT_TRUE(model.predict(data.inputs).distribution().mean().allFinite());
}

TEST(Minibatches, RefuseWeightsAndParametersHeldByHand) {
  Dataset data = rugged(100, 6);
  const Recipe good = deep_recipe(1);
  const auto refused = [&](Recipe recipe) {
    try {
      fitted(recipe, data);
    } catch (const ConfigError& error) {
      return error.pointer();
    }
    return std::string("none");
  };
  Recipe held = good;
  held.noise.trained = false;
  EXPECT_EQ(refused(held), "/noise/trained");
  held = good;
  held.kernel.trained = false;
  EXPECT_EQ(refused(held), "/kernel/trained");
  held = good;
  held.kernel.lengthscale = {1.0};
  EXPECT_EQ(refused(held), "/kernel/lengthscale");
  data.weights = Vector::Constant(100, 2.0);
  EXPECT_EQ(refused(good), "/data/weights");
}

TEST(Minibatches, LearnClassesAndSayHowSureTheyAre) {
  Dataset data = rugged(3000, 6), test = rugged(2000, 7);
  for (Dataset* rows : {&data, &test})
    rows->target = rows->target.unaryExpr([](double y) { return y < -0.3 ? 0.0 : y < 0.6 ? 1.0 : 2.0; });
  Recipe recipe = deep_recipe(40);
  recipe.likelihood = "softmax";
  recipe = apply_likelihood_defaults(recipe);
  const std::string text = "a,b,c,y\n1,2,3,low\n1,2,3,low\n1,2,3,middle\n1,2,3,top\n";
  const auto reader = open_table_from_memory("t.csv", text, recipe.data);
  Schema::prepare(*reader, recipe.data);
  const Schema schema = Schema::learn(*reader, read_all(*reader), recipe.data, {});
  const auto error = [&](const FittedModel& model) {
    return score_classes(model.predict(test.inputs).classes().values, test.target);
  };
  const FittedModel deep = fit(recipe, schema, data, {});
  Recipe flat = apply_likelihood_defaults(example_recipe("ssgpr", 24));
  flat.likelihood = "softmax";
  flat.training.starts = 1;
  flat.training.iterations = 25;
  const ClassMetrics own = error(deep), other = error(fit(apply_likelihood_defaults(flat), schema, data, {}));
  EXPECT_LT(own.log_loss, 0.9 * other.log_loss);
  EXPECT_LT(own.ece, 0.05);
  const auto& held = deep.members[0].summary.at("minibatches").at("held_out");
  EXPECT_NEAR(-held.at("log_density").get<double>(), own.log_loss, 0.1);
}

TEST(Minibatches, LearnCounts) {
  Dataset data = rugged(3000, 6), test = rugged(2000, 7);
  RandomStream stream(8);
  // Of many chances, each small: a Poisson number.
  for (Dataset* rows : {&data, &test})
    for (double& y : rows->target) {
      const double chance = std::exp(1 + y) / 200;
      y = 0;
      for (int trial = 0; trial < 200; ++trial) y += stream.uniform() < chance ? 1 : 0;
    }
  Recipe recipe = deep_recipe(40);
  recipe.likelihood = "poisson";
  recipe = apply_likelihood_defaults(recipe);
  const FittedModel deep = fitted(recipe, data);
  const double score = deep.predict(test.inputs).counts().log_probability(test.target).mean();
  Recipe linear = example_recipe("linear", 0);
  linear.likelihood = "poisson";
  linear = apply_likelihood_defaults(linear);
  EXPECT_GT(score, fitted(linear, data).predict(test.inputs).counts().log_probability(test.target).mean() + 0.2);
}

TEST(Minibatches, DegenerateDataTrainToSomethingFinite) {
  for (const int kind : {0, 1, 2, 3}) {
    SCOPED_TRACE(kind);
    Dataset data = rugged(kind == 0 ? 2 : 140, 8);
    if (kind == 1) data.target.setConstant(3.5);
    if (kind == 2) data.inputs.setConstant(-7);
    if (kind == 3) data.inputs.bottomRows(139) = data.inputs.topRows(1).replicate(139, 1);
    const FittedModel model = fitted(deep_recipe(5), data);
    const PredictiveDistribution prediction = model.predict(data.inputs).distribution();
    EXPECT_TRUE(prediction.mean().allFinite() && prediction.variance().allFinite());
    if (kind == 1) {
      EXPECT_LT((prediction.mean().array() - 3.5).abs().maxCoeff(), 1e-6);
    }
    EXPECT_EQ(model.members[0].recipe.network.training, kind == 0 ? "evidence" : "minibatches");
  }
}

// Without features bent to the rows, the noise and amplitude of held-out rows are those that made them.
TEST(Minibatches, HeldOutRowsTellNoiseAndAmplitude) {
  const Index n = 6000, d = 5;
  RandomStream stream(7);
  const Matrix x = Eigen::Map<const Matrix>(Vector(stream.normals(n * d)).data(), n, d);
  const auto entry = find_feature_map("linear");
  Recipe recipe;
  recipe.model = "linear";
  const auto map = entry->make(recipe, d, RandomStreams(1), {});
  const auto prepared = map->prepare(Vector::Zero(1));
  std::vector<double> amplitudes, noises;
  for (int draw = 0; draw < 40; ++draw) {
    Matrix psi(n, d);
    prepared->forward(x, psi);
    const Vector y = psi * (2 * stream.normals(d)) + 0.5 * stream.normals(n);
    std::vector<Index> kept, held;
    for (Index i = 0; i < n; ++i) (i % 10 == 0 ? held : kept).push_back(i);
    const HeldOutFit one = fit_held_out(*prepared, d, x, y, kept, held, 1);
    const HeldOutFit other = fit_held_out(*prepared, d, x, y, kept, held, 2);
    EXPECT_NEAR(one.noise_variance, 0.25, 0.06);
    EXPECT_NEAR(one.rmse, 0.5, 0.06);
    EXPECT_NEAR(one.noise_variance, other.noise_variance, 1e-12);
    EXPECT_NEAR(one.log_density, -0.5 * (std::log(kTwoPi * one.noise_variance) + 1), 2e-3);
  }
}

TEST(Minibatches, SettingsThatDoNotFitAreNamed) {
  const auto refusal = [](const char* text) {
    try {
      const Recipe recipe = parse_registered_recipe(nlohmann::json::parse(text));
      make_function(recipe, 2, RandomStreams(1), {});
    } catch (const ConfigError& error) {
      return error.pointer();
    }
    return std::string("none");
  };
  EXPECT_EQ(refusal(R"({"model": "deep", "terms": [{"model": "ssgpr"}]})"), "none");
  EXPECT_EQ(refusal(R"({"model": "deep", "network": {"widths": [4, 0]}, "terms": [{"model": "ssgpr"}]})"),
            "/network/widths/1");
  EXPECT_EQ(refusal(R"({"model": "deep", "network": {"widths": [2.5]}, "terms": [{"model": "ssgpr"}]})"),
            "/network/widths/0");
  EXPECT_EQ(refusal(R"({"model": "deep", "network": {"activation": "relu"}, "terms": [{"model": "ssgpr"}]})"),
            "/network/activation");
  EXPECT_EQ(refusal(R"({"model": "deep", "terms": [{"model": "ard"}]})"), "/terms/0/model");
  EXPECT_EQ(refusal(R"({"model": "deep", "terms": [{"model": "ssgpr"}, {"model": "linear"}]})"), "/terms");
  EXPECT_EQ(refusal(R"({"model": "deep", "features": {"frequencies": 3}, "terms": [{"model": "ssgpr"}]})"),
            "/features/frequencies");
  EXPECT_EQ(refusal(R"({"model": "ard", "network": {"skip": false}})"), "/network/skip");
}

}  // namespace
}  // namespace alacarte
