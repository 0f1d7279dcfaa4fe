#include "inference/evaluation.hpp"

#include <algorithm>
#include <cmath>

namespace alacarte {

ParameterLayout with_held(ParameterLayout layout, const InferenceOptions& options) {
  for (ParameterSlot& slot : layout.slots())
    if (std::find(options.held.begin(), options.held.end(), slot.name) != options.held.end()) slot.trainable = false;
  return layout;
}

void check_theta(const ParameterLayout& layout, ConstVec theta) {
  require(theta.size() == layout.size(), "theta does not fit the objective");
  for (Index i = 0; i < theta.size(); ++i)
    if (!std::isfinite(theta[i])) throw NumericalError("objective", layout.entry_name(i) + " is not finite", theta[i]);
}

void finish_gradient(const ParameterLayout& layout, double value, VecRef gradient) {
  if (!std::isfinite(value)) throw NumericalError("objective", "the evidence is not finite", value);
  for (const auto& slot : layout.slots())
    if (!slot.trainable) gradient.segment(slot.offset, slot.size).setZero();
  for (Index i = 0; i < gradient.size(); ++i)
    if (!std::isfinite(gradient[i]))
      throw NumericalError("objective", "the gradient of " + layout.entry_name(i) + " is not finite", gradient[i]);
}

}  // namespace alacarte
