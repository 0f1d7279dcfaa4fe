#pragma once
// The recipe "auto": families, features, iterations and copies that follow from the size of the table and the time.
#include <alacarte/core/recipe.hpp>
#include <string>
#include <vector>

#include "model/fit_inputs.hpp"

namespace alacarte {

/// Members of one kind with one view of the inputs.
struct Entrant {
  std::string kind;  ///< MemberKind::name: "networks"
  FitView view = {};
  bool operator==(const Entrant&) const = default;
};

/// Rounds of a race: the scales of the inputs, then boosted trees beside the best scale of each kind, and alone.
enum class RaceRound { none, scales, trees };

/// A race of members before the fits (race_members()).
struct MemberRace {
  bool was_run = false;
  std::vector<Entrant> ranked = {};     ///< all of them, the best first
  std::vector<Entrant> dropped = {};    ///< those that lost
  std::vector<std::string> notes = {};  ///< one line for each, for people
};

/// Properties of the table and the process on which the choice depends.
struct TableSize {
  Index rows = 0, inputs = 0;         ///< size of the training rows (n, d)
  Index classes = 0;                  ///< 0: the target is a number or a count
  bool weighted = false;              ///< rows have weights
  Index targets = 1;                  ///< targets of each row
  double memory_bytes = 0;            ///< memory for training; 0: no limit
  double row_bytes = 0;               ///< memory of the standardised rows, of which each curve has a copy
  Index seasons = 0;                  ///< fundamental seasons of the rows (RowStructure)
  Index levels = 0;                   ///< levels of all random effects
  Index level_features = 0;           ///< features of those that no evidence eliminates
  bool is_sparse = false;             ///< rows by their nonzeros
  bool may_boost = false;             ///< boosted trees can be trained: dense rows of one process and one target
  std::vector<Index> values = {};     ///< split_values() of the rows, where they can be
  MemberRace race = {};               ///< members that were tried
  RaceRound round = RaceRound::none;  ///< members are to race: one fit of each kind and view
  Index given_rows = 0;               ///< rows of the table of which a race draws some; 0: all are here
};

/// Returns a recipe of model "auto" as the mixture that it stands for; any other recipe comes back as it is. Priors,
/// scaling, mean, noise, likelihood and the limits of the recipe stay. Depends on its arguments alone, so that the same
/// table and time give the same recipe on every machine.
///
/// The members follow from the rows, the inputs and the operations:
/// - Up to 250 rows, where there are fewer than 8 for each input, the members are samples of two exact kernels, or one
///   kernel with one length-scale where operations do not suffice for them.
/// - Up to 1600 rows of regression take sums of three exact kernels of both scales, one more from another start, an
///   exact rational quadratic kernel, and on up to 400 rows two fits of a Gaussian-mixture spectrum. Rows with seasons
///   take the sums alone.
/// - Up to 6000 rows of regression take a sum of three exact kernels of each scale, or one of the inputs as they are,
///   where operations, memory and max_model_mb suffice. Each learns on 1200 rows (600 where time is short) and predicts
///   from all. Boosted trees stand beside them where these can be had, operations suffice, and rows have no seasons.
/// - On more rows networks and learned frequencies share the operations, without the kinds and scales that lost a race
///   (race_members()), and with boosted trees beside the inputs, or alone, where these won it; where no race was run,
///   or operations do not suffice for the kinds that won, the first kind that suits has them all.
/// - Two to four networks before free frequencies (deep) are of two sizes by the rows that they have time to see. They
///   need ten passes over the rows, counts 8000 rows, and classification 300 rows and eight passes, with up to eight
///   networks where operations or seconds are given.
/// - Up to 2000 rows of classification take two kernels, of which one has a length-scale for each input, exact where
///   the operations suffice and otherwise on features, and learned frequencies; alone or beside networks. From 100 to
///   1600 of these have boosted trees alone beside them.
/// - The number of learned frequencies (ssgpr, fsgbard) grows with the rows; they are trained on subsamples first, and
///   with up to 200 iterations where time is left.
///
/// Members of one kind see the inputs as they are and through curves in turn (scale.inputs normal-scores, and asinh for
/// classification on more than 2000 rows), where rows are dense, memory holds their copies and the recipe leaves the
/// scale open. Where the rows have seasons, sums of exact kernels have a periodic term for each of the two strongest,
/// and no curves.
///
/// Leave-one-out predictions weigh the members; with networks a tenth of the rows that no fit sees does, and folds do
/// for classification on up to 2000 rows. For regression, 100 of these rows or more also tell how the noise varies
/// (noise.rounds 0), for at most a fifth of the operations, and the noise is a mixture of normals (noise.shape), unless
/// the recipe says gaussian, rows have weights or there are several targets. More than 1000 levels of random effects of
/// a number leave the networks out, whose minibatches have no place for them.
///
/// The operations come from Recipe::flops, else from training.seconds on `threads`, else from the number of rows: some
/// 5 s for 1000 rows on two threads, 20 s for 10,000, 40 s for a million. Throws ConfigError with the pointer for
/// learners other than "gp", and for keys of "training" that it sets itself (starts, iterations, start, subsamples).
/// Cost: negligible.
Recipe auto_recipe(const Recipe& recipe, const TableSize& size, int threads);

/// Members that are to race, as a mixture, and the rows that they need.
struct RacePlan {
  Recipe recipe;
  std::vector<Entrant> entrants = {};  ///< one for each member; none: there is no choice, or no time for a race
  Index rows = 0, held_rows = 0;       ///< rows that the members are fitted to, and further ones that score them
  double tree_flops = 0;               ///< operations for their boosted trees; 0: there are none
};
/// Plans a round of the race of the members that auto_recipe() would choose among, for up to 10,000 rows of the table:
/// that of the scales, for 0.06 of the operations, or if size.race has one that of the trees, for another 0.04 beside
/// the trees. None race where sums of exact kernels suit, on rows that are few or sparse, where only one kind and scale
/// suits, and where a race would take more than a sixth of the operations with the ARD fits before it, and the round of
/// the trees more than a fifth. Cost: negligible.
RacePlan plan_race(const Recipe& recipe, const TableSize& size, int threads);

}  // namespace alacarte
