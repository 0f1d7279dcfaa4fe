#include "inference/gaussian_noise.hpp"

#include <cmath>

#include "data/merged_rows.hpp"
#include "inference/evaluation.hpp"

namespace alacarte {

namespace {

/// Returns the slot of one target's noise; the recipe's noise refers to a row of mean weight.
ParameterSlot slot_of(const NoiseConfig& config, const TargetMoments& target) {
  require(config.floor >= 0 && config.prior_value > 0 && config.prior_sd > 0, "objective: noise settings");
  const double half_log_weight = 0.5 * std::log(target.mean_weight);
  const double log_unit = std::log(target.sd) + half_log_weight, mean = std::log(config.prior_value) + half_log_weight;
  return {.name = "noise.log_sd",
          .prior = {ParameterPrior::Kind::log_inverse_gamma, Vector::Constant(1, mean), config.prior_sd},
          .lower = log_unit - 12,
          .upper = log_unit + 5};
}

}  // namespace

TargetMoments moments_of_target(ConstVec y, double mean_weight) {
  const double mean = y.mean(), count = static_cast<double>(y.size());
  const double variance = (y.array() - mean).square().sum() / std::max(1.0, count - 1);
  return {mean, variance > 0 ? std::sqrt(variance) : 1.0, mean_weight};
}

std::vector<TargetMoments> moments_of_targets(const RowSource& rows) {
  if (const auto* merged = dynamic_cast<const MergedRows*>(&rows)) return moments_of_targets(merged->source());
  std::vector<TargetMoments> moments = {target_moments(rows)};
  const Matrix& more = rows.more_targets();
  for (Index t = 0; t < more.cols(); ++t)
    moments.push_back(moments_of_target(more.col(t), moments.front().mean_weight));
  return moments;
}

NoiseTerms::NoiseTerms(const RowSource& rows, const InferenceOptions& options) {
  for (const TargetMoments& moments : moments_of_targets(rows)) {
    const bool is_first = terms_.empty() || options.more_noise.empty();
    const NoiseConfig& config = is_first ? options.noise : options.more_noise[terms_.size() - 1];
    terms_.push_back({config.trained ? config.floor : 0, moments.mean, slot_of(config, moments)});
  }
}

double NoiseTerms::variance(Index target, double log_sd) const {
  return at(target).floor * at(target).floor + std::exp(2.0 * log_sd);
}

double NoiseTerms::slope(double log_sd) const { return 2.0 * std::exp(2.0 * log_sd); }

ParameterSlot NoiseTerms::slot() const {
  ParameterSlot all = terms_.front().slot;
  if (count() == 1) return all;
  all.size = count();
  all.prior.mean.resize(count());
  for (Index t = 0; t < count(); ++t) {
    const ParameterSlot& own = at(t).slot;
    all.prior.mean[t] = own.prior.mean[0];
    all.lower = std::min(all.lower, own.lower);
    all.upper = std::max(all.upper, own.upper);
  }
  return all;
}

ParameterLayout with_noise(const ParameterLayout& layout, ParameterSlot slot, const InferenceOptions& options) {
  ParameterLayout all = with_held(layout, options);
  slot.trainable = options.noise.trained;
  all.add(std::move(slot));
  return all;
}

}  // namespace alacarte
