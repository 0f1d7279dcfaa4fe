#include "resolved_recipe.hpp"

#include <numeric>

#include "alacarte/model/likelihood.hpp"
#include "data/row_structure.hpp"
#include "features/levels.hpp"
#include "optimise/fit_context.hpp"
#include "train/plan/open_relevance.hpp"
#include "trees/cross_fitting.hpp"

namespace alacarte {

ResolvedRecipe resolve_recipe(Recipe recipe, const std::vector<Schema>& schemas, const RowSource& training,
                              const RowStructure& structure, const FitOptions& options, const MemberRace& race) {
  const Schema& schema = schemas.front();
  // A rows file brings these; no recipe names them.
  if (schema.knows_noise()) recipe.data.noise_sd = schema.config().noise_sd;
  if (schema.has_exposure()) recipe.data.exposure = schema.config().exposure;
  recipe = apply_likelihood_defaults(std::move(recipe));
  require(schema.config().labels == recipe.data.labels,
          "fit: recipe and schema disagree on whether the target is a class");
  if (schemas.size() > 1) recipe.data = schema.config();
  Recipe planned = planned_recipe(recipe, training, schema.class_count(), structure, options, race);
  return {std::move(recipe), std::move(planned)};
}

RowStructure structure_of(const Recipe& recipe, const RowSource& training, std::uint64_t seed) {
  if (recipe.scale_rows != RowScaling{} || recipe.learner.kind != LearnerKind::gp) return {};
  return find_structure(training, RandomStreams(seed).stream("training_view.structure"), recipe.scale_target);
}

namespace {

/// Returns the size of raw rows, by which planned_recipe() chooses.
TableSize size_of(const Recipe& recipe, const RowSource& training, Index classes, const RowStructure& structure,
                  const FitOptions& options) {
  const std::vector<Index>& levels = training.level_counts();
  const bool eliminates = recipe.learner.kind == LearnerKind::gp && likelihood_of(recipe).is_conjugate();
  const bool may_boost = can_boost() && !training.is_sparse() && !training.is_distributed() &&
                         training.more_targets().cols() == 0 && recipe.scale_rows == RowScaling{};
  return {.rows = training.rows(),
          .inputs = smooth_inputs(training),
          .classes = classes,
          .weighted = training.has_weights(),
          .targets = training.more_targets().cols() + 1,
          .memory_bytes = options.memory_bytes,
          .row_bytes = training.memory_bytes(),
          .seasons = static_cast<Index>(structure.fundamentals().size()),
          .levels = std::accumulate(levels.begin(), levels.end(), Index{0}),
          .level_features = level_features(levels, eliminates),
          .is_sparse = training.is_sparse(),
          .may_boost = may_boost,
          .values = may_boost && recipe.model == "auto" ? split_values(training) : std::vector<Index>{}};
}

}  // namespace

Recipe planned_recipe(const Recipe& recipe, const RowSource& training, Index classes, const RowStructure& structure,
                      const FitOptions& options, const MemberRace& race) {
  TableSize size = size_of(recipe, training, classes, structure, options);
  size.race = race;
  return with_open_relevance(auto_recipe(recipe, size, std::max(1, options.threads) * FitContext::ranks()), size);
}

RacePlan planned_race(const Recipe& recipe, const RowSource& training, Index classes, const RowStructure& structure,
                      const FitOptions& options, const MemberRace& before) {
  if (training.is_distributed() || !options.columns.empty() || options.repeat != nullptr) return {};
  TableSize size = size_of(recipe, training, classes, structure, options);
  size.race = before;
  return plan_race(recipe, size, std::max(1, options.threads));
}

}  // namespace alacarte
