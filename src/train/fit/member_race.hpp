#pragma once
// A race before the fits of "auto": which kinds of members, and which scales of their inputs, are worth the time.
#include "train/plan/auto_recipe.hpp"
#include "training.hpp"

namespace alacarte {

/// Trains one short fit of each kind and scale that planned_race() names, side by side, on the same rows, and drops
/// those whose log density (or log probability) of further rows is behind the best by more than 0.1 and two standard
/// errors: a kind by its best scale, a scale by the best of its kind, and a curve also where it is behind the inputs as
/// they are by half a standard error. Numbers are scored with the spread under which the further rows are most
/// probable, which short fits do not know. Networks that have seen fewer than 100,000 rows stay, and trees alone, which
/// cost nothing beside others, drop none of them. A second round has boosted trees beside the best scale of each kind,
/// and alone; they are all dropped unless the best with trees gains half a standard error. Deterministic in its
/// arguments and the number of threads: operations, not the clock, end it. Cost: 0.06 of the operations of the training
/// for the first round and 0.04 for the second, the trees of the race, and an ARD fit for each view.
MemberRace race_members(const Recipe& recipe, const Training& training);

}  // namespace alacarte
