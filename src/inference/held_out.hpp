#pragma once
// Noise and amplitude of fixed features, estimated from rows that the features were not fitted to.
#include <memory>

#include "alacarte/data/row_source.hpp"
#include "alacarte/features/feature_map.hpp"

namespace alacarte {

/// The noise and amplitude that suit the held-out rows best, in units of their targets.
struct HeldOutFit {
  double noise_variance = 0;
  double amplitude = 1;    ///< factor of the features
  double rmse = 0;         ///< root mean square error of the held-out rows
  double log_density = 0;  ///< mean over the held-out rows
};

/// Rows for fit_held_out(); their targets are (y - mean) / sd.
struct HeldOutRows {
  std::shared_ptr<const RowSource> kept;  ///< rows that the features were fitted to
  std::shared_ptr<const RowSource> held;  ///< held-out rows, on all ranks
  double mean = 0, sd = 1;
};

/// Maximises the mean predictive log density of the held-out rows over noise and amplitude, given the posterior of the
/// weights by the other rows, with a constant under a flat prior (up to 1/n of the noise in its variance). With the
/// eigenvalues l of the centred Psi^T Psi and r = noise / amplitude^2, a held-out row has the mean q.b / (l + r) and
/// the variance s2 (1 + 1/n + q.q / (l + r)), q its centred features along the eigenvectors; s2 is best in closed form,
/// r on a grid. Cost: n D^2 + 9 D^3, and one pass over the rows, chunk by chunk. Ranks that share the kept rows all
/// call it together.
HeldOutFit fit_held_out(const PreparedMap& map, Index features, const HeldOutRows& rows, int threads);

}  // namespace alacarte
