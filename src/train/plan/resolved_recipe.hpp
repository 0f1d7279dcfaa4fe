#pragma once
// A recipe and all that follows from it and the table, decided once before any row is standardised.
#include "alacarte/data/row_source.hpp"
#include "alacarte/train/fit.hpp"
#include "auto_recipe.hpp"

namespace alacarte {

/// The recipe of one training in its two states. Nothing assigns to them later: a fit has a copy of its own (FitJob).
struct ResolvedRecipe {
  Recipe asked;    ///< recipe as written, with the defaults of its likelihood
  Recipe planned;  ///< recipe that is trained: for "auto" the mixture that it stands for, otherwise as asked
  bool has_clock() const { return planned.training.seconds > 0; }
};

/// Resolves a recipe for these raw rows. schemas: one for each target; those of a rows file may know the noise of each
/// row; structure: of these rows; race: TableSize::race. Throws what auto_recipe() throws. Reads no row.
ResolvedRecipe resolve_recipe(Recipe recipe, const std::vector<Schema>& schemas, const RowSource& training,
                              const RowStructure& structure, const FitOptions& options, const MemberRace& race = {});

/// Finds the structure of raw rows for a recipe; none where rows are scaled to unit length.
RowStructure structure_of(const Recipe& recipe, const RowSource& training, std::uint64_t seed);

/// Returns the recipe that a recipe, with the defaults of its likelihood, stands for on these raw rows: auto_recipe(),
/// then with_open_relevance(). classes: 0 where the target is a number or a count.
Recipe planned_recipe(const Recipe& recipe, const RowSource& training, Index classes, const RowStructure& structure,
                      const FitOptions& options, const MemberRace& race = {});

/// Returns the race that comes before these rows are trained on, or the round after `before`: plan_race(), and none for
/// rows in groups or times, in several processes, and for a repetition.
RacePlan planned_race(const Recipe& recipe, const RowSource& training, Index classes, const RowStructure& structure,
                      const FitOptions& options, const MemberRace& before = {});

}  // namespace alacarte
