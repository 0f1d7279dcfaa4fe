#pragma once
// The entries that the registry lists, each written beside its map.
#include <memory>

#include "alacarte/features/feature_map.hpp"

namespace alacarte {

using MapPointer = std::unique_ptr<FeatureMap>;

FeatureMapEntry rbf_entry();
FeatureMapEntry ard_entry();
FeatureMapEntry fsard_entry();
FeatureMapEntry fsgbard_entry();
FeatureMapEntry gaussian_mixture_entry();
FeatureMapEntry piecewise_linear_entry();
FeatureMapEntry ssgpr_entry();
FeatureMapEntry linear_entry();

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

}  // namespace alacarte
