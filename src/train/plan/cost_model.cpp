#include "cost_model.hpp"

#include "auto_constants.hpp"
#include "inference/laplace.hpp"
#include "minibatch_plan.hpp"
#include "noise_plan.hpp"
#include "open_relevance.hpp"
#include "trees/cross_fitting.hpp"

namespace alacarte {
namespace {

// Passes of minibatches that a fit must have time for: fourteen over a fifth of the rows are better than two over two
// thirds (deep on kin40k in 3 s: NLPD -0.98 against -0.77, on protein 0.73 against 0.80).
constexpr double kMinPlannedPasses = 30;
constexpr double kAfterPasses = 4;  // cost after the passes, in thirds of an evaluation

double real(Index value) { return static_cast<double>(value); }

double laplace_flops(double each, const Recipe& recipe, Index classes) {
  const Likelihood& likelihood = likelihood_of(recipe);
  return likelihood.is_conjugate() ? 1 : each * real(likelihood.outputs(classes));
}

}  // namespace

double default_flops(double rows) {
  using namespace auto_detail;
  return kDefaultFlops * std::pow(std::max(rows, kMinDefaultRows) / 1000, kDefaultGrowth);
}

double feature_flops(double n, double features) {
  const double least = std::min(n, features);
  return 3 * n * features * least + least * least * least;
}

double exact_flops(const Recipe& recipe, double n, double inputs) {
  constexpr double kPairFlops = 120, kPairInputFlops = 10;  // benchmarks/cost_model.cpp
  const double kernels = std::max(1.0, static_cast<double>(recipe.terms.size()));
  return n * n * n + kernels * n * n * (kPairFlops + kPairInputFlops * inputs);
}

double laplace_factor(const Recipe& recipe, Index classes) { return laplace_flops(3, recipe, classes); }

double laplace_factor_of_exact(const Recipe& recipe, Index classes) { return laplace_flops(30, recipe, classes); }

double class_flops(double n, double features, double outputs) {
  const double width = features + 1;
  if (outputs == 1 || outputs * width <= static_cast<double>(kMaxJointFeatures))
    return joint_laplace_flops(n, width, outputs, 0);
  return block_laplace_flops(n, width, outputs, 0, false);
}

bool is_joint(const FitJob& job, Index classes) {
  if (!job.prior.map() || uses_minibatches(job.recipe)) return false;
  const Index outputs = likelihood_of(job.recipe).outputs(classes);
  const EvidenceForm form = job.recipe.evidence;
  const Index width = job.prior.map()->feature_count() + (job.recipe.mean == MeanKind::constant ? 1 : 0);
  const bool fits = outputs * width <= kMaxJointFeatures;
  return outputs > 1 && (form == EvidenceForm::primal || (form == EvidenceForm::automatic && fits));
}

std::shared_ptr<const FeatureMap> solved_map(const FitJob& job) {
  if (!job.prior.map() || !likelihood_of(job.recipe).is_conjugate() || job.is_classifier() ||
      uses_minibatches(job.recipe))
    return job.prior.map();
  const LevelSplit split = job.prior.map()->level_split();
  return split.rest ? split.rest : job.prior.map();
}

double evaluation_flops(const FitJob& job, double n, double inputs, double targets, Index classes) {
  if (!job.prior.map())
    return targets * laplace_factor_of_exact(job.recipe, classes) * exact_flops(job.recipe, n, inputs);
  const std::shared_ptr<const FeatureMap> solved = solved_map(job);
  auto features = static_cast<double>(solved->feature_count());
  // Landmarks are rows, and the map was drawn from a few.
  if (job.recipe.model == "nystrom")
    features = std::max(features, std::min(n, static_cast<double>(job.recipe.features.frequencies)));
  const double map = solved->flops_per_row();
  const auto outputs = static_cast<double>(likelihood_of(job.recipe).outputs(classes));
  if (outputs > 1) {
    const double width = features + (job.recipe.mean == MeanKind::constant ? 1 : 0);
    return is_joint(job, classes) ? joint_laplace_flops(n, width, outputs, map)
                                  : block_laplace_flops(n, width, outputs, map, false);
  }
  const double least = std::min(n, features);
  // Means of levels cost as much as rows.
  const double levels = solved == job.prior.map() ? 0 : std::min(n, real(job.prior.map()->level_split().levels));
  return laplace_factor(job.recipe, classes) *
         (feature_flops(n + levels, features) + (targets - 1) * least * least * least + n * map);
}

int useful_threads(const FitJob& job, double n, Index classes, int threads) {
  constexpr double kMinSharedFlops = 1e9;
  const double features = job.prior.map() ? real(solved_map(job)->feature_count()) : n;
  double flops = 3 * n * features * std::min(n, features);
  // Laplace's approximation makes some nine passes in place of three, over every pair of outputs.
  if (const Likelihood& likelihood = likelihood_of(job.recipe); !likelihood.is_conjugate())
    flops *= 3 * real(pair_count(likelihood.outputs(classes)));
  return flops < kMinSharedFlops ? 1 : threads;
}

double fit_flops(const FitJob& job, double evaluation, double n, double evaluations) {
  if (uses_minibatches(job.recipe))
    return kMinPlannedPasses * kFloatTime * n * job.prior.map()->flops_per_row() + kAfterPasses / 3 * evaluation;
  return evaluations * evaluation;
}

double exact_fit_flops(const Recipe& member, double n, double inputs) {
  using namespace auto_detail;
  const auto iterations = static_cast<double>(member.training.iterations);
  const auto trained =
      static_cast<Index>((inputs + 2) * static_cast<double>(std::max<std::size_t>(1, member.terms.size())));
  const auto sampling = static_cast<double>(sampling_evaluations(
      trained, member.training.samples, chain_start(member, static_cast<Index>(n), static_cast<Index>(inputs))));
  double flops = ((iterations > 0 ? iterations + kEvaluationsBeside : 1) + sampling) * exact_flops(member, n, inputs);
  if (const auto drawn = static_cast<double>(member.training.subsample); drawn > 0)
    flops += (static_cast<double>(member.training.subsample_iterations) + kEvaluationsBeside) *
             exact_flops(member, drawn, inputs);
  return flops;
}

double spectra_flops(double n, double inputs, Index frequencies, Index samples) {
  using namespace auto_detail;
  const double features = 4.0 * static_cast<double>(frequencies) * kSpectrumComponents;
  const auto trained = static_cast<Index>((2 * inputs + 1) * kSpectrumComponents);
  const auto sampling = static_cast<double>(sampling_evaluations(trained, samples));
  return (samples > 0 ? 1 : 2) * (kIterations + kEvaluationsBeside + sampling) * feature_flops(n, features);
}

double subsample_flops(double n, double features, double map) {
  using namespace auto_detail;
  const double drawn = static_cast<double>(kRowsPerFeature) * features;
  return kProbes * (kProbeIterations + 3) * (feature_flops(drawn, features) + drawn * map) +
         (kLaterIterations + 4) * (feature_flops(n, features) + n * map);
}

double pass_flops(const Recipe& network, double n, double inputs) {
  const Index frequencies = network.terms.front().features.frequencies;
  double last = inputs, parameters = 0;
  for (const Index width : network.network.widths) {
    parameters += last * real(width);
    last = real(width);
  }
  return n * (kFloatTime * (8 * parameters + 12 * (last + inputs) * real(frequencies)));
}

double network_posterior_flops(const Recipe& recipe, double n, Index classes) {
  using namespace auto_detail;
  const double features = 2.0 * kClassFrequencies;
  return kPosteriorEvaluations * laplace_factor(recipe, classes) * feature_flops(n, features);
}

Index minibatch_evaluations(const FitJob& job, const EvaluationPlan& plan) {
  if (!uses_minibatches(job.recipe)) return 0;
  const double flops = real(job.recipe.network.epochs * plan.rows) * job.prior.map()->flops_per_row() * kFloatTime;
  return static_cast<Index>(std::ceil(flops / std::max(1.0, plan.flops)));
}

Index evaluations_beside(const Recipe& fit, const EvaluationPlan& plan, Index inputs) {
  const TrainingConfig& training = fit.training;
  const Index samples = sampling_evaluations(plan.parameters, training.samples, chain_start(fit, plan.rows, inputs));
  if (training.drawn_rows == 0 || plan.rows < 2 * training.drawn_rows) return samples;
  return samples + (training.drawn_steps * training.drawn_rows + plan.rows - 1) / plan.rows;
}

double left_out_noise_flops(Index rows, Index inputs) {
  using namespace auto_detail;
  const double d = real(inputs), features = 2.0 * kNoiseFrequencies, width = kNoiseWidth;
  const double folds = real(left_out_noise_folds(rows)), share = (folds - 1) / folds;
  if (is_exact_noise(rows)) {
    const auto fit = [&](double n) { return (kNoiseIterations + kEvaluationsBeside) * exact_flops({}, n, d); };
    return folds * fit(share * real(rows)) + fit(real(rows));
  }
  const double spectrum = (kNoiseIterations + kEvaluationsBeside) * features * (3 * features + 3 * d + 30);
  const double network = kNoiseEpochs * (4 * width * (d + width) + 6 * (width + d) * kNoiseFrequencies);
  const double fits = folds * share + 1;
  const double trees = can_boost() ? shallow_tree_flops(rows, inputs) : 0;
  return fits * (real(rows) * kNoiseCopies * (spectrum + network) + trees);
}

Index left_out_noise_rows(Index most, Index inputs, double flops) {
  while (most > 0 && left_out_noise_flops(most, inputs) > flops) --most;
  return most;
}

}  // namespace alacarte
