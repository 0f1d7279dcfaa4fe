// "auto" on many rows, and of classes and counts: networks, and learned frequencies.
#include <algorithm>
#include <iterator>
#include <utility>

#include "alacarte/model/likelihood.hpp"
#include "auto_members.hpp"
#include "cost_model.hpp"
#include "minibatch_plan.hpp"

namespace alacarte::auto_detail {
namespace {

constexpr const char *kNetworks = "networks", *kFrequencies = "learned frequencies", *kTrees = "boosted trees";

/// Operations for the features of a row and their gradients, as ssgpr has them.
double map_flops(Index frequencies, const TableSize& size) {
  return static_cast<double>(frequencies) * (4.0 * static_cast<double>(size.inputs) + 55);
}

/// The frequencies of three fits that are trained on subsamples and finished on all rows: no more than the time allows,
/// and no more learned numbers (d for each frequency) than rows.
Index frequencies_within(const TableSize& size, double flops, double outputs) {
  const auto rows = static_cast<double>(size.rows), inputs = static_cast<double>(size.inputs);
  Index frequencies = kMinFrequencies;
  for (; frequencies < kMaxFrequencies; frequencies *= 2) {
    if (2 * static_cast<double>(frequencies) * inputs > rows) break;
    // Features of twice as many frequencies.
    const double features = 4.0 * static_cast<double>(frequencies) + static_cast<double>(size.level_features);
    const double drawn = static_cast<double>(kRowsPerFeature) * features;
    const double map = map_flops(2 * frequencies, size), evaluation = feature_flops(rows, features) + rows * map;
    const double fit = 2 * drawn < rows ? subsample_flops(rows, features, map) + kFinalIterations * evaluation
                                        : (kIterations + kEvaluationsBeside) * evaluation;
    if (kFrequencyFits * outputs * fit > flops) break;
  }
  return frequencies;
}

double pass_flops(const Recipe& network, const TableSize& size) {
  return alacarte::pass_flops(network, static_cast<double>(size.rows), static_cast<double>(size.inputs));
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
  const Index least = of_classes ? kMinClassRows : of_numbers ? kFewRows : kMinCountRows;
  const bool can_be = is_plain(recipe, size) && takes_minibatches(recipe) && takes_levels(recipe, size.levels);
  if (!can_be || size.rows < least) return {};
  const auto rows = static_cast<double>(size.rows);
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
    const double samples = of_training / pass_flops(member, size) * rows;
    if (samples < kMinWideSamples || (of_classes && !timed)) member = sized(kNarrow);
    if (of_numbers) may_be_many = samples >= kMinSamplesOfMany;
  }
  const double passes = of_training / pass_flops(member, size);
  const double enough = of_classes ? std::min(kMinClassPasses, kMinClassSamples / rows) : kMinPasses;
  if (passes < enough) return {};
  Index most = timed && may_be_many ? kMaxTimedNetworks : kMaxNetworks;
  if (of_classes) {
    const double each = network_posterior_flops(recipe, rows, size.classes);
    most = std::clamp(whole((1 - kClassShare) * flops / each), kMinNetworks, most);
  }
  // In folds, which weigh fits of few rows, every fold would need trees of its own.
  if (size.round == RaceRound::trees && of_classes && std::max(size.given_rows, size.rows) <= kMaxFoldRows) return {};
  std::vector<FitView> curves = {{Scaling::normal_scores}};
  if (of_classes) curves.push_back({Scaling::asinh});
  const Index least_copies = size.round != RaceRound::none ? 1 + static_cast<Index>(curves.size()) : kMinNetworks;
  member.copies = std::max(least_copies, std::min(whole(passes / kManyPasses), most));
  if (of_numbers && most == kMaxTimedNetworks)
    member.copies = std::max(member.copies, std::min(whole(passes / kMaxPasses), kMaxWholeNetworks));
  // The clock ends what takes longer than planned; the schedule of the steps follows it.
  const double reach = recipe.training.seconds > 0 ? kClockReach : 1;
  const double each = reach * passes / static_cast<double>(member.copies);
  member.network.epochs = static_cast<Index>(std::clamp(each, 1.0, of_classes ? kMaxClassPasses : kMaxPasses));
  if (of_classes && size.rows <= kMaxKernelClassRows) {
    // So few rows do not tell scales apart that differ everywhere: only inputs with heavy tails are bent.
    Recipe tailed = member;
    tailed.network.inputs = NetworkInputs::asinh;
    tailed.copies = member.copies / 2;
    member.copies -= tailed.copies;
    return {std::move(member), std::move(tailed)};
  }
  return on_views(recipe, size, kNetworks, std::move(member), curves);
}

/// Learned frequencies. From shares of the inputs' ranges they find nothing where most inputs say nothing (pumadyn32nm:
/// RMSE 1.00, and 0.21 from the ARD fit's length-scales); elsewhere the ARD fit's are as good or better.
std::vector<Recipe> learned_frequencies(const Recipe& recipe, const TableSize& size, double flops) {
  // Laplace's approximation is too dear for a race.
  if (size.round != RaceRound::none && size.classes > 0) return {};
  const Index rows = size.rows;
  const double outputs = laplace_factor(recipe, size.classes);
  const Index frequencies = frequencies_within(size, flops, outputs);
  std::vector<Recipe> members;
  for (const char* model : {"ssgpr", "fsgbard"}) {
    Recipe member = member_of(recipe, model);
    member.features.frequencies = frequencies;
    if (likelihood_of(recipe).is_conjugate()) member.training.start = StartPoint::ard;
    const Index subsample = kRowsPerFeature * 2 * frequencies;
    const double n = static_cast<double>(rows);
    const double features = 2.0 * static_cast<double>(frequencies) + static_cast<double>(size.level_features);
    const bool is_drawn = 2 * subsample < rows;
    if (is_drawn) {
      member.training.subsample = subsample;
      member.training.starts = kProbes;
      member.training.probe_iterations = kProbeIterations;
      member.training.subsample_iterations = kLaterIterations;
      member.training.carry_curvature = true;
    }
    const double map = map_flops(frequencies, size);
    const double before = is_drawn ? subsample_flops(n, features, map) : 0;
    // The clock ends what takes longer than planned; iterations that were not planned cannot be had.
    const double reach = recipe.training.seconds > 0 ? kClockReach : 1;
    const double left = reach * (flops / (kFrequencyFits * outputs) - before) / (feature_flops(n, features) + n * map);
    const double least = is_drawn ? kLaterIterations : kIterations;
    member.training.iterations = static_cast<Index>(std::clamp(left, least, kMaxIterations));
    members.push_back(std::move(member));
  }
  members.front().copies = 2;
  std::vector<Recipe> seen =
      on_views(recipe, size, kFrequencies, std::move(members.front()), {{Scaling::normal_scores}});
  if (!seen.empty()) {
    members.back().scale_inputs = seen.front().scale_inputs;
    members.back().trees = seen.front().trees;
    seen.push_back(std::move(members.back()));
  }
  return seen;
}

/// Boosted trees alone: in their round, and if they raced and did not lose.
std::vector<Recipe> trees(const Recipe& recipe, const TableSize& size, double) {
  const auto are_in = [](const std::vector<Entrant>& entrants) {
    return std::any_of(entrants.begin(), entrants.end(), [](const Entrant& one) { return one.kind == kTrees; });
  };
  const bool won = are_in(size.race.ranked) && !are_in(size.race.dropped);
  if (size.round != RaceRound::trees && !won) return {};
  return {tree_member(recipe)};
}

}  // namespace

