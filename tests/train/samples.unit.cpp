// training.samples: hyperparameters from their posterior, by Hamiltonian Monte Carlo.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "io/documents.hpp"
#include "optimise/hyperparameter_samples.hpp"
#include "support/trained_model.hpp"
#include "support/uniform_rows.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

/// -log of a normal density; the last of three entries is fixed. There is no density above `wall` in the first entry.
class NormalDensity : public Objective {
 public:
  explicit NormalDensity(double wall = std::numeric_limits<double>::infinity()) : wall_(wall) {
    layout_.add({.name = "a", .size = 2});
    layout_.add({.name = "held", .trainable = false});
    precision_ << 4, 3, 3, 25;
  }
  const ParameterLayout& parameters() const override { return layout_; }
  double evaluate(ConstVec theta, VecRef gradient) override {
    if (theta[0] > wall_) throw NumericalError("density", "beyond the wall");
    held = held && theta[2] == 7;
    const Vector x = theta.head(2) - mean;
    gradient << precision_ * x, 0;
    return 0.5 * x.dot(precision_ * x);
  }
  double jitter() const override { return 0; }
  double noise_sd(ConstVec) const override { return 0; }
  EvaluationPlan plan() const override { return {}; }
  Matrix covariance() const { return precision_.inverse(); }

  const Vector mean = (Vector(2) << 1, -2).finished();
  const Vector mode = (Vector(3) << 1, -2, 7).finished();
  bool held = true;  // true so far

 private:
  double wall_;
  ParameterLayout layout_;
  Eigen::Matrix2d precision_;
};

HyperparameterSamples sampled(NormalDensity& density, Index count, std::uint64_t seed) {
  RandomStream stream(seed);
  return sample_hyperparameters(density, density.mode, count, stream, [](Index, double) { return true; });
}

TEST(HyperparameterSamples, HaveTheMomentsOfTheDensity) {
  NormalDensity density;
  const Index count = 4000;
  const HyperparameterSamples chain = sampled(density, count, 3);
  ASSERT_EQ(static_cast<Index>(chain.samples.size()), count);
  EXPECT_TRUE(density.held);
  EXPECT_GT(chain.acceptance, 0.6);
  EXPECT_EQ(chain.evaluations + count, sampling_evaluations(2, count));
  Matrix draws(count, 2);
  for (Index k = 0; k < count; ++k) {
    const HyperparameterSample& one = chain.samples[static_cast<std::size_t>(k)];
    draws.row(k) = one.theta.head(2).transpose();
    EXPECT_EQ(one.log_evidence, -one.objective);  // no priors
  }
  const Vector mean = draws.colwise().mean().transpose();
  const Matrix centred = draws.rowwise() - mean.transpose(), covariance = centred.transpose() * centred / count;
  for (Index j = 0; j < 2; ++j) {
    const double sd = std::sqrt(density.covariance()(j, j));
    EXPECT_NEAR(mean[j], density.mean[j], 0.1 * sd) << j;
    EXPECT_NEAR(covariance(j, j), sd * sd, 0.15 * sd * sd) << j;
  }
  EXPECT_NEAR(covariance(0, 1) / density.covariance()(0, 1), 1, 0.4);
}

TEST(HyperparameterSamples, OfOneSeedAreTheSameBits) {
  NormalDensity density;
  const auto first = sampled(density, 20, 5), same = sampled(density, 20, 5), other = sampled(density, 20, 6);
  EXPECT_EQ(first.samples.back().theta, same.samples.back().theta);
  EXPECT_NE(first.samples.back().theta, other.samples.back().theta);
}

TEST(HyperparameterSamples, StayWhereTheDensityCanBeEvaluated) {
  NormalDensity density(1.2);
  const HyperparameterSamples chain = sampled(density, 500, 4);
  double largest = -1;
  for (const HyperparameterSample& one : chain.samples) {
    EXPECT_LE(one.theta[0], 1.2);
    largest = std::max(largest, one.theta[0]);
  }
  EXPECT_GT(largest, 1.1);
  NormalDensity nowhere(0.5);
  EXPECT_THROW(sampled(nowhere, 5, 4), NumericalError);
}

TEST(HyperparameterSamples, EndWhereTheyAreToldTo) {
  NormalDensity density;
  RandomStream stream(1);
  Index most = 0;
  const auto some = sample_hyperparameters(density, density.mode, 100, stream, [&](Index evaluations, double) {
    most = evaluations;
    return evaluations < 150;
  });
  EXPECT_GT(some.samples.size(), 5U);
  EXPECT_LT(some.samples.size(), 30U);
  EXPECT_EQ(some.evaluations, most);
  const auto none = sample_hyperparameters(density, density.mode, 100, stream, [](Index, double) { return false; });
  EXPECT_TRUE(none.samples.empty());
}

Dataset few_rows(Index rows, std::uint64_t seed) {
  return test::uniform_rows(rows, 3, seed,
                            [](const auto& x, double normal) { return std::sin(5 * x[0]) + x[1] + 0.3 * normal; });
}

Json recipe_of(const std::string& model, Index samples, const Json& more = Json::object()) {
  Json recipe = {{"model", model}, {"training", {{"starts", 1}, {"iterations", 40}, {"samples", samples}}}};
  recipe.update(more);
  return recipe;
}

