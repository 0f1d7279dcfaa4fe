// Estimates of operations against measured times: ratios between settings, and the directions in which they grow.
#include "train/plan/cost_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "alacarte/core/threads.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "support/uniform_rows.hpp"
#include "train/search/minibatch_step.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

constexpr Index kInputs = 5;
// Caches, chunks and small matrices make operations differ in speed; plans need no more than the order of magnitude.
constexpr double kFactor = 4;

/// Returns the seconds of the shortest of several runs, each of several calls if one is too short for the clock.
template <class Call>
double shortest_seconds(const Call& call) {
  constexpr int kRuns = 7;
  constexpr double kMinSeconds = 2e-3;
  using Clock = std::chrono::steady_clock;
  const auto seconds_of = [&](int calls) {
    const auto began = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    return std::chrono::duration<double>(Clock::now() - began).count() / calls;
  };
  const int calls = static_cast<int>(std::clamp(std::ceil(kMinSeconds / seconds_of(1)), 1.0, 1e4));
  double shortest = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) shortest = std::min(shortest, seconds_of(calls));
  return shortest;
}

struct Cost {
  double seconds, flops;
};

/// Measures and estimates one evaluation of a model of so many rows; classes: 0 for regression.
Cost evaluation_cost(const Json& json, Index rows, Index classes = 0) {
  const Recipe recipe = parse_registered_recipe(json);
  const auto data = test::uniform_rows(rows, kInputs, 3, [&](const auto& x, double normal) {
    const double f = std::sin(5 * x[0]) + x[1] + 0.3 * normal;
    if (classes == 0) return f;
    return std::clamp(std::floor((0.2 + f / 2) * static_cast<double>(classes)), 0.0, static_cast<double>(classes - 1));
  });
  PreparedRows prepared = prepare_rows(recipe, std::make_shared<MemoryRows>(data), 1);
  count_classes(recipe, classes, prepared.rows);
  const FitJob job = make_jobs(recipe, prepared.rows.statistics, 1).front();
  const auto inference = make_job_inference(job, prepared.rows, 0.3, 1);
  Vector theta = make_job_starts(job, prepared.rows, inference->parameters(), 0.3).front();
  Vector gradient(theta.size());
  const double seconds = shortest_seconds([&] {
    theta[0] += 1e-6;  // no evaluation is remembered
    inference->evaluate(theta, gradient);
  });
  return {seconds, evaluation_flops(job, static_cast<double>(rows), kInputs, 1, classes)};
}

/// Expects the larger setting to take as many times as long as the estimates say, within kFactor.
void expect_ratio(const std::string& what, const Cost& small, const Cost& large) {
  const double measured = large.seconds / small.seconds, estimated = large.flops / small.flops;
  EXPECT_GT(estimated, 1) << what;
  EXPECT_LT(measured, kFactor * estimated) << what;
  EXPECT_GT(measured, estimated / kFactor) << what;
}

Json spectrum(Index frequencies, const char* form = "primal") {
  return {{"model", "ssgpr"}, {"features", {{"frequencies", frequencies}}}, {"evidence", form}};
}

class CostModel : public testing::Test {
 protected:
  void SetUp() override {
#ifdef ALACARTE_SANITIZED
    GTEST_SKIP() << "sanitizers slow our loops down, and not those of the BLAS";
#endif
  }

 private:
  const BlasThreads one_{1};
};

TEST_F(CostModel, PredictsRatiosOfGaussianEvaluations) {
  const Cost few = evaluation_cost(spectrum(64), 1000);
  expect_ratio("rows", few, evaluation_cost(spectrum(64), 6000));
  expect_ratio("features", few, evaluation_cost(spectrum(256), 1000));
  const Cost dual = evaluation_cost(spectrum(500, "dual"), 150);
  expect_ratio("rows of the dual", dual, evaluation_cost(spectrum(500, "dual"), 600));
  expect_ratio("primal after dual", dual, evaluation_cost(spectrum(256), 3000));
}

TEST_F(CostModel, PredictsRatiosOfExactEvaluations) {
  const Cost few = evaluation_cost({{"model", "exact-ard"}}, 200);
  expect_ratio("rows", few, evaluation_cost({{"model", "exact-ard"}}, 800));
  const Json terms = {{{"model", "exact-ard"}}, {{"model", "exact-ard"}}, {{"model", "exact-ard"}}};
  expect_ratio("terms", few, evaluation_cost({{"model", "exact-sum"}, {"terms", terms}}, 200));
  expect_ratio("features", evaluation_cost(spectrum(16), 800), evaluation_cost({{"model", "exact-ard"}}, 800));
}

