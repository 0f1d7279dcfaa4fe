// training.samples: a fit's hyperparameters from their posterior in place of their mode.
#include <fmt/format.h>

#include <limits>

#include "alacarte/core/error.hpp"
#include "core/ranks.hpp"
#include "fit_pool.hpp"
#include "optimise/hyperparameter_samples.hpp"

namespace alacarte {

double FitPool::sampling_share(const FitJob& job) {
  const TrainingConfig& training = job.recipe.training;
  const auto sampling = static_cast<double>(sampling_evaluations(job.parameters().trainable_count(), training.samples));
  return sampling / (sampling + static_cast<double>(planned_evaluations(training)));
}

/// Samples in place of the mode, unless there is time for fewer than half of them.
void FitPool::sample(FitOutcome& outcome, const FitJob& job, const Vector& mode, Inference& trained,
                     Inference& last_inference, const LeftOutRows& left_out, int threads,
                     const TrainerHooks& hooks) const {
  const Index wanted = job.recipe.training.samples;
  const std::string stage = job.name + ": samples";
  const Index asked = record_.repeats() ? record_.evaluations(stage) : wanted;
  if (asked == 0 || trained.parameters().trainable_count() == 0) return;
  const double began = seconds();
  Progress progress{job.name, "samples"};
  progress.gradient_norm = std::numeric_limits<double>::quiet_NaN();
  const auto goes_on = [&](Index evaluations, double objective) {
    progress.evaluation = outcome.evaluations + evaluations;
    progress.objective = objective;
    progress.seconds = seconds();
    observer_.on_progress(progress);
    const double posteriors = static_cast<double>(wanted) * (seconds() - began) / static_cast<double>(evaluations);
    const bool is_late = hooks.deadline_seconds > 0 && seconds() + posteriors > hooks.deadline_seconds;
    return !ranks::any(is_late || interrupted());
  };
  RandomStream stream = job.streams.stream("hyperparameters");
  HyperparameterSamples chain;
  try {
    chain = sample_hyperparameters(trained, mode, asked, stream, goes_on);
  } catch (const NumericalError& error) {
    observer_.on_message(fmt::format("{}: {}; the mode of its hyperparameters predicts", job.name, error.what()));
    return;
  }
  const auto drawn = static_cast<Index>(chain.samples.size());
  const bool is_kept = 2 * drawn >= wanted;
  if (!record_.repeats()) record_.record(stage, is_kept ? drawn : 0);
  outcome.evaluations += chain.evaluations;
  outcome.cut_short = outcome.cut_short || drawn < wanted;
  if (!is_kept) {
    observer_.on_message(job.name +
                         ": cut short before half of the samples of its hyperparameters; their mode predicts");
    return;
  }
  std::vector<FitOutcome> samples;
  for (const HyperparameterSample& one : chain.samples) {
    try {
      samples.push_back(outcome_at(job, one.theta, last_inference.solve(one.theta, left_out), threads));
    } catch (const NumericalError&) {  // the others predict
      continue;
    }
    samples.back().is_sample = samples.size() > 1;
    samples.back().summary = {{"log_evidence", one.log_evidence}, {"objective", one.objective}};
  }
  if (samples.empty()) return;
  FitOutcome first = std::move(samples.front());
  first.summary = std::move(outcome.summary);
  first.summary["samples"] = {{"count", samples.size()},
                              {"acceptance", chain.acceptance},
                              {"evaluations", chain.evaluations},
                              {"seconds", seconds() - began}};
  first.evaluations = outcome.evaluations;
  first.cut_short = outcome.cut_short;
  samples.erase(samples.begin());
  outcome = std::move(first);
  outcome.samples = std::move(samples);
}

}  // namespace alacarte
