#pragma once
// The line search that LBFGSpp is given in place of its own, which throw at the first NaN and leave x at a trial point.
//
// A strong Wolfe search (Nocedal and Wright 2006, algorithms 3.5 and 3.6) with safeguarded cubic interpolation. A trial
// whose value is not finite, or whose evaluation failed, only bounds the step from above. An accepted step is reported
// to the objective functor, which counts iterations and may leave by an exception.
#include <LBFGS.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// No step along the direction lowers the value: the L-BFGS memory or the gradient is inaccurate.
struct SearchFailed {};

template <typename Scalar>
class WolfeSearch {
 public:
  /// The signature that LBFGSpp::LBFGSSolver expects. Functor: `value(x, gradient)` as operator(), which returns +inf
  /// for a failed evaluation, `Scalar first_step(direction)`, `accepted(x, value, gradient, previous)` and
  /// `set_ceiling(value)`: trials above it need no gradient (NaN is accepted).
  template <typename Functor>
  static void LineSearch(Functor& functor, Scalar& value, Vector& x, Vector& gradient, Scalar& step,
                         const Vector& direction, const Vector& previous, const LBFGSpp::LBFGSParam<Scalar>& settings) {
    const Scalar slope = gradient.dot(direction);
    if (!(slope < 0) || !std::isfinite(slope)) throw SearchFailed{};
    WolfeSearch search(value, slope, settings);
    search.low_gradient_ = gradient;
    step = functor.first_step(direction);
    functor.set_ceiling(value + kRounding * std::abs(value));
    for (int trial = 0; trial < settings.max_linesearch && step > 0; ++trial) {
      x.noalias() = previous + step * direction;
      value = functor(x, gradient);
      const Point point{step, value, std::isfinite(value) ? gradient.dot(direction) : Scalar(0)};
      if (search.good(point)) {
        functor.accepted(x, value, gradient, previous);
        return;
      }
      step = search.next(point, gradient);
    }
    search.settle(functor, value, x, gradient, step, direction, previous);
  }

  /// Overload with the signature of LBFGSpp 0.2 and later (Ubuntu's), which also returns the slope at the accepted
  /// point.
  template <typename Functor>
  static void LineSearch(Functor& functor, const LBFGSpp::LBFGSParam<Scalar>& settings, const Vector& previous,
                         const Vector& direction, const Scalar&, Scalar& step, Scalar& value, Vector& gradient,
                         Scalar& slope, Vector& x) {
    LineSearch(functor, value, x, gradient, step, direction, previous, settings);
    slope = gradient.dot(direction);
  }

 private:
  struct Point {
    Scalar step, value, slope;
  };

  WolfeSearch(Scalar value, Scalar slope, const LBFGSpp::LBFGSParam<Scalar>& settings)
      : origin_{0, value, slope}, low_{0, value, slope}, settings_(settings) {}

  bool low_enough(const Point& point) const {
    return std::isfinite(point.value) && std::isfinite(point.slope) &&
           point.value <= origin_.value + settings_.ftol * point.step * origin_.slope;
  }
  /// Close to a minimum values differ by less than their rounding and only slopes tell: the approximate Wolfe condition
  /// of Hager and Zhang (2005), equation 4.1.
  bool level_and_flatter(const Point& point) const {
    return std::isfinite(point.slope) && point.value <= origin_.value + kRounding * std::abs(origin_.value) &&
           point.slope <= (2 * settings_.ftol - 1) * origin_.slope;
  }
  bool good(const Point& point) const {
    return (low_enough(point) || level_and_flatter(point)) && std::abs(point.slope) <= -settings_.wolfe * origin_.slope;
  }

  /// Narrows or widens the bracket around `point` and returns the next step.
  Scalar next(const Point& point, const Vector& gradient) {
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
    const Scalar width = high_.step - low_.step;
    if (!std::isfinite(high_.value)) return low_.step + kRetreat * width;
    const Scalar guess = std::isfinite(high_.slope) ? cubic_minimum(low_, high_) : parabola_minimum(low_, high_);
    const Scalar share = std::isfinite(guess) ? (guess - low_.step) / width : Scalar(0.5);
    return low_.step + std::clamp(share, kEdge, 1 - kEdge) * width;
  }

  /// Minimum of the cubic through two values and slopes; Nocedal and Wright, equation 3.59.
  static Scalar cubic_minimum(const Point& a, const Point& b) {
    const Scalar d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step);
    const Scalar inside = d1 * d1 - a.slope * b.slope;
    if (!(inside >= 0)) return std::numeric_limits<Scalar>::infinity();
    const Scalar d2 = std::copysign(std::sqrt(inside), b.step - a.step);
    const Scalar result = b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
    return std::isnan(result) ? std::numeric_limits<Scalar>::infinity() : result;
  }

  /// Minimum of the parabola through two values and the slope at the first; Nocedal and Wright, equation 3.58.
  static Scalar parabola_minimum(const Point& a, const Point& b) {
    const Scalar width = b.step - a.step, rise = b.value - a.value - a.slope * width;
    return rise > 0 ? a.step - a.slope * width * width / (2 * rise) : std::numeric_limits<Scalar>::infinity();
  }

  /// After the last trial: accepts the best point with sufficient decrease, although its slope is steep.
  template <typename Functor>
  void settle(Functor& functor, Scalar& value, Vector& x, Vector& gradient, Scalar& step, const Vector& direction,
              const Vector& previous) const {
    if (!(low_.step > 0)) throw SearchFailed{};
    step = low_.step;
    x.noalias() = previous + step * direction;
    value = low_.value;
    gradient = low_gradient_;
    functor.accepted(x, value, gradient, previous);
  }

  static constexpr Scalar kMinGrowth = 1.5, kMaxGrowth = 4, kRetreat = 0.25, kEdge = 0.1, kRounding = 1e-14;
  Point origin_, low_, high_ = {};
  bool bracketed_ = false;
  Vector low_gradient_;
  const LBFGSpp::LBFGSParam<Scalar>& settings_;
};

}  // namespace alacarte
