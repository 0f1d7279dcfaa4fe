#include "open_relevance.hpp"

#include "alacarte/kernel/kernel.hpp"
#include "alacarte/model/likelihood.hpp"
#include "cost_model.hpp"

namespace alacarte {
namespace {

constexpr Index kRowsOfInput = 8;    // rows for each input from which the mode is good enough
constexpr Index kMaxOpenRows = 300;  // with more, the samples would take tens of seconds
constexpr Index kOpenSamples = 40;
constexpr double kOpenNoise = 0.5, kOpenNoiseSpread = 3;  // prior on the noise, in standard deviations of the target

/// Tells whether time and model file suffice for samples of every fit.
bool affords_samples(const Recipe& recipe, const std::vector<const Recipe*>& fits, const TableSize& size) {
  const double n = static_cast<double>(size.rows), triangle = 4 * n * n;  // bytes
  double flops = 0, bytes = 0;
  for (const Recipe* fit : fits) {
    const double copies = static_cast<double>(fit->copies);
    flops += copies * exact_fit_flops(*fit, n, static_cast<double>(size.inputs));
    bytes += copies * triangle * static_cast<double>(std::max<Index>(1, fit->training.samples));
  }
  return (recipe.flops == 0 || flops <= recipe.flops) &&
         (recipe.max_model_mb == 0 || bytes <= 1e6 * recipe.max_model_mb);
}

}  // namespace

bool leaves_relevance_open(Index rows, Index inputs) { return rows < kRowsOfInput * inputs && rows <= kMaxOpenRows; }

ChainStart chain_start(const Recipe& fit, Index rows, Index inputs) {
  const bool is_away = leaves_relevance_open(rows, inputs) && find_kernel(fit.model) != nullptr &&
                       fit.learner.kind == LearnerKind::gp && likelihood_of(fit).is_conjugate();
  return is_away ? ChainStart::away_from_mode : ChainStart::at_mode;
}

void sample_open_relevance(Recipe& fit, Index samples) {
  if (!fit.priors || fit.training.samples < 0 || find_kernel(fit.model) == nullptr) return;
  if (fit.training.samples == 0) fit.training.samples = samples;
  NoiseConfig& noise = fit.noise;
  const NoiseConfig silent;
  if (!noise.trained || noise.prior_center != silent.prior_center || noise.prior_value != silent.prior_value ||
      noise.prior_sd != silent.prior_sd)
    return;
  noise.prior_center = PriorCenter::fixed;
  noise.prior_value = kOpenNoise;
  noise.prior_sd = kOpenNoiseSpread;
}

Recipe with_open_relevance(Recipe recipe, const TableSize& size) {
  if (!leaves_relevance_open(size.rows, size.inputs) || recipe.learner.kind != LearnerKind::gp || size.classes > 0 ||
      !likelihood_of(recipe).is_conjugate() || recipe.noise.varies)
    return recipe;
  Recipe sampled = recipe;
  std::vector<const Recipe*> fits;
  if (sampled.members.empty()) {
    sample_open_relevance(sampled, kOpenSamples);
    fits.push_back(&sampled);
  }
  for (Recipe& member : sampled.members) {
    sample_open_relevance(member, kOpenSamples);
    if (find_kernel(member.model) != nullptr) fits.push_back(&member);
  }
  return affords_samples(recipe, fits, size) ? sampled : recipe;
}

}  // namespace alacarte
