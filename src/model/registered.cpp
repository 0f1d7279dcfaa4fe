#include "alacarte/model/registered.hpp"

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"

namespace alacarte {

const std::vector<ModelCard>& model_cards() {
  static const std::vector<ModelCard> cards = [] {
    std::vector<ModelCard> all(feature_maps().begin(), feature_maps().end());
    all.insert(all.end(), kernels().begin(), kernels().end());
    return all;
  }();
  return cards;
}

ModelFunction make_function(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                            const TrainingView& view) {
  refuse_unused_keys(recipe, model_cards());
  if (const FeatureMapEntry* entry = find_feature_map(recipe.model))
    return {entry->make(recipe, inputs, streams, view), nullptr};
  if (const KernelEntry* exact = find_kernel(recipe.model)) return {nullptr, exact->make(recipe, inputs)};
  throw ConfigError("/model", "'" + recipe.model + "' is not a single feature map or kernel");
}

ModelFunction load_function(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  if (const FeatureMapEntry* entry = find_feature_map(recipe.model))
    return {entry->load(recipe, inputs, bundle, prefix), nullptr};
  if (const KernelEntry* exact = find_kernel(recipe.model)) return {nullptr, exact->make(recipe, inputs)};
  throw IoError("model file", "there is no model '" + recipe.model + "'");
}

}  // namespace alacarte
