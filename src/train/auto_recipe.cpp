#include "alacarte/train/auto_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "left_out.hpp"
#include "left_out_noise.hpp"
#include "minibatches.hpp"
#include "training_flops.hpp"

namespace alacarte {
namespace {

// Exact processes take n^3 an evaluation; above this, fits of features reach further in the same time.
constexpr Index kFewRows = 1600;
// The short ARD fit that centres the prior on the noise needs no more rows on large tables. On small ones sums begin at
// its length-scales.
constexpr Index kNoiseRows = 400;
// Subsamples begin with some eight rows for each feature. Two starts are tried there; each doubling of the rows goes on
// for a few iterations, so that the doublings cost little more than as many iterations on all rows.
constexpr Index kRowsPerFeature = 8, kProbes = 2, kProbeIterations = 25, kLaterIterations = 5;
// What a fit should have at least, of all rows from the start or after subsamples; it gets more where there is time,
// and ends at a small gradient.
constexpr Index kIterations = 60, kFinalIterations = 10;
constexpr double kMaxIterations = 200;
// Up to kSpectrumRows, mixtures of spectra: three components of 64 frequencies, or fewer frequencies where two fits
// would take more than this share of the operations. On more rows sums of exact kernels are better in less time.
constexpr Index kSpectrumRows = 400, kSpectrumFrequencies = 64, kMinSpectrum = 16, kSpectrumComponents = 3;
constexpr double kSpectrumShare = 0.9;
constexpr Index kWholeRows = 800, kWarmIterations = 30, kColdIterations = 42, kMostSums = 3;
// Above kSpectrumRows and without subsamples the last of these iterations cost more than they give (experiments/auto).
constexpr double kIterationsShare = 0.87;
constexpr Index kSumRows = 1200, kLeastSumRows = 600, kSumIterations = 28, kMostSumRows = 6000;
constexpr double kMostSumIterations = 30;
// Exact processes go by so much faster than nominal operations (parkinsons, planned for 15 s: 6 s). Plans without a
// clock keep to the nominal ones.
constexpr double kExactSpeed = 2;
constexpr Index kMinFrequencies = 32, kMaxFrequencies = 1024;

// Networks before free frequencies, where the operations are enough for so many passes over the rows, and one network
// for each so many, but at least two: one alone may end badly (protein in 10 s: NLPD 0.64, of two 0.37).
constexpr double kLeastPasses = 10, kManyPasses = 60, kMostPasses = 200;
// A small network sees more rows in the same time, and that is worth more than its size: for fewer rows seen than
// kLeastWideSamples the narrow one is better, for more the wide one, and both are better than the recipe deep, whose
// layers are twice as wide (experiments/frontier, sizes of networks). Small networks take longer steps, too.
struct NetworkSize {
  Index width, frequencies;
};
constexpr NetworkSize kNarrow{64, 32}, kWide{128, 64};
constexpr double kLeastWideSamples = 2.5e6, kNetworkStep = 0.06;
constexpr Index kLastWidth = 64;
// On more rows networks stand alone: what spectra beside them add is less than what the same time adds to a network.
// On fewer, spectra take half of the time where the other half is enough for the most passes of one network.
constexpr Index kMostRowsOfBoth = 8000;
// Of classes two networks of half the passes each are better than one (in 10 s letter: log loss 0.067 against 0.072,
// shuttle: 0.0015 against 0.0055), and every other takes inputs with heavy tails through asinh. Which kind is better
// differs from table to table (spambase: 0.135 against 0.168, ctg3: 0.231 against 0.187), and held-out rows weigh them.
// Of numbers the second kind costs more than it gives (keggundirected in 10 s: NLPD -2.61 against -2.58, but in 30 s
// protein: 0.37 against 0.32, pol: 0.69 against 0.63; experiments/frontier, heavy tails).
constexpr Index kLeastNetworks = 2, kMostNetworks = 4;
// Small networks with long steps are better of classes, too (experiments/frontier, sizes of networks for classes).
// Where time was asked for, more of them and wide ones take it; a posterior of each takes so many evaluations. Without
// a clock narrow ones are nearly as good in half of the time.
constexpr Index kMostClassNetworks = 8;
constexpr double kPosteriorEvaluations = 6;
// Classes have borders where spectra have none, on few rows already, and spectra cost the most there: Laplace's
// approximation takes features times classes in every evaluation. After the passes a network takes it, too, for which
// a share of the operations is left; more passes than these add nothing (car, ctg3), and on many rows fewer do.
constexpr Index kLeastClassRows = 300, kLeastCountRows = 8000, kClassFrequencies = 32, kCountFrequencies = 128;
constexpr double kClassShare = 0.7, kLeastClassPasses = 8, kLeastClassSamples = 1e5, kMostClassPasses = 80;
// Fewer left-out rows do not tell how the noise varies, and on fewer rows in all the time is better spent on the mean.
constexpr Index kLeastVaryingRows = 500, kLeastRowsThatVary = 8000;

/// A count, however large the budget that it follows from.
Index whole(double value) { return static_cast<Index>(std::clamp(value, 0.0, 1e15)); }

double default_flops(double n) { return 7e11 * std::pow(std::max(n, 100.0) / 1000, 0.12); }

Recipe member_of(const Recipe& recipe, const std::string& model) {
  Recipe member = silent_member(recipe);
  member.model = model;
  member.scale_target = recipe.scale_target;
  member.training.starts = 1;
  return member;
}

/// Exact fits of more rows than kWholeRows begin on half of them.
Recipe exact_member(const Recipe& recipe, const std::string& model, Index rows, Index iterations) {
  Recipe member = member_of(recipe, model);
  member.training.iterations = iterations;
  if (rows <= kWholeRows) return member;
  member.training.subsample = (rows + 1) / 2;
  member.training.subsample_iterations = 2 * iterations / 3;
  member.training.iterations = iterations / 3;
  member.training.carry_curvature = true;
  return member;
}

/// A sum of three kernels: a slow and a fast function of different inputs each, which one kernel must compromise on
/// (energy: RMSE 0.23 against 0.35, concrete: 3.1 against 4.1). It learns fastest from the ARD fit's length-scales;
/// from shares of the inputs' ranges its terms part later, and end in other optima.
Recipe sum_member(const Recipe& recipe, Index rows, const std::string& start) {
  const Index iterations = start == "ard" ? kWarmIterations : kColdIterations;
  const bool is_costly = rows > kSpectrumRows && rows <= kWholeRows;
  const double share = is_costly ? kIterationsShare : 1;
  Recipe member = exact_member(recipe, "exact-sum", rows, whole(share * static_cast<double>(iterations)));
  member.training.start = start;
  for (const char* model : {"exact-ard", "exact-matern", "exact-rq"}) {
    Recipe term;
    term.model = model;
    member.terms.push_back(std::move(term));
  }
  return member;
}

/// Fits of a Gaussian-mixture spectrum, which has many optima: one begins at shares of the inputs' ranges and one at
/// the ARD fit's length-scales, for they end in different optima and are wrong on different tables.
std::vector<Recipe> spectra(const Recipe& recipe, Index frequencies) {
  Recipe member = member_of(recipe, "gm");
  member.features.frequencies = frequencies;
  member.features.components = kSpectrumComponents;
  member.training.iterations = kIterations;
  Recipe warm = member;
  warm.training.start = "ard";
  return {std::move(member), std::move(warm)};
}

/// Of two fits of spectra().
double spectra_flops(double rows, Index frequencies) {
  const double features = 4.0 * static_cast<double>(frequencies) * kSpectrumComponents;
  return 2.0 * (kIterations + 6) * feature_flops(rows, features);
}

/// Of a whole exact fit. Without iterations, of one evaluation and the posterior.
double exact_fit_flops(const Recipe& member, double rows, double inputs) {
  constexpr double kBeside = 6;  // line searches and the posterior
  const auto iterations = static_cast<double>(member.training.iterations);
  double flops = (iterations > 0 ? iterations + kBeside : 2) * exact_flops(member, rows, inputs);
  if (const auto drawn = static_cast<double>(member.training.subsample); drawn > 0)
    flops += (static_cast<double>(member.training.subsample_iterations) + kBeside) * exact_flops(member, drawn, inputs);
  return flops;
}

/// A sum of kernels that learns on kSumRows of the rows, or fewer where time is short, and on all of them for the
/// iterations that are left, and predicts from all (sml: NLPD -0.6 against -0.1 by learned frequencies, parkinsons:
/// RMSE below 0.01 against 0.1). Its factor grows with the square of the rows, and so do model file and predicted
/// variances.
Recipe sum_of_subsample(const Recipe& recipe, const TableSize& size, double flops) {
  const double n = static_cast<double>(size.rows), inputs = static_cast<double>(size.inputs);
  Recipe member = sum_member(recipe, size.rows, "ard");
  member.training.subsample = kSumRows;
  member.training.subsample_growth = kMostSumRows;
  member.training.carry_curvature = true;
  member.training.subsample_iterations = kSumIterations;
  member.training.iterations = 0;
  while (exact_fit_flops(member, n, inputs) > flops && member.training.subsample > kLeastSumRows)
    member.training.subsample -= kLeastSumRows / 3;
  const double left = (flops - exact_fit_flops(member, n, inputs)) / exact_flops(member, n, inputs);
  member.training.iterations = static_cast<Index>(std::clamp(left - 4, 0.0, kMostSumIterations));
  return member;
}

/// Whether operations, memory and model file suffice for one.
bool suits(const Recipe& sum, const TableSize& size, double flops, double max_model_mb) {
  constexpr double kGrams = 8;
  const double n = static_cast<double>(size.rows), half = 4 * n * n;  // bytes of a triangle
  return size.rows <= kMostSumRows && exact_fit_flops(sum, n, static_cast<double>(size.inputs)) <= flops &&
         (size.memory_bytes == 0 || 2 * kGrams * half <= size.memory_bytes) &&
         (max_model_mb == 0 || half <= 0.9e6 * max_model_mb);
}

/// A sum of exact kernels; beside it, as far as the operations allow, one simpler kernel and spectra on the fewest
/// rows, and on more rows sums from other starts. There the simpler kernel adds little, so that it comes last, and
/// only, like several such sums, if `flops` were asked for (0: not).
std::vector<Recipe> few_rows(const Recipe& recipe, const TableSize& size, double flops) {
  const double n = static_cast<double>(size.rows), inputs = static_cast<double>(size.inputs);
  std::vector<Recipe> members = {sum_member(recipe, size.rows, "ard")};
  double left = (flops > 0 ? flops : default_flops(n)) - exact_fit_flops(members.front(), n, inputs);
  if (size.rows > kSpectrumRows) {
    Recipe cold = sum_member(recipe, size.rows, "range");
    const double cost = exact_fit_flops(cold, n, inputs);
    cold.copies = std::min(whole(left / cost), flops > 0 ? kMostSums : 1);
    left -= static_cast<double>(cold.copies) * cost;
    if (cold.copies > 0) members.push_back(std::move(cold));
  }
  Recipe simple = exact_member(recipe, "exact-rq", size.rows, kWarmIterations);
  const double cost = exact_fit_flops(simple, n, inputs);
  if (cost <= left && (flops > 0 || size.rows <= kSpectrumRows)) {
    left -= cost;
    members.push_back(std::move(simple));
  }
  if (size.rows > kSpectrumRows) return members;
  Index frequencies = kSpectrumFrequencies;
  while (spectra_flops(n, frequencies) > kSpectrumShare * left)
    if ((frequencies /= 2) < kMinSpectrum) return members;
  for (Recipe& member : spectra(recipe, frequencies)) members.push_back(std::move(member));
  return members;
}

/// Probes on the first subsample, its doublings, and the posterior of all rows.
double subsample_flops(double rows, double features) {
  const double drawn = static_cast<double>(kRowsPerFeature) * features;
  return kProbes * (kProbeIterations + 3) * feature_flops(drawn, features) +
         (kLaterIterations + 4) * feature_flops(rows, features);
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
                           ? subsample_flops(rows, features) + kFinalIterations * feature_flops(rows, features)
                           : (kIterations + 6) * feature_flops(rows, features);
    if (3 * outputs * fit > flops) break;
  }
  return frequencies;
}

/// Operations of a pass of minibatches for each row.
double pass_flops(const NetworkConfig& network, double inputs, Index frequencies) {
  double last = inputs, parameters = 0;
  for (const Index width : network.widths) {
    parameters += last * static_cast<double>(width);
    last = static_cast<double>(width);
  }
  return kFloatTime * (8 * parameters + 12 * (last + inputs) * static_cast<double>(frequencies));
}

/// Rows without weights, and one target whose noise is learned: what networks take, and noise that varies.
bool is_plain(const Recipe& recipe, const TableSize& size) {
  return !size.weighted && size.targets == 1 && recipe.noise.trained && recipe.noise.sd == 0;
}

/// Operations of a pass of minibatches over all rows.
double pass_flops(const Recipe& network, const TableSize& size) {
  return static_cast<double>(size.rows) *
         pass_flops(network.network, static_cast<double>(size.inputs), network.terms.front().features.frequencies);
}

/// How many of the posteriors of networks for classes fit into what training leaves.
Index affordable_posteriors(const Recipe& recipe, const TableSize& size, double flops) {
  const double features = 2.0 * kClassFrequencies, rows = static_cast<double>(size.rows);
  const double each = kPosteriorEvaluations * laplace_factor(recipe, size.classes) * feature_flops(rows, features);
  return whole((1 - kClassShare) * flops / each);
}

Recipe network_member(const Recipe& recipe, Index frequencies) {
  Recipe member = member_of(recipe, "deep");
  Recipe term;
  term.model = "ssgpr";
  term.features.frequencies = frequencies;
  member.terms = {std::move(term)};
  return member;
}

/// A small network.
Recipe network_member(const Recipe& recipe, const NetworkSize& network) {
  Recipe member = network_member(recipe, network.frequencies);
  member.network.widths = {network.width, network.width, kLastWidth};
  member.network.step = kNetworkStep;
  return member;
}

/// Networks, where the operations suffice for enough passes; nothing where minibatches cannot be had.
std::vector<Recipe> networks(const Recipe& recipe, const TableSize& size, double flops) {
  const bool of_classes = size.classes > 0, of_numbers = !of_classes && likelihood_of(recipe).is_conjugate();
  const Index least = of_classes ? kLeastClassRows : of_numbers ? kFewRows : kLeastCountRows;
  if (!is_plain(recipe, size) || size.rows < least || !takes_minibatches(recipe)) return {};
  const double of_training = of_classes ? kClassShare * flops : flops;
  const bool timed = recipe.training.seconds > 0 || recipe.flops > 0;
  Recipe member = network_member(recipe, kCountFrequencies);
  if (of_classes || of_numbers) {
    const auto sized = [&](NetworkSize network) {
      if (of_classes) network.frequencies = kClassFrequencies;
      return network_member(recipe, network);
    };
    member = sized(kWide);
    const double samples = of_training / pass_flops(member, size) * static_cast<double>(size.rows);
    if (samples < kLeastWideSamples || (of_classes && !timed)) member = sized(kNarrow);
  }
  const double passes = of_training / pass_flops(member, size);
  const double enough = std::min(kLeastClassPasses, kLeastClassSamples / static_cast<double>(size.rows));
  const double enough_of_rest = size.rows > kMostRowsOfBoth ? kLeastPasses : kManyPasses;
  if (passes < (of_classes ? enough : enough_of_rest)) return {};
  Index most = kMostNetworks;
  if (of_classes)
    most = std::clamp(affordable_posteriors(recipe, size, flops), kLeastNetworks, timed ? kMostClassNetworks : most);
  member.copies = std::clamp(whole(passes / kManyPasses), kLeastNetworks, most);
  // The clock ends what takes longer than planned; the schedule of the steps follows it.
  const double reach = recipe.training.seconds > 0 ? 2 : 1;
  const double each = reach * passes / static_cast<double>(member.copies);
  member.network.epochs = static_cast<Index>(std::clamp(each, 1.0, of_classes ? kMostClassPasses : kMostPasses));
  if (!of_classes) return {std::move(member)};
  Recipe tailed = member;
  tailed.network.inputs = "asinh";
  tailed.copies = member.copies / 2;
  member.copies -= tailed.copies;
  return {std::move(member), std::move(tailed)};
}

/// Learned frequencies. From shares of the inputs' ranges they find nothing where most inputs say nothing (pumadyn32nm:
/// RMSE 1.00, and 0.21 from the ARD fit's length-scales); elsewhere the ARD fit's are as good or better.
std::vector<Recipe> many_rows(const Recipe& recipe, const TableSize& size, double flops, double outputs) {
  const Index rows = size.rows;
  const Index frequencies =
      frequencies_within(static_cast<double>(rows), static_cast<double>(size.inputs), flops, outputs);
  std::vector<Recipe> members;
  for (const char* model : {"ssgpr", "fsgbard"}) {
    Recipe member = member_of(recipe, model);
    member.features.frequencies = frequencies;
    if (likelihood_of(recipe).is_conjugate()) member.training.start = "ard";
    const Index subsample = kRowsPerFeature * 2 * frequencies;
    const double n = static_cast<double>(rows), features = 2.0 * static_cast<double>(frequencies);
    const bool is_drawn = 2 * subsample < rows;
    if (is_drawn) {
      member.training.subsample = subsample;
      member.training.starts = kProbes;
      member.training.probe_iterations = kProbeIterations;
      member.training.subsample_iterations = kLaterIterations;
      member.training.carry_curvature = true;
    }
    const double before = is_drawn ? subsample_flops(n, features) : 0;
    // The clock ends what takes longer than planned; iterations that were not planned cannot be had.
    const double reach = recipe.training.seconds > 0 ? 2 : 1;
    const double left = reach * (flops / (3 * outputs) - before) / feature_flops(n, features);
    const double least = is_drawn ? kLaterIterations : kIterations;
    member.training.iterations = static_cast<Index>(std::clamp(left, least, kMaxIterations));
    members.push_back(std::move(member));
  }
  members.front().copies = 2;
  return members;
}

std::vector<Recipe> networks_or_spectra(const Recipe& recipe, const TableSize& size, double flops, double outputs) {
  std::vector<Recipe> members = networks(recipe, size, flops);
  if (members.empty()) return many_rows(recipe, size, flops, outputs);
  const double half = flops / 2;
  if (size.classes > 0 || size.rows > kMostRowsOfBoth ||
      half < kMostPasses * pass_flops(network_member(recipe, kWide), size))
    return members;
  members = networks(recipe, size, half);
  for (Recipe& member : many_rows(recipe, size, half, outputs)) members.push_back(std::move(member));
  return members;
}

}  // namespace