const std::vector<MemberKind>& raced_kinds() {
  static const std::vector<MemberKind> kinds{
      {kNetworks, true, networks}, {kFrequencies, true, learned_frequencies}, {kTrees, false, trees}};
  return kinds;
}

std::vector<Recipe> kinds_of_race(const Recipe& recipe, const TableSize& size, double flops) {
  const auto append = [](std::vector<Recipe>& all, std::vector<Recipe> more) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
  };
  if (size.classes > 0) {
    std::vector<Recipe> members = networks(recipe, size, flops);
    std::vector<Recipe> kernels = class_kernels(recipe, size, members.empty() ? flops : kClassKernelShare * flops);
    if (!members.empty() && !kernels.empty()) members = networks(recipe, size, (1 - kClassKernelShare) * flops);
    append(members, std::move(kernels));
    append(members, trees(recipe, size, flops));
    return members.empty() ? learned_frequencies(recipe, size, flops) : members;
  }
  struct Sharing {
    bool takes_operations;
    std::vector<Recipe> members;
  };
  std::vector<Sharing> kinds;
  const auto plan = [&](std::ptrdiff_t sharing) {
    kinds.clear();
    for (const MemberKind& kind : raced_kinds())
      if (auto own = kind.members(recipe, size, flops / static_cast<double>(sharing)); !own.empty())
        kinds.push_back({kind.takes_operations, std::move(own)});
    return std::count_if(kinds.begin(), kinds.end(), [](const Sharing& kind) { return kind.takes_operations; });
  };
  std::ptrdiff_t wanted = plan(1);
  if (kinds.empty()) {
    // All rows leave too little time for the kinds that won on some of them.
    TableSize open = size;
    open.race = {};
    return kinds_of_race(recipe, open, flops);
  }
  if (!size.race.was_run && size.seasons == 0) kinds.resize(1), wanted = 1;
  // A share may be too little for a kind, which leaves it to the others.
  for (std::ptrdiff_t sharing = 1; sharing < wanted;) {
    sharing = wanted;
    wanted = plan(sharing);
  }
  std::vector<Recipe> members;
  for (Sharing& kind : kinds) append(members, std::move(kind.members));
  return members;
}

}  // namespace alacarte::auto_detail
