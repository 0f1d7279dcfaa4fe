#include "support/example_recipe.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"

namespace alacarte {
namespace {

void make_small(Recipe& recipe, Index frequencies) {
  const ModelInfo* info = find_model_info(model_infos(), recipe.model);
  if (info->uses("features.frequencies")) recipe.features.frequencies = frequencies;
  if (info->uses("features.sketch")) recipe.features.sketch = frequencies;
  if (info->uses("features.samples")) recipe.features.samples = frequencies;
  if (info->uses("features.components")) recipe.features.components = 2;
  if (info->uses("network.widths")) recipe.network.widths = {5, 4};
  for (Recipe& term : recipe.terms) make_small(term, frequencies);
}

}  // namespace

Recipe example_recipe(const std::string& model, Index frequencies) {
  const ModelInfo* info = find_model_info(model_infos(), model);
  if (info == nullptr) throw std::invalid_argument("no model " + model);
  Recipe recipe = parse_recipe(parse_json(info->recipe, model), model_infos());
  recipe.copies = 1;
  make_small(recipe, frequencies);
  return recipe;
}

}  // namespace alacarte
