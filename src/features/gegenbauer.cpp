#include "features/gegenbauer.hpp"

#include <cmath>

namespace alacarte {

SphereProfile::SphereProfile(bool powers, Index degree, Index dimension) : powers_(powers), degree_(degree) {
  const double d = static_cast<double>(dimension);
  for (Index k = 1; k < degree; ++k) {
    const double n = static_cast<double>(k);
    rise_.push_back((2 * n + d - 2) / (n + d - 2));
    fall_.push_back(n / (n + d - 2));
  }
}

SphereProfile::Value SphereProfile::operator()(double t) const {
  if (degree_ == 0) return {1, 0};
  if (powers_) {
    double below = 1;  // products: std::pow takes four times as long as the rest of a feature
    for (Index k = 1; k < degree_; ++k) below *= t;
    return {t * below, static_cast<double>(degree_) * below};
  }
  Value before{1, 0}, now{t, 1};
  for (std::size_t k = 0; k < rise_.size(); ++k) {
    const Value next{rise_[k] * t * now.value - fall_[k] * before.value,
                     rise_[k] * (now.value + t * now.slope) - fall_[k] * before.slope};
    before = now;
    now = next;
  }
  return now;
}

double sphere_harmonics(Index degree, Index dimension) {
  if (degree == 0) return 1;
  const double n = static_cast<double>(degree), d = static_cast<double>(dimension);
  return (2 * n + d - 2) * std::exp(std::lgamma(n + d - 2) - std::lgamma(n + 1) - std::lgamma(d - 1));
}

// Uses t P_n = ((n + D - 2) P_(n+1) + n P_(n-1)) / (2n + D - 2), p times from P_0: no step adds a negative term.
std::vector<double> gegenbauer_coefficients_of_power(Index p, Index dimension) {
  const double d = static_cast<double>(dimension);
  std::vector<double> now(static_cast<std::size_t>(p) + 1, 0.0);
  now[0] = 1;
  for (Index step = 0; step < p; ++step) {
    std::vector<double> next(now.size(), 0.0);
    next[1] += now[0];
    for (std::size_t n = 1; n + 1 < now.size(); ++n) {
      const double k = static_cast<double>(n), total = 2 * k + d - 2;
      next[n + 1] += now[n] * (k + d - 2) / total;
      next[n - 1] += now[n] * k / total;
    }
    now = std::move(next);
  }
  return now;
}

}  // namespace alacarte
