#include "draw_targets.hpp"

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/model/likelihood.hpp"

namespace alacarte {
namespace {

/// Draws a Poisson count by Knuth's product of uniform numbers, in parts of the rate whose exponential is in range.
double draw_poisson(double rate, RandomStream& stream) {
  constexpr double kPart = 50;
  double count = 0;
  for (double left = rate; left > 0; left -= kPart) {
    const double bound = std::exp(-std::min(left, kPart));
    for (double product = 1 - stream.uniform(); product > bound; product *= 1 - stream.uniform()) ++count;
  }
  return count;
}

/// Draws a gamma variable with mean 1 and variance 1 / shape.
double draw_gamma(double shape, RandomStream& stream) { return std::pow(stream.chi(2 * shape), 2) / (2 * shape); }

}  // namespace

Vector draw_targets(const Recipe& recipe, const Vector& f, double noise_sd, RandomStream& stream) {
  constexpr double kMaxRate = 1e6;
  const Likelihood& likelihood = likelihood_of(recipe);
  if (likelihood.is_conjugate()) return f + noise_sd * stream.normals(f.size());
  require(likelihood.target() != TargetKind::classes, "draw_targets: of numbers and counts");
  const ParameterLayout layout = likelihood.parameters(recipe.noise);
  Vector theta(layout.size());
  for (const ParameterSlot& slot : layout.slots()) theta[slot.offset] = slot.prior.mean[0];
  std::unique_ptr<Likelihood> owned;
  const double dispersion = likelihood_at(recipe, theta, owned).dispersion();
  const double degrees = likelihood.target() == TargetKind::numbers ? 2 + std::exp(theta[1]) : 0;
  Vector y(f.size());
  for (Index i = 0; i < f.size(); ++i) {
    if (likelihood.target() == TargetKind::numbers) {
      y[i] = f[i] + noise_sd * stream.normal() / std::sqrt(draw_gamma(0.5 * degrees, stream));
    } else {
      const double spread = dispersion > 0 ? draw_gamma(1 / dispersion, stream) : 1;
      y[i] = draw_poisson(std::min(std::exp(f[i]) * spread, kMaxRate), stream);
    }
  }
  return y;
}

}  // namespace alacarte
