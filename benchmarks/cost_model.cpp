// Evaluations beside the operations that src/train/plan/cost_model.hpp estimates for them. The column "flops" is
// estimated operations over measured seconds: where the estimates are right it is the same in every line. Plans need
// no more than the order of magnitude; caches, chunks and small matrices make operations differ in speed by four.
#include "train/plan/cost_model.hpp"

#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "alacarte/core/threads.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "bench/suite.hpp"
#include "train/search/minibatch_step.hpp"

namespace alacarte::bench {
namespace {

using Json = nlohmann::json;

constexpr Index kInputs = 5, kManyInputs = 100;

/// Returns rows whose target is a class, or a number for 0 classes.
Dataset labelled_rows(Index rows, Index inputs, Index classes) {
  Dataset data = generated_rows(rows, inputs, 3);
  if (classes == 0) return data;
  for (double& y : data.target.reshaped()) {
    y = std::clamp(std::floor((0.5 + y / 4) * static_cast<double>(classes)), 0.0, static_cast<double>(classes - 1));
  }
  return data;
}

/// One value and gradient of the evidence of a recipe.
void evaluation(benchmark::State& state, const Json& json, Index rows, Index inputs, Index classes) {
  const BlasThreads one(1);
  const Recipe recipe = parse_registered_recipe(json);
  PreparedRows prepared = prepare_rows(recipe, std::make_shared<MemoryRows>(labelled_rows(rows, inputs, classes)), 1);
  count_classes(recipe, classes, prepared.rows);
  const FitJob job = make_jobs(recipe, prepared.rows.statistics, 1).front();
  const auto inference = make_job_inference(job, prepared.rows, 0.3, 1);
  Vector theta = make_job_starts(job, prepared.rows, inference->parameters(), 0.3).front();
  Vector gradient(theta.size());
  for (auto _ : state) {
    theta[0] += 1e-6;  // no evaluation is remembered
    inference->evaluate(theta, gradient);
  }
  const auto n = static_cast<double>(rows), d = static_cast<double>(inputs);
  state.counters["flops"] =
      benchmark::Counter(evaluation_flops(job, n, d, 1, classes), benchmark::Counter::kIsIterationInvariantRate);
}

/// A step of minibatches, which is a pass over the rows of its batch.
void pass(benchmark::State& state, Index width, Index frequencies, Index rows) {
  const BlasThreads one(1);
  const Json term = {{"model", "ssgpr"}, {"features", {{"frequencies", frequencies}}}};
  const Recipe recipe =
      parse_registered_recipe({{"model", "deep"}, {"terms", {term}}, {"network", {{"widths", {width, width}}}}});
  const Dataset data = labelled_rows(rows, kInputs, 0);
  const PreparedRows prepared = prepare_rows(recipe, std::make_shared<MemoryRows>(data), 1);
  const FitJob job = make_jobs(recipe, prepared.rows.statistics, 1).front();
  const Vector start = job_start(job, prepared.rows.statistics, 0);
  MinibatchSteps steps(*job.prior.map(), {gaussian_likelihood(), 1, 0}, start, 0, rows, 1, false);
  std::vector<Index> places(static_cast<std::size_t>(rows));
  std::iota(places.begin(), places.end(), Index{0});
  for (auto _ : state) steps.step({data.inputs, data.target, places.data(), rows}, 1e-6);
  state.counters["flops"] = benchmark::Counter(pass_flops(recipe, static_cast<double>(rows), kInputs),
                                               benchmark::Counter::kIsIterationInvariantRate);
}

Json spectrum(Index frequencies, const char* form = "primal", const char* likelihood = "gaussian") {
  return {
      {"model", "ssgpr"}, {"features", {{"frequencies", frequencies}}}, {"evidence", form}, {"likelihood", likelihood}};
}

void add(const std::string& name, const Json& recipe, Index rows, Index classes = 0, Index inputs = kInputs) {
  benchmark::RegisterBenchmark((name + "/" + std::to_string(rows)).c_str(), evaluation, recipe, rows, inputs, classes);
}

[[maybe_unused]] const bool registered = [] {
  const Json ard = {{"model", "exact-ard"}};
  for (const Index frequencies : {64, 256}) {
    for (const Index rows : {1000, 6000}) add("primal/" + std::to_string(frequencies), spectrum(frequencies), rows);
  }
  for (const Index rows : {150, 600}) add("dual/500", spectrum(500, "dual"), rows);
  for (const Index rows : {200, 800}) add("exact", ard, rows);
  for (const Index rows : {200, 800}) add("exact/many-inputs", ard, rows, 0, kManyInputs);
  const Json sum = {{"model", "exact-sum"}, {"terms", {ard, {{"model", "exact-matern"}}, {{"model", "exact-rq"}}}}};
  for (const Index rows : {200, 800}) add("sum-of-3", sum, rows);
  for (const Index rows : {200, 800}) add("sum-of-3/many-inputs", sum, rows, 0, kManyInputs);
  for (const Index rows : {500, 4000}) add("bound/3-classes", spectrum(32, "bound", "softmax"), rows, 3);
  add("bound/8-classes", spectrum(32, "bound", "softmax"), 500, 8);
  for (const Index rows : {500, 2000}) add("joint/3-classes", spectrum(32, "primal", "softmax"), rows, 3);
  add("logit", spectrum(64, "primal", "logit"), 3000, 2);
  for (const Index rows : {256, 1024}) {
    benchmark::RegisterBenchmark(("pass/64/" + std::to_string(rows)).c_str(), pass, 64, 32, rows);
  }
  benchmark::RegisterBenchmark("pass/256/256", pass, 256, 128, 256);
  return true;
}();

}  // namespace
}  // namespace alacarte::bench
