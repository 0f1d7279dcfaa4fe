#include "resolved_recipe.hpp"

#include "optimise/fit_context.hpp"
#include "train/plan/open_relevance.hpp"

namespace alacarte {

ResolvedRecipe resolve_recipe(Recipe recipe, const std::vector<Schema>& schemas, const RowSource& training,
                              const FitOptions& options) {
  const Schema& schema = schemas.front();
  if (schema.knows_noise()) recipe.data.noise_sd = schema.config().noise_sd;  // of a rows file; no recipe names it
  recipe = apply_likelihood_defaults(std::move(recipe));
  require(schema.config().labels == recipe.data.labels,
          "fit: recipe and schema disagree on whether the target is a class");
  if (schemas.size() > 1) recipe.data = schema.config();
  Recipe planned = planned_recipe(recipe, training, schema.class_count(), options);
  return {std::move(recipe), std::move(planned)};
}

Recipe planned_recipe(const Recipe& recipe, const RowSource& training, Index classes, const FitOptions& options) {
  const TableSize size{
      training.rows(),     training.inputs(), classes, training.has_weights(), training.more_targets().cols() + 1,
      options.memory_bytes};
  return with_open_relevance(auto_recipe(recipe, size, std::max(1, options.threads) * FitContext::ranks()), size);
}

}  // namespace alacarte
