#include "support/card_recipe.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "alacarte/io/recipe_io.hpp"
#include "alacarte/linalg/hartley.hpp"
#include "alacarte/model/registered.hpp"

namespace alacarte {
namespace {

void make_small(Recipe& recipe, Index frequencies) {
  const ModelCard* card = find_card(model_cards(), recipe.model);
  if (card->uses("features.frequencies")) recipe.features.frequencies = frequencies;
  if (card->uses("features.sketch")) recipe.features.sketch = frequencies;
  if (card->uses("features.samples")) recipe.features.samples = frequencies;
  if (card->uses("features.components")) recipe.features.components = 2;
  for (Recipe& term : recipe.terms) make_small(term, frequencies);
}

}  // namespace

Recipe card_recipe(const std::string& model, Index frequencies) {
  const ModelCard* card = find_card(model_cards(), model);
  if (card == nullptr) throw std::invalid_argument("no model " + model);
  Recipe recipe = parse_recipe(parse_json(card->recipe, model), model_cards());
  recipe.copies = 1;
  make_small(recipe, frequencies);
  return recipe;
}

bool can_make(const std::string& model) { return model != "tensor-sketch" || has_fftw(); }

}  // namespace alacarte
