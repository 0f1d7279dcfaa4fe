// The stage samples: a fit's hyperparameters from their posterior in place of their mode (training.samples).
#include <fmt/format.h>
#include <limits>

#include "alacarte/core/error.hpp"
#include "one_fit.hpp"
#include "train/plan/open_relevance.hpp"
#include "train/weigh/left_out_samples.hpp"

namespace alacarte {
namespace {

/// Returns the predictions of each sample; one whose posterior fails is left out.
std::vector<FitOutcome> outcomes_at(OneFit& fit, const HyperparameterSamples& chain) {
  std::vector<FitOutcome> samples;
  for (const HyperparameterSample& one : chain.samples) {
    try {
      samples.push_back(fit.outcome_at(one.theta, fit.solve(one.theta, fit.left_out)));
    } catch (const NumericalError&) {  // drops this sample
      continue;
    }
    samples.back().is_sample = samples.size() > 1;
    samples.back().summary = {.objective = one.objective, .log_evidence = one.log_evidence};
  }
  return samples;
}

/// Tells whether the scored rows took part in the samples' posterior, and have one Gaussian prediction each.
bool is_weighed_by_rows(const OneFit& fit) {
  return fit.seen().held_out == nullptr && fit.training.left_out_by == LeftOutBy::rows &&
         likelihood_of(fit.job.recipe).is_conjugate() && fit.training.schemas.size() == 1;
}

ChainStart chain_start(const OneFit& fit) {
  const RowSource& rows = *fit.rows().source;
  return chain_start(fit.job.recipe, rows.rows(), smooth_inputs(rows));
}

/// Returns the point that a chain begins at: the mode, or a starting point whose noise is most of the target. From
/// little noise the chain would enter the peaks of the posterior at which a function of many inputs explains all.
Vector first_point(const OneFit& fit) {
  constexpr double kNoise = 0.7;  // in standard deviations of the target
  if (chain_start(fit) == ChainStart::at_mode || fit.training.start) return fit.result.theta;
  FitJob job = fit.job;
  job.recipe.training.start = StartPoint::range;
  job.recipe.training.starts = 1;
  job.recipe.noise.start = kNoise;
  return make_job_starts(job, fit.seen(), fit.inference->parameters(), fit.noise_center).front();
}

}  // namespace

double sampling_share(const OneFit& fit) {
  const TrainingConfig& training = fit.job.recipe.training;
  const Index trained = fit.job.prior.parameters().trainable_count();
  const auto sampling = static_cast<double>(sampling_evaluations(trained, training.samples, chain_start(fit)));
  return sampling / (sampling + static_cast<double>(planned_evaluations(training)));
}

/// Replaces the mode by samples, unless time allows fewer than half of them.
void sample_the_posterior(OneFit& fit) {
  const FitContext& context = fit.context;
  FitOutcome& outcome = fit.outcome;
  const std::string& name = fit.job.name;
  const Index wanted = fit.job.recipe.training.samples;
  const Index asked = context.repeats() ? context.recorded("samples") : wanted;
  if (asked == 0 || fit.inference->parameters().trainable_count() == 0) return;
  const double began = context.now();
  Progress progress{name, "samples"};
  progress.gradient_norm = std::numeric_limits<double>::quiet_NaN();
  const auto goes_on = [&](Index evaluations, double objective) {
    progress.evaluation = outcome.evaluations + evaluations;
    progress.objective = objective;
    progress.seconds = context.now();
    context.report(progress);
    const double posteriors = static_cast<double>(wanted) * (context.now() - began) / static_cast<double>(evaluations);
    const bool is_late = context.deadline > 0 && context.now() + posteriors > context.deadline;
    return !FitContext::any(is_late || context.is_interrupted());
  };
  RandomStream stream = fit.job.streams.stream("hyperparameters");
  HyperparameterSamples chain;
  try {
    chain = sample_hyperparameters(*fit.inference, first_point(fit), asked, stream, goes_on, chain_start(fit));
  } catch (const NumericalError& error) {
    return context.message(fmt::format("{}: {}; the mode of its hyperparameters predicts", name, error.what()));
  }
  const auto drawn = static_cast<Index>(chain.samples.size());
  const bool is_kept = 2 * drawn >= wanted;
  context.record("samples", is_kept ? drawn : 0);
  outcome.evaluations += chain.evaluations;
  outcome.cut_short = outcome.cut_short || drawn < wanted;
  if (!is_kept)
    return context.message(name + ": cut short before half of the samples of its hyperparameters; their mode predicts");
  std::vector<FitOutcome> samples = outcomes_at(fit, chain);
  if (samples.empty()) return;
  if (is_weighed_by_rows(fit))
    leave_rows_out_of_samples(read_scored(*fit.rows().source, fit.training.scored).target, samples);
  FitOutcome first = std::move(samples.front());
  first.summary = std::move(outcome.summary);
  first.summary.samples = {static_cast<Index>(samples.size()), chain.acceptance, chain.evaluations,
                           context.now() - began};
  first.evaluations = outcome.evaluations;
  first.cut_short = outcome.cut_short;
  samples.erase(samples.begin());
  outcome = std::move(first);
  outcome.samples = std::move(samples);
}

}  // namespace alacarte
