#include "alacarte/model/registered.hpp"

#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "core/text_file.hpp"

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

/// Rejects an explicit /scale/target that the likelihood does not use, even if it equals the default for numbers.
Recipe resolve_read(const Recipe& recipe, const nlohmann::json& json) {
  const Recipe whole = apply_likelihood_defaults(recipe);
  const nlohmann::json::json_pointer place("/scale/target");
  if (whole.scale_target != recipe.scale_target && json.contains(place) && json[place] != "none")
    throw ConfigError("/scale/target", "classes and counts are not scaled; leave it out");
  return whole;
}

}  // namespace

Recipe parse_registered_recipe(const nlohmann::json& json) {
  return resolve_read(parse_recipe(json, model_infos()), json);
}

Recipe read_registered_recipe(const std::string& path) {
  const Recipe recipe = read_recipe(path, model_infos());
  try {
    return resolve_read(recipe, parse_json(read_text_file(path), path));
  } catch (const ConfigError& error) {
    throw error.in_file(path);
  }
}

ModelFunction make_function(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                            const TrainingStatistics& statistics) {
  refuse_unused_keys(recipe, model_infos());
  if (const FeatureMapEntry* entry = find_feature_map(recipe.model))
    return {entry->make(recipe, inputs, streams, statistics), nullptr};
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
