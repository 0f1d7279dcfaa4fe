#pragma once
// Parameter slots that many maps have (amplitudes, length-scales) with their priors and bounds, and small helpers for
// initial values, model files and reports.
#include <string>

#include "alacarte/core/parameter_layout.hpp"
#include "alacarte/core/tensor_bundle.hpp"
#include "alacarte/core/training_statistics.hpp"
#include "alacarte/core/types.hpp"

namespace alacarte {

/// Returns the log amplitude (1) of one of `components` additive parts, in standard deviations of the target: prior
/// N(-log(components) / 2, 1.5^2).
ParameterSlot log_amplitude_slot(const std::string& name, Index components);

/// Returns `size` log length-scales of a map on `inputs` inputs: one-sided normal prior of sd 1 below log(2
/// sqrt(inputs)), flat above.
ParameterSlot log_lengthscale_slot(const std::string& name, Index size, Index inputs);

/// Returns `size` entries with prior N(mean, sd^2) and bounds [lower, upper]; mean (size), or (1) for all.
ParameterSlot normal_slot(const std::string& name, Index size, Vector mean, double sd, double lower, double upper);

/// Returns the fractions of the variance of components with these log amplitudes, exp(2 a_q) / sum; they sum to 1 even
/// if every exponential underflows.
Vector variance_shares(ConstVec log_amplitudes);

/// Clamps every entry of theta into the interior of its bounds.
Vector inside_bounds(const ParameterLayout& layout, Vector theta);

/// Returns the k-th initial log length-scale of an isotropic kernel: the logarithm of the 0.1, 0.3, .. 0.9 quantile (k
/// mod 5) of the distances between pairs of rows.
double rbf_start(const TrainingStatistics& statistics, Index k);

/// Returns the tensor `name` (size) of a model file. Throws IoError if its shape differs or an entry is not positive.
Vector positive_vector(const TensorBundle& bundle, const std::string& name, Index size);

/// Throws IoError unless each run of `length` values is a permutation of 0 .. length - 1.
void check_permutations(const std::vector<std::int32_t>& values, Index length, const std::string& name);

}  // namespace alacarte
