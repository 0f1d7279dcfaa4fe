// One evidence and gradient: against its BLAS lower bound, over threads, in growing shapes, and its memory;
// an exact process's evidence and gradient; and fits.
#include <fmt/format.h>
#include <cmath>
#include <memory>

#include "alacarte/core/random.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/data/row_source.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/train/fit.hpp"
#include "bench/dense_opponents.hpp"
#include "bench/machine.hpp"
#include "bench/suite.hpp"
#include "inference/inference.hpp"
#include "linalg/dense.hpp"

namespace alacarte::bench {
namespace {

struct Shape {
  const char* model;
  Index rows, inputs, features;
  std::string name(const std::string& what) const {
    return fmt::format("{} {} n={} d={} D={}", what, model, rows, inputs, features);
  }
  nlohmann::json json() const { return {{"model", model}, {"n", rows}, {"d", inputs}, {"D", features}}; }
};

/// Returns a map of this many features: ard has two per frequency, gm four per frequency and component (two here).
std::shared_ptr<const FeatureMap> map_of(const Shape& shape) {
  Recipe recipe;
  recipe.features.components = 2;
  recipe.features.frequencies = shape.features / (std::string(shape.model) == "gm" ? 8 : 2);
  return find_feature_map(shape.model)->make(recipe, shape.inputs, RandomStreams(1), {});
}

/// Rows, and objectives on them at a starting point.
class Problem {
 public:
  /// copies: number of rows with equal inputs.
  explicit Problem(const Shape& shape, Index copies = 1) : map_(map_of(shape)) {
    const Dataset rows = generated_rows(shape.rows / copies, shape.inputs, 3);
    RandomStream stream(4);
    x_ = rows.inputs.replicate(copies, 1);
    y_ = rows.target.replicate(copies, 1);
    if (copies > 1)
      for (double& y : y_) y += 0.1 * stream.normal();
    const TrainingStatistics statistics = training_statistics(x_, y_, stream);
    theta_.resize(map_->parameters().size() + 1);
    theta_ << map_->start(statistics, 0, stream), std::log(0.1);
    gradient_.resize(theta_.size());
  }

  std::shared_ptr<Objective> objective(int threads, Precision precision = Precision::float64, bool merges = true) {
    InferenceOptions options;
    options.merges_equal_rows = merges;
    options.form = EvidenceForm::primal;
    options.threads = threads;
    options.precision = precision;
    options.noise.floor = 0;
    return make_inference(map_, x_, y_, options);
  }
  std::function<void()> evaluation(std::shared_ptr<Objective> objective) {
    return [this, objective] { objective->evaluate(theta_, gradient_); };
  }
  /// Evaluates a trial that a line search rejects as late as possible: once its value is known.
  std::function<void()> rejected(std::shared_ptr<Objective> objective) {
    const double ceiling = objective->evaluate(theta_, gradient_) - 1;
    return [this, objective, ceiling] { objective->evaluate_below(ceiling, theta_, gradient_); };
  }
  /// Returns the largest error of a gradient entry, relative to the largest entry, at this noise variance.
  double gradient_error(double noise_variance) {
    Vector theta = theta_, exact(theta_.size()), mixed(theta_.size());
    theta[theta.size() - 1] = 0.5 * std::log(noise_variance);
    objective(1)->evaluate(theta, exact);
    objective(1, Precision::mixed)->evaluate(theta, mixed);
    return (mixed - exact).cwiseAbs().maxCoeff() / exact.cwiseAbs().maxCoeff();
  }

