// "auto" on few rows of numbers: sums of exact kernels, and mixtures of spectra beside them.
#include <algorithm>

#include "auto_members.hpp"
#include "cost_model.hpp"
#include "open_relevance.hpp"

namespace alacarte::auto_detail {
namespace {

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

/// A sum of three kernels, and of a periodic one where the rows have seasons, so that it goes on with them beyond the
/// rows: a slow and a fast function of different inputs each, which one kernel must compromise on
/// (energy: RMSE 0.23 against 0.35, concrete: 3.1 against 4.1). It learns fastest from the ARD fit's length-scales;
/// from shares of the inputs' ranges its terms part later, and end in other optima.
Recipe sum_member(const Recipe& recipe, const TableSize& size, StartPoint start) {
  const Index rows = size.rows;
  const Index iterations = start == StartPoint::ard ? kWarmIterations : kColdIterations;
  const bool is_costly = rows > kSpectrumRows && rows <= kWholeRows;
  const double share = is_costly ? kIterationsShare : 1;
  Recipe member = exact_member(recipe, "exact-sum", rows, whole(share * static_cast<double>(iterations)));
  member.training.start = start;
  for (const char* model : {"exact-ard", "exact-matern", "exact-rq"}) {
    Recipe term;
    term.model = model;
    member.terms.push_back(std::move(term));
  }
  for (Index season = 0; season < std::min(size.seasons, kMaxSeasons); ++season) {
    Recipe term;
    term.model = "exact-periodic";
    member.terms.push_back(std::move(term));
  }
  return member;
}

/// Fits of a Gaussian-mixture spectrum, which has many optima: one begins at shares of the inputs' ranges and one at
/// the ARD fit's length-scales, for they end in different optima and are wrong on different tables. Samples of one
/// leave its optimum: then the second is enough.
std::vector<Recipe> spectra(const Recipe& recipe, Index frequencies, Index samples) {
  Recipe cold = member_of(recipe, "gm");
  cold.features.frequencies = frequencies;
  cold.features.components = kSpectrumComponents;
  cold.training.iterations = kIterations;
  cold.training.samples = samples;
  Recipe warm = cold;
  warm.training.start = StartPoint::ard;
  if (samples > 0) return {std::move(warm)};
  return {std::move(cold), std::move(warm)};
}

}  // namespace

Recipe sum_of_subsample(const Recipe& recipe, const TableSize& size, double flops) {
  const double n = static_cast<double>(size.rows), inputs = static_cast<double>(size.inputs);
  Recipe member = sum_member(recipe, size, StartPoint::ard);
  member.training.subsample = kSumRows;
  member.training.subsample_growth = kMaxSumRows;
  member.training.carry_curvature = true;
  member.training.subsample_iterations = kSumIterations;
  member.training.iterations = 0;
  while (exact_fit_flops(member, n, inputs) > flops && member.training.subsample > kMinSumRows)
    member.training.subsample -= kMinSumRows / 3;
  const double without = exact_fit_flops(member, n, inputs);
  member.training.iterations = 1;
  const double first = exact_fit_flops(member, n, inputs) - without;
  // The first iteration brings the evaluations of line searches with it.
  const double left = (flops - without - first) / exact_flops(member, n, inputs);
  member.training.iterations = static_cast<Index>(std::clamp(left + 1, 0.0, kMaxSumIterations));
  return member;
}

bool suits(const Recipe& sum, const TableSize& size, double flops, double max_model_mb) {
  const double n = static_cast<double>(size.rows), half = 4 * n * n;  // bytes of a triangle
  return size.rows <= kMaxSumRows && exact_fit_flops(sum, n, static_cast<double>(size.inputs)) <= flops &&
         (size.memory_bytes == 0 || 2 * kGramMatrices * half <= size.memory_bytes) &&
         (max_model_mb == 0 || half <= kMaxModelShare * 1e6 * max_model_mb);
}

namespace {

/// Returns one sum or two as sums_of_subsample() has them, without trees.
std::vector<Recipe> sums_within(const Recipe& recipe, const TableSize& size, double flops) {
  const Recipe half = sum_of_subsample(recipe, size, flops / 2);
  // Seasons do not recur along a curve.
  if (size.seasons == 0 && may_bend(recipe, size) && suits(half, size, flops / 2, recipe.max_model_mb / 2)) {
    std::vector<Recipe> both = {half, half};
    both.back().scale_inputs = Scaling::normal_scores;
    return both;
  }
  Recipe sum = sum_of_subsample(recipe, size, flops);
  if (suits(sum, size, flops, recipe.max_model_mb)) return {std::move(sum)};
  return {};
}

}  // namespace

std::vector<Recipe> sums_of_subsample(const Recipe& recipe, const TableSize& size, double flops) {
  if (size.rows > kMaxSumRows) return {};
  if (size.seasons == 0 && has_time_for_trees(recipe, size, flops)) {
    std::vector<Recipe> members = sums_within(recipe, size, (1 - kTreeShare) * flops);
    if (!members.empty()) {
      members.push_back(tree_member(recipe));
      return members;
    }
  }
  return sums_within(recipe, size, flops);
}

namespace {

/// Two kernels whose samples a table with few rows for each input leaves open. A sum of three has three length-scales
/// of an input that one would be enough for, and a spectrum is too dear to sample as long as that takes.
std::vector<Recipe> open_kernels(const Recipe& recipe) {
  std::vector<Recipe> members;
  for (const char* model : {"exact-ard", "exact-matern"}) {
    members.push_back(member_of(recipe, model));
    members.back().training.iterations = kWarmIterations;
    sample_open_relevance(members.back(), kAutoOpenSamples);
  }
  return members;
}

bool takes_samples(const Recipe& recipe, Index rows) {
  const double n = static_cast<double>(rows);
  return rows <= kSampledRows && recipe.priors &&
         (recipe.max_model_mb == 0 || kSampledBytes * n * n <= 1e6 * recipe.max_model_mb);
}

}  // namespace

std::vector<Recipe> few_rows(const Recipe& recipe, const TableSize& size, double flops) {
  const double n = static_cast<double>(size.rows), inputs = static_cast<double>(size.inputs);
  const bool sampled = takes_samples(recipe, size.rows);
  double left = flops > 0 ? flops : default_flops(n);
  const double reserve = recipe.training.seconds > 0 ? kSampleReserve : 1;
  std::vector<Recipe> members;
  if (sampled && leaves_relevance_open(size.rows, size.inputs)) {
    members = open_kernels(recipe);
    double cost = 0;
    for (const Recipe& member : members) cost += exact_fit_flops(member, n, inputs);
    if (reserve * cost <= left) return members;
    // Without samples a length-scale for each input overfits, and one for all of them does not.
    return {exact_member(recipe, "exact-rbf", size.rows, kWarmIterations)};
  }
  // Appends as many copies as the operations that are left allow, but one at least of the first; with samples of the
  // hyperparameters on the fewest rows, if there are operations for them.
  const auto append = [&](Recipe member, Index copies = 1) {
    if (sampled) member.training.samples = kExactSamples;
    if (reserve * exact_fit_flops(member, n, inputs) > left) member.training.samples = 0;
    const double cost = exact_fit_flops(member, n, inputs);
    member.copies = std::max<Index>(members.empty() ? 1 : 0, std::min(whole(left / cost), copies));
    left -= static_cast<double>(member.copies) * cost;
    if (member.copies > 0) members.push_back(std::move(member));
  };
  append(sum_member(recipe, size, StartPoint::ard));
  if (size.seasons == 0 && may_bend(recipe, size)) {
    append(sum_member(recipe, size, StartPoint::ard));
    if (members.size() > 1) members.back().scale_inputs = Scaling::normal_scores;
  }
  const bool has_seasons = size.seasons > 0;
  if (size.rows > kSpectrumRows || has_seasons)
    append(sum_member(recipe, size, StartPoint::range), flops > 0 ? kMaxSums : 1);
  const char* simple = sampled ? "exact-matern" : "exact-rq";
  // Kernels without a period, and spectra of some width, forget the seasons beyond the rows.
  if (has_seasons) return members;
  if (size.rows <= kSpectrumRows || flops > 0) append(exact_member(recipe, simple, size.rows, kWarmIterations));
  if (size.rows > kSpectrumRows) return members;
  const Index samples = sampled ? kSpectrumSamples : 0;
  Index frequencies = kSpectrumFrequencies;
  while (spectra_flops(n, inputs, frequencies, samples) > kSpectrumShare * left)
    if ((frequencies /= 2) < kMinSpectrum) return members;
  for (Recipe& member : spectra(recipe, frequencies, samples)) members.push_back(std::move(member));
  return members;
}

}  // namespace alacarte::auto_detail
