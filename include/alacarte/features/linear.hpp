#pragma once
// The linear map: psi(x) = v x / sqrt(d), so k(x, x') = v^2 x.x' / d: Bayesian ridge regression whose penalty is
// learned by evidence. The baseline that every learned kernel has to beat. D = d; slot "linear.log_amplitude" (log v).
#include <alacarte/features/feature_map.hpp>

namespace alacarte {

std::unique_ptr<FeatureMap> make_linear_map(const FeatureConfig& config, Index input_count,
                                            const RandomStreams& streams);
std::unique_ptr<FeatureMap> load_linear_map(const FeatureConfig& config, Index input_count, const TensorBundle& bundle,
                                            const std::string& prefix);

}  // namespace alacarte
