#pragma once
// The line search of L-BFGS.
//
// A strong Wolfe search (Nocedal and Wright 2006, algorithms 3.5 and 3.6) with safeguarded cubic interpolation. A trial
// whose value is not finite, or whose evaluation failed, only bounds the step from above. An accepted step is reported
// to the objective functor, which counts iterations and may leave by an exception.
#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// No step along the direction lowers the value: the L-BFGS memory or the gradient is inaccurate.
struct SearchFailed {};

class WolfeSearch {
 public:
  /// Moves x, with its value and gradient, from `previous` along `direction`. Functor: `value(x, gradient)` as
  /// operator(), which returns +inf for a failed evaluation, `double first_step(direction)`, `accepted(x, value,
  /// gradient)` and `set_ceiling(value)`: trials above it need no gradient (NaN is accepted).
  template <typename Functor>
  static void search(Functor& functor, double& value, Vector& x, Vector& gradient, const Vector& direction,
                     const Vector& previous) {
    const double slope = gradient.dot(direction);
    if (!(slope < 0) || !std::isfinite(slope)) throw SearchFailed{};
    WolfeSearch search(value, slope);
    search.low_gradient_ = gradient;
    double step = functor.first_step(direction);
    functor.set_ceiling(value + kRounding * std::abs(value));
    for (int trial = 0; trial < kMaxTrials && step > 0; ++trial) {
      x.noalias() = previous + step * direction;
      value = functor(x, gradient);
      const Point point{step, value, std::isfinite(value) ? gradient.dot(direction) : 0.0};
      if (search.good(point)) {
        functor.accepted(x, value, gradient);
        return;
      }
      step = search.next(point, gradient);
    }
    search.settle(functor, value, x, gradient, direction, previous);
  }

 private:
  struct Point {
    double step, value, slope;
  };

  WolfeSearch(double value, double slope) : origin_{0, value, slope}, low_{0, value, slope} {}

  bool low_enough(const Point& point) const {
    return std::isfinite(point.value) && std::isfinite(point.slope) &&
           point.value <= origin_.value + kDecrease * point.step * origin_.slope;
  }
  /// Returns true by the approximate Wolfe condition of Hager and Zhang (2005), equation 4.1: close to a minimum values
  /// differ by less than their rounding, and only slopes tell.
  bool level_and_flatter(const Point& point) const {
    return std::isfinite(point.slope) && point.value <= origin_.value + kRounding * std::abs(origin_.value) &&
           point.slope <= (2 * kDecrease - 1) * origin_.slope;
  }
  bool good(const Point& point) const {
    return (low_enough(point) || level_and_flatter(point)) && std::abs(point.slope) <= -kFlatness * origin_.slope;
  }

  /// Narrows or widens the bracket around `point` and returns the next step.
  double next(const Point& point, const Vector& gradient) {
    if (!low_enough(point) || point.value >= low_.value) {
      high_ = point;
      bracketed_ = true;
    } else {
      if (bracketed_ ? point.slope * (high_.step - low_.step) >= 0 : point.slope >= 0) {
        high_ = low_;
        bracketed_ = true;
      }
      const Point before = low_;
      low_ = point;
      low_gradient_ = gradient;
      if (!bracketed_) return std::clamp(cubic_minimum(before, low_), kMinGrowth * low_.step, kMaxGrowth * low_.step);
    }
    const double width = high_.step - low_.step;
    if (!std::isfinite(high_.value)) return low_.step + kRetreat * width;
    const double guess = std::isfinite(high_.slope) ? cubic_minimum(low_, high_) : parabola_minimum(low_, high_);
    const double share = std::isfinite(guess) ? (guess - low_.step) / width : 0.5;
    return low_.step + std::clamp(share, kEdge, 1 - kEdge) * width;
  }

  /// Returns the minimum of the cubic through two values and slopes; Nocedal and Wright, equation 3.59.
  static double cubic_minimum(const Point& a, const Point& b) {
    const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step);
    const double inside = d1 * d1 - a.slope * b.slope;
    if (!(inside >= 0)) return std::numeric_limits<double>::infinity();
    const double d2 = std::copysign(std::sqrt(inside), b.step - a.step);
    const double result = b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
    return std::isnan(result) ? std::numeric_limits<double>::infinity() : result;
  }

  /// Returns the minimum of the parabola through two values and the first slope; Nocedal and Wright, equation 3.58.
  static double parabola_minimum(const Point& a, const Point& b) {
    const double width = b.step - a.step, rise = b.value - a.value - a.slope * width;
    return rise > 0 ? a.step - a.slope * width * width / (2 * rise) : std::numeric_limits<double>::infinity();
  }

  /// After the last trial: accepts the best point with sufficient decrease, although its slope is steep.
  template <typename Functor>
  void settle(Functor& functor, double& value, Vector& x, Vector& gradient, const Vector& direction,
              const Vector& previous) const {
    if (!(low_.step > 0)) throw SearchFailed{};
    x.noalias() = previous + low_.step * direction;
    value = low_.value;
    gradient = low_gradient_;
    functor.accepted(x, value, gradient);
  }

  static constexpr int kMaxTrials = 20;
  static constexpr double kDecrease = 1e-4, kFlatness = 0.9;
  static constexpr double kMinGrowth = 1.5, kMaxGrowth = 4, kRetreat = 0.25, kEdge = 0.1, kRounding = 1e-14;
  Point origin_, low_, high_ = {};
  bool bracketed_ = false;
  Vector low_gradient_;
};

}  // namespace alacarte
