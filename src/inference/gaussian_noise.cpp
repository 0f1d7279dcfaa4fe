#include "inference/gaussian_noise.hpp"

#include <cmath>

#include "data/merged_rows.hpp"
#include "inference/evaluation.hpp"

namespace alacarte {

// Initialises the noise; the recipe's noise refers to a row of mean weight.
NoiseTerm::NoiseTerm(const NoiseConfig& config, const TargetMoments& target)
    : floor_(config.trained ? config.floor : 0),
      prior_mean_(std::log(config.prior_value) + 0.5 * std::log(target.mean_weight)),
      prior_sd_(config.prior_sd),
      log_unit_(std::log(target.sd) + 0.5 * std::log(target.mean_weight)) {
  require(config.floor >= 0 && config.prior_value > 0 && config.prior_sd > 0, "objective: noise settings");
}

ParameterSlot NoiseTerm::slot() const {
  return {.name = "noise.log_sd",
          .prior = {ParameterPrior::Kind::log_inverse_gamma, Vector::Constant(1, prior_mean_), prior_sd_},
          .lower = log_unit_ - 12,
          .upper = log_unit_ + 5};
}

double NoiseTerm::variance(double log_sd) const { return floor_ * floor_ + std::exp(2.0 * log_sd); }

double NoiseTerm::slope(double log_sd) const { return 2.0 * std::exp(2.0 * log_sd); }

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
    terms_.emplace_back(is_first ? options.noise : options.more_noise[terms_.size() - 1], moments);
    means_.push_back(moments.mean);
  }
}

ParameterSlot NoiseTerms::slot() const {
  ParameterSlot all = terms_.front().slot();
  if (count() == 1) return all;
  all.size = count();
  all.prior.mean.resize(count());
  for (Index t = 0; t < count(); ++t) {
    const ParameterSlot own = terms_[static_cast<std::size_t>(t)].slot();
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
