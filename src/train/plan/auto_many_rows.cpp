// "auto" on many rows, and of classes and counts: networks, and learned frequencies.
#include <algorithm>

#include "alacarte/model/likelihood.hpp"
#include "auto_members.hpp"
#include "train/search/minibatches.hpp"
#include "training_flops.hpp"

namespace alacarte::auto_detail {
namespace {

// Subsamples begin with some eight rows for each feature. Two starts are tried there; each doubling of the rows goes on
// for a few iterations, so that the doublings cost little more than as many iterations on all rows.
constexpr Index kRowsPerFeature = 8, kProbes = 2, kProbeIterations = 25, kLaterIterations = 5;
// What a fit should have at least after subsamples; it gets more where there is time, and ends at a small gradient.
constexpr Index kFinalIterations = 10;
constexpr double kMaxIterations = 200;
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
// Where time was asked for, more of them take it, of classes wide ones; a posterior of each takes so many evaluations.
// Without a clock narrow ones are nearly as good in half of the time. Of numbers more than four are better where the
// time is enough to see so many rows (100 s, protein: NLPD 0.26 and 0.28 against 0.32; 30 s, pol: 0.48 against 0.55),
// and with less each has too few passes (10 s, pol: 0.69 against 0.62; 3 s, parkinsons: 0.39 against 0.04; experiments/
// frontier, a hundred seconds).
constexpr double kLeastSamplesOfMany = 6e6;
constexpr Index kMostTimedNetworks = 8;
// Where each of these has all its passes, the time that is left goes to further ones, of numbers (100 s, pol: 0.42
// against 0.51, elevators and california_housing by 0.005 and 0.017 better).
constexpr Index kMostWholeNetworks = 16;
constexpr double kPosteriorEvaluations = 6;
// Classes have borders where spectra have none, on few rows already, and spectra cost the most there: Laplace's
// approximation takes features times classes in every evaluation. After the passes a network takes it, too, for which
// a share of the operations is left; more passes than these add nothing (car, ctg3), and on many rows fewer do.
constexpr Index kLeastClassRows = 300, kLeastCountRows = 8000, kClassFrequencies = 32, kCountFrequencies = 128;
constexpr double kClassShare = 0.7, kLeastClassPasses = 8, kLeastClassSamples = 1e5, kMostClassPasses = 80;

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
  bool may_be_many = of_classes;
  if (of_classes || of_numbers) {
    const auto sized = [&](NetworkSize network) {
      if (of_classes) network.frequencies = kClassFrequencies;
      return network_member(recipe, network);
    };
    member = sized(kWide);
    const double samples = of_training / pass_flops(member, size) * static_cast<double>(size.rows);
    if (samples < kLeastWideSamples || (of_classes && !timed)) member = sized(kNarrow);
    if (of_numbers) may_be_many = samples >= kLeastSamplesOfMany;
  }
  const double passes = of_training / pass_flops(member, size);
  const double enough = std::min(kLeastClassPasses, kLeastClassSamples / static_cast<double>(size.rows));
  const double enough_of_rest = size.rows > kMostRowsOfBoth ? kLeastPasses : kManyPasses;
  if (passes < (of_classes ? enough : enough_of_rest)) return {};
  Index most = timed && may_be_many ? kMostTimedNetworks : kMostNetworks;
  if (of_classes) most = std::clamp(affordable_posteriors(recipe, size, flops), kLeastNetworks, most);
  member.copies = std::clamp(whole(passes / kManyPasses), kLeastNetworks, most);
  if (of_numbers && most == kMostTimedNetworks)
    member.copies = std::max(member.copies, std::min(whole(passes / kMostPasses), kMostWholeNetworks));
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

}  // namespace

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

}  // namespace alacarte::auto_detail
