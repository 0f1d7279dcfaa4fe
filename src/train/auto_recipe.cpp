#include "alacarte/train/auto_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "minibatches.hpp"

namespace alacarte {
namespace {

// Exact processes take n^3 an evaluation; above this, fits of features reach further in the same time.
constexpr Index kFewRows = 1600;
// The short ARD fit that centres the prior on the noise needs no more rows here: the fits go on from it.
constexpr Index kNoiseRows = 400;
// Subsamples begin with some eight rows for each feature. Two starts are tried there; each doubling of the rows goes on
// for a few iterations, so that the doublings cost little more than as many iterations on all rows.
constexpr Index kRowsPerFeature = 8, kProbes = 2, kProbeIterations = 25, kLaterIterations = 5;
// What a fit should have at least, of all rows from the start or after subsamples; it gets more where there is time,
// and ends at a small gradient.
constexpr Index kIterations = 60, kFinalIterations = 10;
constexpr double kMaxIterations = 200;
// Mixtures of spectra: three components of 64 frequencies, or fewer frequencies where two fits would take more than
// this share of the operations.
constexpr Index kSpectrumFrequencies = 64, kMinSpectrum = 16, kSpectrumComponents = 3;
constexpr double kSpectrumShare = 0.9;
constexpr Index kMaxWholeSpectra = 600, kHalfIterations = 20, kAfterHalf = 25;
constexpr Index kMinFrequencies = 32, kMaxFrequencies = 1024;

// Networks before free frequencies: their share of the operations, and the passes over the rows below which a network
// is not worth its time, and each of two is worth more than twice as many passes of one. On fewer rows the time is
// better spent on spectra (parkinsons, sml).
constexpr double kDeepShare = 0.6, kLeastPasses = 8, kManyPasses = 60, kMostPasses = 200;
constexpr Index kLeastDeepRows = 8000, kDeepFrequencies = 128, kMostNetworks = 4;
// Classes have borders where spectra have none, on few rows already, and spectra cost the most there: Laplace's
// approximation takes features times classes. So networks are all that is trained, and more passes add nothing (car,
// ctg3).
constexpr Index kLeastClassRows = 300, kClassFrequencies = 32;
constexpr double kMostClassPasses = 80;

/// Operations of one value and gradient over n rows of D features.
double evaluation_flops(double n, double features) {
  return features <= n ? 3 * n * features * features + features * features * features
                       : 3 * n * n * features + n * n * n;
}

double default_flops(double n) { return 7e11 * std::pow(std::max(n, 100.0) / 1000, 0.12); }

/// Functions of a softmax, or 1: what the work of an evaluation grows by.
double outputs_of(const Recipe& recipe, Index classes) {
  const Likelihood& likelihood = likelihood_of(recipe);
  return likelihood.is_conjugate() ? 1 : 3 * static_cast<double>(likelihood.outputs(classes));
}

Recipe member_of(const Recipe& recipe, const std::string& model) {
  Recipe member = silent_member(recipe);
  member.model = model;
  member.scale_target = recipe.scale_target;
  member.training.starts = 1;
  return member;
}

Recipe exact_member(const Recipe& recipe, const std::string& model, Index rows) {
  Recipe member = member_of(recipe, model);
  constexpr Index kWholeRows = 800;
  member.training.iterations = 30;
  if (rows <= kWholeRows) return member;
  member.training.subsample = (rows + 1) / 2;
  member.training.subsample_iterations = 20;
  member.training.iterations = 10;
  return member;
}

/// Fits of a Gaussian-mixture spectrum, which has many optima. Beyond some hundred rows three starts are tried on half
/// of the rows, and the best goes on to all; on fewer, one fit begins at shares of the inputs' ranges and one at the
/// ARD fit's length-scales, for they end in different optima and are wrong on different tables.
std::vector<Recipe> spectra(const Recipe& recipe, Index rows, Index frequencies) {
  Recipe member = member_of(recipe, "gm");
  member.features.frequencies = frequencies;
  member.features.components = kSpectrumComponents;
  member.training.iterations = kIterations;
  if (rows <= kMaxWholeSpectra) {
    Recipe warm = member;
    warm.training.start = "ard";
    return {std::move(member), std::move(warm)};
  }
  member.training.starts = 3;
  member.training.subsample = (rows + 1) / 2;
  member.training.probe_iterations = member.training.subsample_iterations = kHalfIterations;
  member.training.iterations = kAfterHalf;
  member.copies = 2;
  return {std::move(member)};
}

/// Of two fits of spectra().
double spectra_flops(double rows, Index frequencies) {
  const double features = 4.0 * static_cast<double>(frequencies) * kSpectrumComponents;
  if (rows <= kMaxWholeSpectra) return 2.0 * (kIterations + 6) * evaluation_flops(rows, features);
  return 2.0 * (4 * (kHalfIterations + 3) * evaluation_flops(rows / 2, features) +
                (kAfterHalf + 6) * evaluation_flops(rows, features));
}

/// Exact kernels, and spectra in the size and number that the operations allow.
std::vector<Recipe> few_rows(const Recipe& recipe, Index rows, double flops) {
  std::vector<Recipe> members = {exact_member(recipe, "exact-matern", rows), exact_member(recipe, "exact-rq", rows)};
  const double n = static_cast<double>(rows);
  Index frequencies = kSpectrumFrequencies;
  while (spectra_flops(n, frequencies) > kSpectrumShare * flops)
    if ((frequencies /= 2) < kMinSpectrum) return members;
  const auto more = std::clamp<Index>(static_cast<Index>(flops / (2 * spectra_flops(n, frequencies))), 1, 2);
  for (Recipe& member : spectra(recipe, rows, frequencies)) {
    member.copies *= more;
    members.push_back(std::move(member));
  }
  return members;
}

/// Probes on the first subsample, its doublings, and the posterior of all rows.
double subsample_flops(double rows, double features) {
  const double drawn = static_cast<double>(kRowsPerFeature) * features;
  return kProbes * (kProbeIterations + 3) * evaluation_flops(drawn, features) +
         (kLaterIterations + 4) * evaluation_flops(rows, features);
}

/// The frequencies of three fits that are trained on subsamples and finished on all rows: no more than the time allows,
/// and no more learned numbers (d for each frequency) than rows.
Index frequencies_within(double rows, double inputs, double flops, double outputs) {
  Index frequencies = kMinFrequencies;
  for (; frequencies < kMaxFrequencies; frequencies *= 2) {
    if (2 * static_cast<double>(frequencies) * inputs > rows) break;
    const double features = 4.0 * static_cast<double>(frequencies);  // of twice as many frequencies
    const double drawn = static_cast<double>(kRowsPerFeature) * features;
    const double fit = 2 * drawn < rows
                           ? subsample_flops(rows, features) + kFinalIterations * evaluation_flops(rows, features)
                           : (kIterations + 6) * evaluation_flops(rows, features);
    if (3 * outputs * fit > flops) break;
  }
  return frequencies;
}

/// Operations of a pass of minibatches for each row, in floats that take half the time.
double pass_flops(const NetworkConfig& network, double inputs, Index frequencies) {
  double last = inputs, parameters = 0;
  for (const Index width : network.widths) {
    parameters += last * static_cast<double>(width);
    last = static_cast<double>(width);
  }
  return 4 * parameters + 6 * (last + inputs) * static_cast<double>(frequencies);
}

/// Networks, where the operations suffice for enough passes; nothing where minibatches cannot be had.
std::vector<Recipe> networks(const Recipe& recipe, const TableSize& size, double flops) {
  const bool held_by_hand = !recipe.noise.trained || recipe.noise.sd > 0;
  const Index least = size.classes > 0 ? kLeastClassRows : kLeastDeepRows;
  if (size.shared || size.weighted || size.targets > 1 || held_by_hand || size.rows < least || !takes_minibatches(recipe)) return {};
  Recipe member = member_of(recipe, "deep");
  Recipe term;
  term.model = "ssgpr";
  term.features.frequencies = size.classes > 0 ? kClassFrequencies : kDeepFrequencies;
  member.terms = {term};
  const double pass = static_cast<double>(size.rows) *
                      pass_flops(member.network, static_cast<double>(size.inputs), term.features.frequencies);
  const double passes = (size.classes > 0 ? 1 : kDeepShare) * flops / pass;
  if (passes < kLeastPasses) return {};
  member.copies = std::clamp<Index>(static_cast<Index>(passes / kManyPasses), 1, kMostNetworks);
  const double each = passes / static_cast<double>(member.copies);
  member.network.epochs = static_cast<Index>(std::min(each, size.classes > 0 ? kMostClassPasses : kMostPasses));
  return {std::move(member)};
}

std::vector<Recipe> many_rows(const Recipe& recipe, const TableSize& size, double flops, double outputs) {
  const Index rows = size.rows;
  const Index frequencies =
      frequencies_within(static_cast<double>(rows), static_cast<double>(size.inputs), flops, outputs);
  std::vector<Recipe> members;
  for (const char* model : {"ssgpr", "fsgbard"}) {
    Recipe member = member_of(recipe, model);
    member.features.frequencies = frequencies;
    const Index subsample = kRowsPerFeature * 2 * frequencies;
    const double n = static_cast<double>(rows), features = 2.0 * static_cast<double>(frequencies);
    const bool is_drawn = 2 * subsample < rows;
    if (is_drawn) {
      member.training.subsample = subsample;
      member.training.starts = kProbes;
      member.training.probe_iterations = kProbeIterations;
      member.training.subsample_iterations = kLaterIterations;
    }
    const double before = is_drawn ? subsample_flops(n, features) : 0;
    // The clock ends what takes longer than planned; iterations that were not planned cannot be had.
    const double reach = recipe.training.seconds > 0 ? 2 : 1;
    const double left = reach * (flops / (3 * outputs) - before) / evaluation_flops(n, features);
    const double least = is_drawn ? kLaterIterations : kIterations;
    member.training.iterations = static_cast<Index>(std::clamp(left, least, kMaxIterations));
    members.push_back(std::move(member));
  }
  members.front().copies = 2;
  return members;
}

}  // namespace

Recipe auto_recipe(const Recipe& recipe, const TableSize& size, int threads) {
  if (recipe.model != "auto") return recipe;
  if (recipe.learner.kind != "gp")
    throw ConfigError("/learner/kind",
                      "model 'auto' is of Gaussian processes; name a model for " + recipe.learner.kind);
  const double given = recipe.flops > 0 ? recipe.flops : recipe.training.seconds * threads * kNominalFlops;
  const double flops = given > 0 ? given : default_flops(static_cast<double>(size.rows));
  const double outputs = outputs_of(recipe, size.classes);
  Recipe chosen = recipe;
  chosen.model = "mixture";
  chosen.description = fmt::format("auto for {} rows of {} inputs", size.rows, size.inputs);
  const bool has_noise = likelihood_of(recipe).is_conjugate();
  if (has_noise && recipe.noise.prior_rows == NoiseConfig{}.prior_rows) chosen.noise.prior_rows = kNoiseRows;
  const bool few = size.rows <= kFewRows && has_noise;
  if (few) {
    chosen.members = few_rows(chosen, size.rows, flops);
  } else {
    chosen.members = networks(chosen, size, flops);
    const bool deep = !chosen.members.empty();
    if (!deep || size.classes == 0)
      for (Recipe& member : many_rows(chosen, size, deep ? (1 - kDeepShare) * flops : flops, outputs))
        chosen.members.push_back(std::move(member));
  }
  const bool holds_out = chosen.members.front().model == "deep";
  if (recipe.weights == "auto") chosen.weights = holds_out ? "held-out" : "leave-one-out";
  return apply_likelihood_defaults(std::move(chosen));
}

}  // namespace alacarte
