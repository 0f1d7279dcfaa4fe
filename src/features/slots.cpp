#include "features/slots.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {

ParameterSlot normal_slot(const std::string& name, Index size, Vector mean, double sd, double lower, double upper) {
  return {.name = name,
          .size = size,
          .prior = {ParameterPrior::Kind::normal, std::move(mean), sd},
          .lower = lower,
          .upper = upper};
}

ParameterSlot log_amplitude_slot(const std::string& name, Index components) {
  ParameterSlot slot =
      normal_slot(name, 1, Vector::Constant(1, -0.5 * std::log(static_cast<double>(components))), 1.5, -15, 10);
  slot.scale_power = 1;
  return slot;
}

ParameterSlot log_lengthscale_slot(const std::string& name, Index size, Index inputs) {
  const double mean = std::log(2 * std::sqrt(static_cast<double>(inputs)));
  // The upper bound allows inputs that are only centred, whose unit may be a millionth of their range.
  ParameterSlot slot = normal_slot(name, size, Vector::Constant(1, mean), 1.0, -10, 18);
  slot.prior.kind = ParameterPrior::Kind::lower_normal;
  return slot;
}

Vector variance_shares(ConstVec log_amplitudes) {
  const Vector powers = (2 * (log_amplitudes.array() - log_amplitudes.maxCoeff())).exp();
  return powers / powers.sum();
}

Vector inside_bounds(const ParameterLayout& layout, Vector theta) {
  // Strictly inside: a parameter at a bound is reported as stuck.
  constexpr double kMargin = 1e-3;
  for (const ParameterSlot& slot : layout.slots())
    for (Index i = slot.offset; i < slot.offset + slot.size; ++i)
      theta[i] = std::clamp(theta[i], slot.lower + kMargin, slot.upper - kMargin);
  return theta;
}

double rbf_start(const TrainingStatistics& statistics, Index k) {
  const double level = 0.1 + 0.2 * static_cast<double>(k % 5);
  return std::log(statistics.distance_quantile(level, Vector::Ones(statistics.input_count())));
}

Vector positive_vector(const TensorBundle& bundle, const std::string& name, Index size) {
  Vector values = bundle.vector(name, size);
  if (!(values.array() > 0).all())
    throw IoError("model file", "tensor '" + name + "' holds a value that is not positive");
  return values;
}

void check_permutations(const std::vector<std::int32_t>& values, Index length, const std::string& name) {
  const auto count = static_cast<Index>(values.size());
  for (Index first = 0; first < count; first += length) {
    std::vector<bool> seen(static_cast<std::size_t>(length), false);
    for (Index i = first; i < first + length; ++i) {
      const std::int32_t at = i < count ? values[static_cast<std::size_t>(i)] : -1;
      if (at < 0 || at >= length || seen[static_cast<std::size_t>(at)])
        throw IoError("model file", "tensor '" + name + "' is not a permutation in each block");
      seen[static_cast<std::size_t>(at)] = true;
    }
  }
}

}  // namespace alacarte
