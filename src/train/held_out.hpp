#pragma once
// Noise and amplitude of fixed features by rows that the features were not fitted to.
#include "alacarte/features/feature_map.hpp"

namespace alacarte {

/// What is best for rows that were held out, in units of their targets.
struct HeldOutFit {
  double noise_variance = 0;
  double amplitude = 1;    ///< factor of the features
  double rmse = 0;         ///< of the held-out rows
  double log_density = 0;  ///< mean of theirs
};

/// Maximises the mean predictive log density of the held-out rows over noise and amplitude, given the posterior of the
/// weights by the other rows, with a constant under a flat prior (as far as its variance is 1/n of the noise's). x (n,
/// d), y (n): of these `kept` and `held` are the rows, by index. With the eigenvalues l of the centred Psi^T Psi and r
/// = noise / amplitude^2, a held-out row has the mean q.b / (l + r) and the variance s2 (1 + 1/n + q.q / (l + r)), q
/// its centred features along the eigenvectors; s2 is best in closed form, r on a grid. Cost: n D^2 + 9 D^3.
HeldOutFit fit_held_out(const PreparedMap& map, Index features, ConstMat x, ConstVec y, const std::vector<Index>& kept,
                        const std::vector<Index>& held, int threads);

}  // namespace alacarte
