#include "alacarte/model/registered.hpp"

#include <algorithm>

#include "alacarte/model/likelihood.hpp"
#include "features/levels.hpp"
#include "kernel/levels.hpp"

namespace alacarte {

const std::vector<ModelInfo>& model_infos() {
  static const std::vector<ModelInfo> infos = [] {
    std::vector<ModelInfo> all(feature_maps().begin(), feature_maps().end());
    all.insert(all.end(), kernels().begin(), kernels().end());
    return all;
  }();
  return infos;
}

namespace {

Prior with_levels(const Recipe& recipe, std::unique_ptr<FeatureMap> map, const std::vector<Index>& level_counts) {
  if (level_counts.empty()) return map;
  const bool eliminates = recipe.learner.kind == LearnerKind::gp && likelihood_of(recipe).is_conjugate();
  return with_level_effects(recipe.model, std::move(map), level_columns(level_counts, eliminates));
}

Prior with_levels(const Recipe& recipe, std::unique_ptr<Kernel> kernel, const std::vector<Index>& level_counts) {
  if (level_counts.empty()) return kernel;
  return with_level_effects(recipe.model, std::move(kernel), static_cast<Index>(level_counts.size()));
}

/// Returns the number of inputs that are no codes of levels. Throws ConfigError without any.
Index smooth_inputs(Index inputs, const std::vector<Index>& level_counts) {
  const Index smooth = inputs - static_cast<Index>(level_counts.size());
  if (smooth < 1) throw ConfigError("/model", "there is no input column beside those of the levels of random effects");
  return smooth;
}

}  // namespace

Prior make_prior(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                 const TrainingStatistics& statistics) {
  refuse_unused_keys(recipe, model_infos());
  const std::vector<Index>& levels = statistics.level_counts;
  const Index smooth = smooth_inputs(inputs, levels);
  if (const FeatureMapEntry* entry = find_feature_map(recipe.model))
    return with_levels(
        recipe, entry->make(recipe, smooth, streams, levels.empty() ? statistics : statistics.of_inputs(0, smooth)),
        levels);
  if (const KernelEntry* exact = find_kernel(recipe.model))
    return with_levels(recipe, exact->make(recipe, smooth), levels);
  throw ConfigError("/model", "'" + recipe.model + "' is not a single feature map or kernel");
}

Prior load_prior(const Recipe& recipe, Index inputs, const std::vector<Index>& level_counts, const TensorBundle& bundle,
                 const std::string& prefix) {
  const Index smooth = smooth_inputs(inputs, level_counts);
  if (const FeatureMapEntry* entry = find_feature_map(recipe.model))
    return with_levels(recipe, entry->load(recipe, smooth, bundle, prefix), level_counts);
  if (const KernelEntry* exact = find_kernel(recipe.model))
    return with_levels(recipe, exact->make(recipe, smooth), level_counts);
  throw IoError("model file", "there is no model '" + recipe.model + "'");
}

}  // namespace alacarte
