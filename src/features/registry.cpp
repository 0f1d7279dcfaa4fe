#include <algorithm>

#include "alacarte/core/error.hpp"
#include "features/maps.hpp"

namespace alacarte {
namespace {

bool dense(const FeatureConfig& config) {
  if (config.draws != "fastfood" && config.draws != "gaussian")
    throw ConfigError("/features/draws", "must be 'fastfood' or 'gaussian', not '" + config.draws + "'");
  return config.draws == "gaussian";
}

// Only the two maps that have a dense twin know what to do with "gaussian": elsewhere it would be silently ignored.
void require_fastfood(const FeatureConfig& config) {
  if (dense(config)) throw ConfigError("/features/draws", "'gaussian' is for the models rbf and ard only");
}

template <FastfoodKind kKind, DenseKind kDense>
MapPointer make_either(const FeatureConfig& config, Index inputs, const RandomStreams& streams) {
  return dense(config) ? make_dense_map(kDense, config, inputs, streams)
                       : make_fastfood_map(kKind, config, inputs, streams);
}

template <FastfoodKind kKind, DenseKind kDense>
MapPointer load_either(const FeatureConfig& config, Index inputs, const TensorBundle& bundle,
                       const std::string& prefix) {
  return dense(config) ? load_dense_map(kDense, config, inputs, bundle, prefix)
                       : load_fastfood_map(kKind, config, inputs, bundle, prefix);
}

template <FastfoodKind kKind>
MapPointer make_learned(const FeatureConfig& config, Index inputs, const RandomStreams& streams) {
  require_fastfood(config);
  return make_fastfood_map(kKind, config, inputs, streams);
}

template <FastfoodKind kKind>
MapPointer load_learned(const FeatureConfig& config, Index inputs, const TensorBundle& bundle,
                        const std::string& prefix) {
  require_fastfood(config);
  return load_fastfood_map(kKind, config, inputs, bundle, prefix);
}

MapPointer make_gm(const FeatureConfig& config, Index inputs, const RandomStreams& streams) {
  require_fastfood(config);
  return make_gaussian_mixture(config, inputs, streams);
}

MapPointer load_gm(const FeatureConfig& config, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  require_fastfood(config);
  return load_gaussian_mixture(config, inputs, bundle, prefix);
}

MapPointer make_pwl(const FeatureConfig& config, Index inputs, const RandomStreams& streams) {
  require_fastfood(config);
  return make_piecewise_linear(config, inputs, streams);
}

MapPointer load_pwl(const FeatureConfig& config, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  require_fastfood(config);
  return load_piecewise_linear(config, inputs, bundle, prefix);
}

MapPointer make_ssgpr(const FeatureConfig& config, Index inputs, const RandomStreams& streams) {
  require_fastfood(config);
  return make_dense_map(DenseKind::ssgpr, config, inputs, streams);
}

MapPointer load_ssgpr(const FeatureConfig& config, Index inputs, const TensorBundle& bundle,
                      const std::string& prefix) {
  require_fastfood(config);
  return load_dense_map(DenseKind::ssgpr, config, inputs, bundle, prefix);
}

}  // namespace

const std::vector<FeatureMapEntry>& feature_maps() {
  static const std::vector<FeatureMapEntry> entries = {
      {"rbf", "Gaussian kernel with one length-scale.", make_either<FastfoodKind::rbf, DenseKind::rbf>,
       load_either<FastfoodKind::rbf, DenseKind::rbf>},
      {"ard", "Gaussian kernel with one length-scale for each input.", make_either<FastfoodKind::ard, DenseKind::ard>,
       load_either<FastfoodKind::ard, DenseKind::ard>},
      {"fsard", "As ard, and the length of every frequency is learned.", make_learned<FastfoodKind::fsard>,
       load_learned<FastfoodKind::fsard>},
      {"fsgbard", "As fsard, and the Gaussian and sign diagonals of Fastfood are learned too.",
       make_learned<FastfoodKind::fsgbard>, load_learned<FastfoodKind::fsgbard>},
      {"gm", "Mixture of Gaussians over frequencies (spectral mixture).", make_gm, load_gm},
      {"pwl", "Mixture of kernels with a piecewise linear density of frequency lengths.", make_pwl, load_pwl},
      {"ssgpr", "Sparse spectrum: every entry of every frequency is learned.", make_ssgpr, load_ssgpr},
      {"linear", "Linear functions: ridge regression with its penalty learned, the baseline.", make_linear_map,
       load_linear_map},
  };
  return entries;
}

const FeatureMapEntry* find_feature_map(const std::string& name) {
  const auto& entries = feature_maps();
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace alacarte
