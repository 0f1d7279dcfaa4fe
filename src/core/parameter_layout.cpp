#include "alacarte/core/parameter_layout.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

// Stiffness of the wall: an optimum pushed to infinity rests within a few per cent of the bound, and the line search
// sees no kink (C1).
constexpr double kWallStiffness = 100.0;

/// Returns the penalty at a distance z from the mean; adds the derivative to `slope`.
double negative_log_prior(const ParameterPrior& prior, double z, double& slope) {
  const double precision = 1 / (prior.sd * prior.sd);
  if (prior.kind == ParameterPrior::Kind::log_inverse_gamma) {
    slope += 0.5 * precision * (1 - std::exp(-2 * z));
    return 0.25 * precision * (2 * z + std::exp(-2 * z) - 1);
  }
  if (prior.kind == ParameterPrior::Kind::lower_normal && z > 0) return 0;
  slope += precision * z;
  return 0.5 * precision * z * z;
}

}  // namespace

Index ParameterLayout::add(ParameterSlot slot) {
  require(slot.size >= 0, "parameter slot of negative size");
  require(!contains(slot.name), "parameter slot named twice");
  require(slot.prior.kind == ParameterPrior::Kind::none || slot.prior.mean.size() == 1 ||
              slot.prior.mean.size() == slot.size,
          "prior mean has one entry or one for each parameter");
  slot.offset = size_;
  size_ += slot.size;
  slots_.push_back(std::move(slot));
  return slots_.back().offset;
}

Index ParameterLayout::append(const ParameterLayout& other, const std::string& prefix) {
  const Index first = size_;
  for (ParameterSlot slot : other.slots_) {
    slot.name = prefix + slot.name;
    add(std::move(slot));
  }
  return first;
}

Index ParameterLayout::trainable_count() const {
  Index count = 0;
  for (const auto& slot : slots_) count += slot.trainable ? slot.size : 0;
  return count;
}

bool ParameterLayout::contains(const std::string& name) const {
  return std::any_of(slots_.begin(), slots_.end(), [&](const auto& slot) { return slot.name == name; });
}

const ParameterSlot& ParameterLayout::find(const std::string& name) const {
  for (const auto& slot : slots_)
    if (slot.name == name) return slot;
  throw std::invalid_argument("alacarte: no parameter slot '" + name + "'");
}

std::string ParameterLayout::entry_name(Index entry) const {
  for (const auto& slot : slots_) {
    if (entry < slot.offset || entry >= slot.offset + slot.size) continue;
    return slot.size == 1 ? slot.name : slot.name + "[" + std::to_string(entry - slot.offset) + "]";
  }
  throw std::invalid_argument("alacarte: parameter entry out of range");
}

std::vector<Index> ParameterLayout::trainable_entries() const {
  std::vector<Index> entries;
  for (const auto& slot : slots_)
    for (Index i = 0; slot.trainable && i < slot.size; ++i) entries.push_back(slot.offset + i);
  return entries;
}

double ParameterLayout::penalty(ConstVec theta, bool with_priors, VecRef gradient) const {
  require(theta.size() == size_ && gradient.size() == size_, "theta does not fit the layout");
  double value = 0;
  for (const auto& slot : slots_) {
    if (!slot.trainable) continue;
    for (Index i = 0; i < slot.size; ++i) {
      const Index at = slot.offset + i;
      const double beyond = theta[at] < slot.lower ? theta[at] - slot.lower : std::max(0.0, theta[at] - slot.upper);
      value += 0.5 * kWallStiffness * beyond * beyond;
      gradient[at] += kWallStiffness * beyond;
      if (!with_priors || slot.prior.kind == ParameterPrior::Kind::none) continue;
      const double mean = slot.prior.mean[slot.prior.mean.size() == 1 ? 0 : i];
      value += negative_log_prior(slot.prior, theta[at] - mean, gradient[at]);
    }
  }
  return value;
}

std::vector<std::string> ParameterLayout::at_bound(ConstVec theta) const {
  std::vector<std::string> names;
  for (const auto& slot : slots_)
    for (Index i = 0; slot.trainable && i < slot.size; ++i)
      if (theta[slot.offset + i] <= slot.lower || theta[slot.offset + i] >= slot.upper)
        names.push_back(entry_name(slot.offset + i));
  return names;
}

}  // namespace alacarte
