#pragma once
// The registries of feature maps and kernels combined: which models a recipe may name, and their construction.
#include <alacarte/core/model_info.hpp>
#include <alacarte/features/feature_map.hpp>
#include <alacarte/kernel/kernel.hpp>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

/// Descriptions of all registered models: the maps, then the kernels.
const std::vector<ModelInfo>& model_infos();

/// Checks a recipe that was not parsed: throws ConfigError for a model that is not among `models`, and for a key that
/// its model does not use and that is not at its default. The room io, which has the table of keys, defines it.
void refuse_unused_keys(const Recipe& recipe, const std::vector<ModelInfo>& models);

/// The prior of a single fit: exactly one of map and kernel is set.
struct ModelFunction {
  std::shared_ptr<const FeatureMap> map;  ///< null for an exact kernel
  std::shared_ptr<const Kernel> kernel;   ///< null for a feature map

  /// Returns the parameters of the map or kernel.
  const ParameterLayout& parameters() const { return map ? map->parameters() : kernel->parameters(); }
  /// Returns the k-th starting point of the map or kernel (FeatureMap::start()).
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const {
    return map ? map->start(statistics, k, stream) : kernel->start(statistics, k, stream);
  }
};

/// Draws the map, or makes the kernel, of one model (no mixture). `inputs`: d after encoding; `statistics`: of the
/// training rows. Throws ConfigError for a model that is not registered, for a key that it does not use and that is not
/// at its default, and for settings that do not fit.
ModelFunction make_function(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                            const TrainingStatistics& statistics);

/// Restores the map that save() wrote under `prefix`, or constructs the kernel. Throws IoError for a model that is not
/// registered, or for tensors that do not fit.
ModelFunction load_function(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix);

}  // namespace alacarte