TEST(Samples, AreAMixtureThatIsKeptInTheModelFile) {
  const Dataset rows = few_rows(40, 1), at = few_rows(30, 2);
  const FittedModel model = test::trained(recipe_of("exact-ard", 8), rows),
                    one = test::trained(recipe_of("exact-ard", 0), rows);
  ASSERT_EQ(model.members.size(), 8U);
  EXPECT_EQ(to_json(model.training)["fits"], 1);
  EXPECT_EQ(to_json(model.members[0].summary)["samples"]["count"], 8);
  EXPECT_EQ(to_json(model.members[0].summary)["log_evidence"], to_json(one.members[0].summary)["log_evidence"]);
  EXPECT_FALSE(is_further_sample(model.members[0]));
  for (std::size_t k = 1; k < 8; ++k) EXPECT_TRUE(is_further_sample(model.members[k])) << k;
  EXPECT_NE(model.members[1].theta, model.members[7].theta);
  EXPECT_EQ(model.component_weights(), Vector::Ones(8));
  const auto predicted = model.predict(at.view()).distribution();
  EXPECT_EQ(predicted.component_count(), 8);
  EXPECT_EQ(predicted.mean(), test::trained(recipe_of("exact-ard", 8), rows).predict(at.view()).distribution().mean());
  const FittedModel loaded = FittedModel::load(model.save());
  EXPECT_EQ(loaded.predict(at.view()).distribution().variance(), predicted.variance());
  EXPECT_TRUE(is_further_sample(loaded.members[3]));
}

TEST(Samples, AreNotDrawnWhereNothingIsTrained) {
  const Json held = {{"kernel", {{"lengthscale", {2.0}}, {"trained", false}}},
                     {"noise", {{"sd", 0.3}, {"trained", false}}}};
  EXPECT_EQ(test::trained(recipe_of("exact-linear", 5, held), few_rows(40, 8)).members.size(), 1U);
}

TEST(Samples, OfAFitShareItsWeightInAMixture) {
  Json recipe = {{"model", "mixture"},
                 {"weights", "leave-one-out"},
                 {"members", {recipe_of("exact-ard", 6), recipe_of("exact-rbf", 0)}}};
  const FittedModel model = test::trained(recipe, few_rows(60, 3));
  ASSERT_EQ(model.members.size(), 7U);
  const Vector weights = model.component_weights();
  EXPECT_NEAR(weights.sum(), 7, 1e-12);
  for (Index k = 1; k < 6; ++k) EXPECT_EQ(weights[k], weights[0]);
  EXPECT_GT(weights[6], 0.5);
  EXPECT_GT(weights.head(6).sum(), 0.5);
}

/// Returns the mean score of new rows over tables of 25 rows.
double mean_nlpd(Index samples) {
  double sum = 0;
  constexpr int kTables = 12;
  for (std::uint64_t seed = 0; seed < kTables; ++seed) {
    const FittedModel model = test::trained(recipe_of("exact-ard", samples), few_rows(25, 10 + seed));
    sum += test::scored(model, few_rows(400, 50 + seed)).nlpd / kTables;
  }
  return sum;
}

TEST(Samples, PredictBetterThanTheModeOnFewRows) {
  const double of_mode = mean_nlpd(0);
  for (const Index samples : {20, 40}) EXPECT_LT(mean_nlpd(samples), of_mode - 0.05) << samples << ' ' << of_mode;
}

TEST(Samples, AreRefusedWhereThereIsNoPosterior) {
  const auto refusal = [](const Json& recipe) {
    try {
      test::trained(recipe, few_rows(150, 5));
    } catch (const ConfigError& error) {
      return error.pointer();
    }
    return std::string("none");
  };
  EXPECT_EQ(refusal(recipe_of("exact-ard", 5, {{"priors", false}})), "/training/samples");
  EXPECT_EQ(refusal({{"model", "deep"}, {"terms", {{{"model", "ssgpr"}}}}, {"training", {{"samples", 5}}}}),
            "/training/samples");
  EXPECT_EQ(refusal({{"model", "mixture"}, {"members", {recipe_of("exact-ard", 5, {{"priors", false}})}}}),
            "/members/0/training/samples");
}

/// Requests a stop once a stage has reported.
class StopsAt : public TrainingObserver {
 public:
  StopsAt(std::string stage, int reports) : stage_(std::move(stage)), left_(reports) {}
  void on_progress(const Progress& progress) override {
    if (progress.stage == stage_ && --left_ <= 0) flag = true;
  }
  void on_message(const std::string& text) override { messages += text + '\n'; }
  std::atomic<bool> flag = false;
  std::string messages;

 private:
  std::string stage_;
  int left_;
};

TEST(Samples, ThatAreInterruptedPredictIfThereAreEnoughAndAreRepeated) {
  const Dataset rows = few_rows(40, 6), at = few_rows(20, 7);
  const Index differences = 5;  // three length-scales, amplitude and noise
  for (const auto& [reports, kept] : std::vector<std::pair<int, bool>>{{3, false}, {18, false}, {32, true}}) {
    SCOPED_TRACE(reports);
    StopsAt observer("samples", reports);
    FitOptions options;
    options.observer = &observer;
    options.interrupt = &observer.flag;
    const FittedModel cut = test::trained(recipe_of("exact-ard", 20), rows, options);
    EXPECT_EQ(cut.members.size(), kept ? static_cast<std::size_t>(reports - 1 - differences - 10) : 1U);
    EXPECT_EQ(observer.messages.find("their mode predicts") == std::string::npos, kept) << observer.messages;
    EXPECT_TRUE(to_json(cut.training)["cut_short"].get<bool>());
    FitOptions again;
    again.repeat = &cut.training;
    EXPECT_EQ(test::trained(recipe_of("exact-ard", 20), rows, again).predict(at.view()).distribution().variance(),
              cut.predict(at.view()).distribution().variance());
  }
}

}  // namespace
}  // namespace alacarte
