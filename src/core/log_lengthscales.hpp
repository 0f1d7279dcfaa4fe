#pragma once
// The log length-scales among the parameters: one for each input, or one shared by all inputs.
#include "alacarte/core/types.hpp"

namespace alacarte {

struct LogLengthscales {
  Index first = 0, inputs = 0;
  bool shared = false;

  /// Returns the number of parameters.
  Index count() const { return shared ? 1 : inputs; }

  /// Returns the parameters (count()).
  auto learned(ConstVec theta) const { return theta.segment(first, count()); }

  double of_input(ConstVec theta, Index j) const { return theta[shared ? first : first + j]; }

  /// Returns (inputs) the log length-scale of each input.
  Vector of_inputs(ConstVec theta) const {
    Vector logs(inputs);
    for (Index j = 0; j < inputs; ++j) logs[j] = of_input(theta, j);
    return logs;
  }

  /// Sets the parameters to `logs` (inputs), or to their mean if shared.
  void set(ConstVec logs, VecRef theta) const {
    if (shared) {
      theta[first] = logs.mean();
    } else {
      theta.segment(first, inputs) = logs;
    }
  }

  /// Adds the derivatives `slopes` (inputs) by the log length-scale of each input to the gradient.
  void add_slopes(ConstVec slopes, VecRef theta_bar) const {
    if (shared) {
      theta_bar[first] += slopes.sum();
    } else {
      theta_bar.segment(first, inputs) += slopes;
    }
  }
};

}  // namespace alacarte