 private:
  std::shared_ptr<const FeatureMap> map_;
  Matrix x_;
  Vector y_, theta_, gradient_;
};

/// Measures the gradient of mixed precision in its hardest cases: noise standard deviations 1e-3 and 1e-2.
void measure_precision(Suite& suite, const Shape& shape) {
  const std::string name = shape.name("precision");
  if (!suite.wants(name)) return;
  Problem problem(shape);
  for (const double variance : {1e-4, 1e-6}) {
    const double error = problem.gradient_error(variance);
    nlohmann::json fields = shape.json();
    fields.update({{"name", name}, {"noise_variance", variance}, {"gradient_error", error}});
    suite.record("precision", std::move(fields),
                 fmt::format("{}: mixed gradient wrong by {:.1e} at noise variance {}", name, error, variance));
  }
}

void race_floor(Suite& suite, const Shape& shape) {
  const std::string name = shape.name("evaluation");
  if (!suite.wants(name)) return;
  Problem problem(shape);
  Race race{name, shape.json(), 1, "evaluation"};
  const auto add = [&](int threads) {
    const std::string suffix = fmt::format(" {}t", threads);
    race.contestants.push_back({"evaluation" + suffix, problem.evaluation(problem.objective(threads))});
    race.contestants.push_back({"floor" + suffix, blas_floor(shape.rows, shape.features, threads)});
    race.ratios.emplace_back("evaluation" + suffix, "floor" + suffix);
  };
  add(1);
  race.contestants.push_back({"mixed 1t", problem.evaluation(problem.objective(1, Precision::mixed))});
  race.contestants.push_back({"rejected 1t", problem.rejected(problem.objective(1))});
  race.ratios.emplace_back("evaluation 1t", "mixed 1t");
  race.ratios.emplace_back("evaluation 1t", "rejected 1t");
  if (const int threads = suite.settings().threads; threads > 1) {
    add(threads);
    race.ratios.emplace_back("evaluation 1t", fmt::format("evaluation {}t", threads));
    race.ratios.emplace_back("floor 1t", fmt::format("floor {}t", threads));
  }
  suite.run(race);
}

/// Times rows that occur three times with different targets, merged and one by one.
void race_equal_rows(Suite& suite, const Shape& shape) {
  const std::string name = shape.name("equal rows");
  if (!suite.wants(name)) return;
  Problem problem(shape, 3);
  Race race{name, shape.json(), 1, "evaluation"};
  race.contestants = {{"each row", problem.evaluation(problem.objective(1, Precision::float64, false))},
                      {"merged", problem.evaluation(problem.objective(1))}};
  race.ratios = {{"each row", "merged"}};
  suite.run(race);
}

/// Times shapes that differ in one number, interleaved.
void race_growth(Suite& suite, const std::string& variable, const std::vector<Index>& values, Shape shape,
                 Index Shape::*field) {
  Race race{"scaling in " + variable, shape.json(), 1, "evaluation"};
  if (!suite.wants(race.name)) return;
  std::vector<std::unique_ptr<Problem>> problems;
  for (const Index value : values) {
    shape.*field = value;
    problems.push_back(std::make_unique<Problem>(shape));
    race.contestants.push_back({fmt::format("{}={}", variable, value),
                                problems.back()->evaluation(problems.back()->objective(suite.settings().threads))});
  }
  suite.grow(std::move(race), variable, values, &Times::median);
}

/// Measures the peak memory of an evaluation beyond its rows.
void measure_memory(Suite& suite, const Shape& shape) {
  const std::string name = shape.name("memory");
  if (!suite.wants(name)) return;
  Problem problem(shape);
  const PeakMemory peak;
  problem.evaluation(problem.objective(suite.settings().threads))();
  const auto bytes = peak.extra();
  if (!bytes) return suite.skip(name, "the system does not tell the peak of a process");
  nlohmann::json fields = shape.json();
  fields.update({{"name", name}, {"bytes", *bytes}, {"rows_bytes", 8.0 * shape.rows * (shape.inputs + 1)}});
  suite.record("memory", std::move(fields), fmt::format("{}: {:.1f} MiB beyond the rows", name, *bytes / 1048576));
}

/// Times one value and gradient of the ARD process against its lower bound: potrf and potri of a matrix of that size.
void race_exact(Suite& suite, Index rows, Index inputs) {
  const std::string name = fmt::format("exact evidence n={} d={}", rows, inputs);
  if (!suite.wants(name)) return;
  const Dataset data = generated_rows(rows, inputs, 5);
  const std::shared_ptr<const Kernel> kernel = find_kernel("exact-ard")->make({}, inputs);
  RandomStream stream(6);
  Vector theta(kernel->parameters().size() + 1);
  theta << kernel->start(training_statistics(data.inputs, data.target, stream), 0, stream), std::log(0.1);
  Vector gradient(theta.size());
  InferenceOptions options;
  options.threads = suite.settings().threads;
  const std::shared_ptr<Objective> objective = make_inference(kernel, data.inputs, data.target, options);
  Matrix gram(rows, rows), work(rows, rows);
  kernel->gram(theta.head(kernel->parameters().size()), data.inputs, data.inputs, gram);
  gram.diagonal().array() += 0.01;
  suite.run({name,
             {{"model", "exact-ard"}, {"n", rows}, {"d", inputs}, {"threads", options.threads}},
             1,
             "evaluation",
             {{"evaluation", [&] { objective->evaluate(theta, gradient); }},
              {"floor",
               [&] {
                 const BlasThreads many(options.threads);
                 work = gram;
                 safe_cholesky(work, "BLAS floor");
                 invert_from_cholesky(work);
               }}},
             {{"evaluation", "floor"}}});
}

struct FitCase {
  const char* model;
  Index rows, inputs, frequencies, evaluations;
};

Recipe recipe_of(const FitCase& c) {
  Recipe recipe;
  recipe.model = c.model;
  if (find_feature_map(c.model) != nullptr) recipe.features.frequencies = c.frequencies;
  recipe.noise.prior_center = PriorCenter::fixed;
  recipe.training.starts = 1;
  recipe.training.probe_iterations = 0;
  recipe.training.iterations = recipe.training.evaluations = c.evaluations;
  recipe.training.gradient_tolerance = recipe.training.objective_tolerance = 0;
  return recipe;
}

/// Measures a fit with a fixed number of evaluations: seconds, peak memory beyond the rows, test scores.
void measure_fit(Suite& suite, const FitCase& c) {
  const std::string name = fmt::format("fit {} n={} d={} m={}", c.model, c.rows, c.inputs, c.frequencies);
  if (!suite.wants(name)) return;
  Dataset training = generated_rows(c.rows, c.inputs, 7);
  const Dataset test = generated_rows(2000, c.inputs, 8);
  FitOptions options;
  options.threads = suite.settings().threads;
  options.interrupt = suite.settings().interrupt;
  const PeakMemory peak;
  const FittedModel model = fit(recipe_of(c), generated_schema(c.inputs), std::move(training), options);
  const auto bytes = peak.extra();
  if (suite.settings().race.between) suite.settings().race.between();
  const Metrics metrics = score(model.predict(test.inputs, {false, true, options.threads}).distribution(), test.target);
  const double seconds = model.training.seconds.value_or(0);
  const Index evaluations = model.training.evaluations.value_or(0);
  nlohmann::json fields = {{"name", name},
                           {"model", c.model},
                           {"n", c.rows},
                           {"d", c.inputs},
                           {"frequencies", c.frequencies},
                           {"seconds", seconds},
                           {"evaluations", evaluations},
                           {"rmse", metrics.rmse},
                           {"nlpd", metrics.nlpd},
                           {"threads", options.threads}};
  if (bytes) fields["bytes"] = *bytes;
  suite.record("fits", std::move(fields),
               fmt::format("{}: {:.2f} s, {} evaluations, {:.1f} MiB beyond the rows, RMSE {:.4f}", name, seconds,
                           evaluations, bytes.value_or(NAN) / 1048576, metrics.rmse));
}

}  // namespace

// Runs the suite on the shapes of parkinsons, pol, 3droad and houseelectric in Table 1.
void run_evaluation(Suite& suite) {
  const Index shrink = suite.quick() ? 1 : 0;
  const std::vector<Shape> shapes =
      shrink ? std::vector<Shape>{{"ard", 600, 20, 128}, {"gm", 2000, 3, 32}}
             : std::vector<Shape>{{"ard", 5875, 20, 1536}, {"gm", 5875, 20, 1536}, {"ard", 15000, 26, 1536},
                                  {"ard", 434874, 3, 192}, {"gm", 434874, 3, 192}, {"ard", 2049280, 11, 80},
                                  {"gm", 2049280, 11, 80}};
  for (const Shape& shape : shapes) race_floor(suite, shape);
  measure_precision(suite, shapes.front());
  race_equal_rows(suite, shrink ? Shape{"ard", 1200, 20, 64} : Shape{"ard", 45000, 20, 1536});
  race_equal_rows(suite, shrink ? Shape{"ard", 6000, 3, 32} : Shape{"ard", 434874, 3, 192});
  const auto sizes = [&](std::vector<Index> full, std::vector<Index> quick) { return shrink ? quick : full; };
  const Shape middle = shrink ? Shape{"ard", 1000, 8, 64} : Shape{"ard", 16000, 8, 256};
  race_growth(suite, "n", sizes({4000, 16000, 64000, 256000}, {500, 1000}), middle, &Shape::rows);
  race_growth(suite, "d", sizes({4, 16, 64, 256}, {4, 16}), middle, &Shape::inputs);
  race_growth(suite, "D", sizes({128, 256, 512, 1024}, {32, 64}), middle, &Shape::features);
  const Shape large = shrink ? Shape{"ard", 20000, 11, 80} : Shape{"ard", 2000000, 11, 80};
  measure_memory(suite, {large.model, large.rows / 10, large.inputs, large.features});
  measure_memory(suite, large);
}

void run_end_to_end(Suite& suite) {
  if (suite.quick()) {
    race_exact(suite, 150, 5);
    measure_fit(suite, {"ard", 400, 4, 16, 5});
    return;
  }
  race_exact(suite, 1500, 5);
  measure_fit(suite, {"exact-ard", 1500, 5, 1, 100});
  measure_fit(suite, {"ard", 200000, 11, 40, 100});
  measure_fit(suite, {"ard", 2000000, 11, 40, 100});
  measure_fit(suite, {"ard", 50000, 90, 96, 100});
  measure_fit(suite, {"ard", 500000, 90, 96, 100});
}

}  // namespace alacarte::bench
