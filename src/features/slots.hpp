#pragma once
// What the maps share: the slots of amplitudes and length-scales with their priors and bounds, starts, and reports.
#include <nlohmann/json.hpp>
#include <string>

#include "alacarte/core/parameter_layout.hpp"
#include "alacarte/core/tensor_bundle.hpp"
#include "alacarte/core/training_view.hpp"
#include "alacarte/core/types.hpp"

namespace alacarte {

/// Log amplitude of one of `components`: prior N(-half log components, 1.5), in standard deviations of the target.
ParameterSlot log_amplitude_slot(const std::string& name, Index components);

/// `size` log length-scales of a map on `inputs` inputs: one-sided prior below log(2 sqrt(inputs)), sd 1.
ParameterSlot log_lengthscale_slot(const std::string& name, Index size, Index inputs);

/// A slot whose prior is N(mean, sd) for each entry.
ParameterSlot normal_slot(const std::string& name, Index size, Vector mean, double sd, double lower, double upper);

/// Shares of the variance of components with these log amplitudes; they sum to 1 even where every square underflows.
Vector variance_shares(ConstVec log_amplitudes);

/// Moves every entry inside its bounds.
Vector inside_bounds(const ParameterLayout& layout, Vector theta);

/// Logarithms of k-th RBF start: the 0.1, 0.3, .. 0.9 quantile (k mod 5) of pair distances.
double rbf_start(const TrainingView& view, Index k);

/// A vector from a model file whose entries must be positive; IoError otherwise.
Vector positive_vector(const TensorBundle& bundle, const std::string& name, Index size);

/// Throws IoError unless each run of `length` values is a permutation of 0 .. length - 1.
void check_permutations(const std::vector<std::int32_t>& values, Index length, const std::string& name);

nlohmann::json to_json(ConstVec values);

}  // namespace alacarte
