// "auto" on few rows of numbers: sums of exact kernels, and mixtures of spectra beside them.
#include <algorithm>

#include "auto_members.hpp"
#include "optimise/hyperparameter_samples.hpp"
#include "training_flops.hpp"

namespace alacarte::auto_detail {
namespace {

// Up to kSpectrumRows, mixtures of spectra: three components of 64 frequencies, or fewer frequencies where two fits
// would take more than this share of the operations. On more rows sums of exact kernels are better in less time.
constexpr Index kSpectrumRows = 400, kSpectrumFrequencies = 64, kMinSpectrum = 16, kSpectrumComponents = 3;
constexpr double kSpectrumShare = 0.9;
constexpr Index kWholeRows = 800, kWarmIterations = 30, kColdIterations = 42, kMostSums = 3;
// Above kSpectrumRows and without subsamples the last of these iterations cost more than they give (experiments/auto).
constexpr double kIterationsShare = 0.87;
constexpr Index kSumRows = 1200, kLeastSumRows = 600, kSumIterations = 28, kMostSumRows = 6000;
constexpr double kMostSumIterations = 30;
// Up to kSampledRows the evidence leaves hyperparameters open, and samples of them predict better than their mode
// (experiments/samples); those of spectra cost more. On more rows they add nothing (autompg).
constexpr Index kSampledRows = 250, kExactSamples = 20, kSpectrumSamples = 10;

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
/// the ARD fit's length-scales, for they end in different optima and are wrong on different tables. Samples of one
/// leave its optimum: then the second is enough.
std::vector<Recipe> spectra(const Recipe& recipe, Index frequencies, Index samples) {
  Recipe cold = member_of(recipe, "gm");
  cold.features.frequencies = frequencies;
  cold.features.components = kSpectrumComponents;
  cold.training.iterations = kIterations;
  cold.training.samples = samples;
  Recipe warm = cold;
  warm.training.start = "ard";
  if (samples > 0) return {std::move(warm)};
  return {std::move(cold), std::move(warm)};
}

/// Of spectra().
double spectra_flops(double rows, double inputs, Index frequencies, Index samples) {
  const double features = 4.0 * static_cast<double>(frequencies) * kSpectrumComponents;
  const auto trained = static_cast<Index>((2 * inputs + 1) * kSpectrumComponents);
  const auto sampling = static_cast<double>(sampling_evaluations(trained, samples));
  return (samples > 0 ? 1 : 2) * (kIterations + 6 + sampling) * feature_flops(rows, features);
}

/// Of a whole exact fit. Without iterations, of one evaluation and the posterior.
double exact_fit_flops(const Recipe& member, double rows, double inputs) {
  constexpr double kBeside = 6;  // line searches and the posterior
  const auto iterations = static_cast<double>(member.training.iterations);
  const auto trained =
      static_cast<Index>((inputs + 2) * static_cast<double>(std::max<std::size_t>(1, member.terms.size())));
  const auto sampling = static_cast<double>(sampling_evaluations(trained, member.training.samples));
  double flops = ((iterations > 0 ? iterations + kBeside : 2) + sampling) * exact_flops(member, rows, inputs);
  if (const auto drawn = static_cast<double>(member.training.subsample); drawn > 0)
    flops += (static_cast<double>(member.training.subsample_iterations) + kBeside) * exact_flops(member, drawn, inputs);
  return flops;
}

}  // namespace

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

bool suits(const Recipe& sum, const TableSize& size, double flops, double max_model_mb) {
  constexpr double kGrams = 8;
  const double n = static_cast<double>(size.rows), half = 4 * n * n;  // bytes of a triangle
  return size.rows <= kMostSumRows && exact_fit_flops(sum, n, static_cast<double>(size.inputs)) <= flops &&
         (size.memory_bytes == 0 || 2 * kGrams * half <= size.memory_bytes) &&
         (max_model_mb == 0 || half <= 0.9e6 * max_model_mb);
}

namespace {

bool takes_samples(const Recipe& recipe, Index rows) {
  constexpr double kModelBytes = 400;  // for each pair of rows, of all samples
  const double n = static_cast<double>(rows);
  return rows <= kSampledRows && recipe.priors &&
         (recipe.max_model_mb == 0 || kModelBytes * n * n <= 1e6 * recipe.max_model_mb);
}

}  // namespace

std::vector<Recipe> few_rows(const Recipe& recipe, const TableSize& size, double flops) {
  const double n = static_cast<double>(size.rows), inputs = static_cast<double>(size.inputs);
  const bool sampled = takes_samples(recipe, size.rows);
  double left = flops > 0 ? flops : default_flops(n);
  std::vector<Recipe> members;
  // Appends as many copies as the operations that are left allow, but one at least of the first; with samples of the
  // hyperparameters on the fewest rows, if there are operations for them.
  const auto append = [&](Recipe member, Index copies = 1) {
    if (sampled) member.training.samples = kExactSamples;
    if (exact_fit_flops(member, n, inputs) > left) member.training.samples = 0;
    const double cost = exact_fit_flops(member, n, inputs);
    member.copies = std::max<Index>(members.empty() ? 1 : 0, std::min(whole(left / cost), copies));
    left -= static_cast<double>(member.copies) * cost;
    if (member.copies > 0) members.push_back(std::move(member));
  };
  append(sum_member(recipe, size.rows, "ard"));
  if (size.rows > kSpectrumRows) append(sum_member(recipe, size.rows, "range"), flops > 0 ? kMostSums : 1);
  const char* simple = sampled ? "exact-matern" : "exact-rq";
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
