// End-to-end measurements: an exact process's evidence and gradient, and fits.
#include <fmt/format.h>
#include <cmath>
#include <memory>

#include "alacarte/core/random.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/data/row_source.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/train/fit.hpp"
#include "bench/machine.hpp"
#include "bench/problems.hpp"
#include "bench/suite.hpp"
#include "inference/inference.hpp"
#include "linalg/dense.hpp"

namespace alacarte::bench {
namespace {

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
  const double seconds = model.training.at("seconds");
  nlohmann::json fields = {{"name", name},
                           {"model", c.model},
                           {"n", c.rows},
                           {"d", c.inputs},
                           {"frequencies", c.frequencies},
                           {"seconds", seconds},
                           {"evaluations", model.training.at("evaluations")},
                           {"rmse", metrics.rmse},
                           {"nlpd", metrics.nlpd},
                           {"threads", options.threads}};
  if (bytes) fields["bytes"] = *bytes;
  suite.record("fits", std::move(fields),
               fmt::format("{}: {:.2f} s, {} evaluations, {:.1f} MiB beyond the rows, RMSE {:.4f}", name, seconds,
                           model.training.at("evaluations").get<Index>(), bytes.value_or(NAN) / 1048576, metrics.rmse));
}

}  // namespace

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
