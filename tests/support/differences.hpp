#pragma once
// Central differences of a scalar function, to check hand-written gradients.
#include <algorithm>
#include <cmath>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// Returns the gradient of f at theta by Richardson-extrapolated differences: error O(step⁴) + O(rounding of f / step).
template <class Function>
Vector central_differences(Function&& f, ConstVec theta, double step = 1e-3) {
  Vector gradient(theta.size()), at = theta;
  const auto slope = [&](Index i, double h) {
    at[i] = theta[i] + h;
    const double up = f(at);
    at[i] = theta[i] - h;
    const double down = f(at);
    at[i] = theta[i];
    return (up - down) / (2 * h);
  };
  for (Index i = 0; i < theta.size(); ++i) {
    const double h = step * std::max(1.0, std::abs(theta[i]));
    gradient[i] = (4 * slope(i, h / 2) - slope(i, h)) / 3;
  }
  return gradient;
}

/// Returns the largest |analytic - numeric| over max(|analytic|, |numeric|, floor), floor = 1e-3 of the largest numeric
/// entry, since nearly zero entries cannot be compared digit by digit.
inline double worst_relative_error(ConstVec analytic, ConstVec numeric) {
  const double floor = 1e-3 * numeric.cwiseAbs().maxCoeff() + 1e-300;
  double worst = 0;
  for (Index i = 0; i < analytic.size(); ++i) {
    const double scale = std::max({std::abs(analytic[i]), std::abs(numeric[i]), floor});
    const double error = std::abs(analytic[i] - numeric[i]) / scale;
    worst = std::isfinite(error) ? std::max(worst, error) : INFINITY;
  }
  return worst;
}

}  // namespace alacarte