TEST_F(CostModel, PredictsRatiosOfLaplaceEvaluations) {
  Json joint = spectrum(32), blocks = spectrum(32, "bound");
  joint["likelihood"] = blocks["likelihood"] = "softmax";
  const Cost few = evaluation_cost(blocks, 500, 3);
  expect_ratio("rows", few, evaluation_cost(blocks, 4000, 3));
  expect_ratio("classes", few, evaluation_cost(blocks, 500, 8));
  expect_ratio("joint curvature", evaluation_cost(joint, 500, 3), evaluation_cost(joint, 2000, 4));
  Json logit = spectrum(64);
  logit["likelihood"] = "logit";
  expect_ratio("logit after gaussian", evaluation_cost(spectrum(64), 1000), evaluation_cost(logit, 3000, 2));
}

/// Measures and estimates a step of minibatches, a pass over the rows of its batch.
Cost pass_cost(Index width, Index frequencies, Index rows) {
  const Json term = {{"model", "ssgpr"}, {"features", {{"frequencies", frequencies}}}};
  const Recipe recipe =
      parse_registered_recipe({{"model", "deep"}, {"terms", {term}}, {"network", {{"widths", {width, width}}}}});
  const auto data = test::uniform_rows(rows, kInputs, 3,
                                       [](const auto& x, double normal) { return std::sin(5 * x[0]) + 0.3 * normal; });
  const PreparedRows prepared = prepare_rows(recipe, std::make_shared<MemoryRows>(data), 1);
  const FitJob job = make_jobs(recipe, prepared.rows.statistics, 1).front();
  const Vector start = job_start(job, prepared.rows.statistics, 0);
  MinibatchSteps steps(*job.prior.map(), {gaussian_likelihood(), 1, 0}, start, 0, rows, 1, false);
  std::vector<Index> places(static_cast<std::size_t>(rows));
  std::iota(places.begin(), places.end(), Index{0});
  const double seconds = shortest_seconds([&] { steps.step({data.inputs, data.target, places.data(), rows}, 1e-6); });
  return {seconds, pass_flops(recipe, static_cast<double>(rows), kInputs)};
}

TEST_F(CostModel, PredictsRatiosOfPassesOfMinibatches) {
  const Cost narrow = pass_cost(64, 32, 256);
  expect_ratio("rows", narrow, pass_cost(64, 32, 1024));
  expect_ratio("widths", narrow, pass_cost(256, 128, 256));
}

TEST(CostModelGrowth, FollowsEverySize) {
  const Recipe exact = parse_registered_recipe({{"model", "exact-ard"}, {"training", {{"iterations", 20}}}});
  Recipe sampled = exact, longer = exact;
  sampled.training.samples = 10;
  ++longer.training.iterations;
  double n = 50;
  for (; n < 1e6; n *= 2) {
    EXPECT_LE(default_flops(n), default_flops(2 * n));
    for (double size = 4; size < 1000; size *= 2) {
      EXPECT_LT(feature_flops(n, size), feature_flops(2 * n, size));
      EXPECT_LT(feature_flops(n, size), feature_flops(n, 2 * size));
      EXPECT_LT(exact_flops(exact, n, size), exact_flops(exact, n, 2 * size));
      EXPECT_LT(subsample_flops(n, size), subsample_flops(2 * n, size));
      EXPECT_LT(exact_fit_flops(exact, n, size), exact_fit_flops(exact, 2 * n, size));
      EXPECT_LT(exact_fit_flops(exact, n, size), exact_fit_flops(longer, n, size));
      EXPECT_LT(exact_fit_flops(exact, n, size), exact_fit_flops(sampled, n, size));
      EXPECT_LT(spectra_flops(n, size, 16, 0), spectra_flops(n, size, 32, 0));
    }
  }
  for (const Index rows : {100, 299, 300, 999, 1000, 5000}) {
    EXPECT_LT(left_out_noise_flops(rows, 5), left_out_noise_flops(rows, 6));
    EXPECT_LE(left_out_noise_rows(rows, 5, 1e9), left_out_noise_rows(rows, 5, 2e9));
  }
  EXPECT_DOUBLE_EQ(nominal_seconds(nominal_flops(3, 2), 2), 3);
  EXPECT_DOUBLE_EQ(nominal_seconds(nominal_flops(3, 2), 1), 6);
}

}  // namespace
}  // namespace alacarte
