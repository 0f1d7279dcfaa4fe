#pragma once
// The constructors the registry lists.
#include <memory>

#include "alacarte/features/feature_map.hpp"

namespace alacarte {

using MapPointer = std::unique_ptr<FeatureMap>;

/// rbf, ard, fsard and fsgbard: which of the Fastfood diagonals are parameters.
enum class FastfoodKind { rbf, ard, fsard, fsgbard };
MapPointer make_fastfood_map(FastfoodKind kind, const FeatureConfig& config, Index inputs,
                             const RandomStreams& streams);
MapPointer load_fastfood_map(FastfoodKind kind, const FeatureConfig& config, Index inputs, const TensorBundle& bundle,
                             const std::string& prefix);

/// rbf and ard on dense Gaussian frequencies, and ssgpr, whose frequencies are parameters.
enum class DenseKind { rbf, ard, ssgpr };
MapPointer make_dense_map(DenseKind kind, const FeatureConfig& config, Index inputs, const RandomStreams& streams);
MapPointer load_dense_map(DenseKind kind, const FeatureConfig& config, Index inputs, const TensorBundle& bundle,
                          const std::string& prefix);

MapPointer make_gaussian_mixture(const FeatureConfig& config, Index inputs, const RandomStreams& streams);
MapPointer load_gaussian_mixture(const FeatureConfig& config, Index inputs, const TensorBundle& bundle,
                                 const std::string& prefix);

MapPointer make_piecewise_linear(const FeatureConfig& config, Index inputs, const RandomStreams& streams);
MapPointer load_piecewise_linear(const FeatureConfig& config, Index inputs, const TensorBundle& bundle,
                                 const std::string& prefix);

/// Bayesian ridge: nothing is drawn, so no frequencies and nothing to load.
MapPointer make_linear_map(const FeatureConfig& config, Index inputs, const RandomStreams& streams);
MapPointer load_linear_map(const FeatureConfig& config, Index inputs, const TensorBundle& bundle,
                           const std::string& prefix);

}  // namespace alacarte