namespace {

/// What "auto" sets itself.
void refuse_own_keys(const TrainingConfig& asked) {
  const TrainingConfig silent;
  const std::pair<const char*, bool> own[] = {
      {"starts", asked.starts == silent.starts},
      {"probe_iterations", asked.probe_iterations == silent.probe_iterations},
      {"iterations", asked.iterations == silent.iterations},
      {"start", asked.start == silent.start},
      {"subsample", asked.subsample == silent.subsample},
      {"subsample_growth", asked.subsample_growth == silent.subsample_growth},
      {"subsample_iterations", asked.subsample_iterations == silent.subsample_iterations},
      {"carry_curvature", asked.carry_curvature == silent.carry_curvature}};
  for (const auto& [key, is_silent] : own)
    if (!is_silent)
      throw ConfigError(fmt::format("/training/{}", key),
                        "model 'auto' sets it by the table and the time; give seconds or flops, or name a model");
}

}  // namespace

Recipe auto_recipe(const Recipe& recipe, const TableSize& size, int threads) {
  if (recipe.model != "auto") return recipe;
  if (recipe.learner.kind != "gp")
    throw ConfigError("/learner/kind",
                      "model 'auto' is of Gaussian processes; name a model for " + recipe.learner.kind);
  refuse_own_keys(recipe.training);
  const double given = recipe.flops > 0 ? recipe.flops : recipe.training.seconds * threads * kNominalFlops;
  const double flops = given > 0 ? given : default_flops(static_cast<double>(size.rows));
  const double outputs = laplace_factor(recipe, size.classes);
  Recipe chosen = recipe;
  chosen.model = "mixture";
  chosen.description = fmt::format("auto for {} rows of {} inputs", size.rows, size.inputs);
  const bool has_noise = likelihood_of(recipe).is_conjugate();
  const double of_exact = recipe.flops == 0 && recipe.training.seconds > 0 ? kExactSpeed * flops : flops;
  const Recipe sum = sum_of_subsample(chosen, size, of_exact);
  if (has_noise && size.rows <= kFewRows) {
    chosen.members = few_rows(chosen, size, given);
  } else if (has_noise && suits(sum, size, of_exact, recipe.max_model_mb)) {
    chosen.members = {sum};
  } else {
    const Index left_out = std::min(held_out_rows(size.rows), NoiseConfig{}.rows);
    const Index noise_rows = left_out_noise_rows(left_out, size.inputs, kLeftOutNoiseShare * flops);
    const bool enough =
        has_noise && noise_rows >= kLeastVaryingRows && size.rows >= kLeastRowsThatVary && is_plain(chosen, size);
    const double of_mean = enough ? flops - left_out_noise_flops(noise_rows, size.inputs) : flops;
    if (has_noise && recipe.noise.prior_rows == NoiseConfig{}.prior_rows) chosen.noise.prior_rows = kNoiseRows;
    chosen.members = networks_or_spectra(chosen, size, of_mean, outputs);
    if (enough) {
      chosen.noise.varies = true;
      chosen.noise.rounds = 0;
      chosen.noise.rows = noise_rows;
    }
  }
  if (has_noise && chosen.noise.shape == "auto") chosen.noise.shape = is_plain(chosen, size) ? "mixture" : "gaussian";
  const bool holds_out = (chosen.noise.varies && chosen.noise.rounds == 0) || chosen.members.front().model == "deep";
  if (recipe.weights == "auto") chosen.weights = holds_out ? "held-out" : "leave-one-out";
  return apply_likelihood_defaults(std::move(chosen));
}

}  // namespace alacarte
