#include "alacarte/model/registered.hpp"

namespace alacarte {

const std::vector<ModelInfo>& model_infos() {
  static const std::vector<ModelInfo> infos = [] {
    std::vector<ModelInfo> all(feature_maps().begin(), feature_maps().end());
    all.insert(all.end(), kernels().begin(), kernels().end());
    return all;
  }();
  return infos;
}

Prior make_prior(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                 const TrainingStatistics& statistics) {
  refuse_unused_keys(recipe, model_infos());
  if (const FeatureMapEntry* entry = find_feature_map(recipe.model))
    return entry->make(recipe, inputs, streams, statistics);
  if (const KernelEntry* exact = find_kernel(recipe.model)) return exact->make(recipe, inputs);
  throw ConfigError("/model", "'" + recipe.model + "' is not a single feature map or kernel");
}

Prior load_prior(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  if (const FeatureMapEntry* entry = find_feature_map(recipe.model)) return entry->load(recipe, inputs, bundle, prefix);
  if (const KernelEntry* exact = find_kernel(recipe.model)) return exact->make(recipe, inputs);
  throw IoError("model file", "there is no model '" + recipe.model + "'");
}

}  // namespace alacarte
