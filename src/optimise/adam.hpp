#pragma once
// Adam with decoupled decay (Kingma and Ba 2015; Loshchilov and Hutter 2019), its steps in units of each parameter.
#include <cmath>
#include <utility>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// Adam with steps in units: a step of length s moves a parameter by about s of its own units. Const sizes;
/// elementwise, so a range of entries may be moved by itself.
class Adam {
 public:
  /// Sets, for each of p parameters, unit (0: it stays), centre of its decay, and decay as a share of a step's length.
  Adam(Vector unit, Vector centre, Vector decay)
      : unit_(std::move(unit)),
        centre_(std::move(centre)),
        decay_(std::move(decay)),
        first_(Vector::Zero(unit_.size())),
        second_(first_) {}

  /// Sets the length of the steps until the next call.
  void begin_step(double length) {
    ++steps_;
    length_ = length;
    first_share_ = 1 - std::pow(kFirst, steps_);
    second_share_ = 1 - std::pow(kSecond, steps_);
  }

  /// Moves the entries first .. first + count - 1 against their gradient.
  void move(Index first, Index count, VecRef parameters, ConstVec gradient) {
    const auto unit = unit_.segment(first, count).array();
    auto m = first_.segment(first, count).array(), v = second_.segment(first, count).array();
    auto at = parameters.segment(first, count).array();
    const auto slope = gradient.segment(first, count).array() * unit;
    m = kFirst * m + (1 - kFirst) * slope;
    v = kSecond * v + (1 - kSecond) * slope.square();
    const double scale = length_ / first_share_;
    at -= scale * unit * m / ((v / second_share_).sqrt() + kSmallest) +
          length_ * decay_.segment(first, count).array() * (at - centre_.segment(first, count).array());
  }

 private:
  static constexpr double kFirst = 0.9, kSecond = 0.999, kSmallest = 1e-8;

  Vector unit_, centre_, decay_, first_, second_;
  int steps_ = 0;
  double length_ = 0, first_share_ = 1, second_share_ = 1;
};

}  // namespace alacarte
