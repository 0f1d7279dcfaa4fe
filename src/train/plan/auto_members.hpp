#pragma once
// The members that "auto" stands for, by the size of the table. Private to the files auto_*.cpp.
#include <algorithm>
#include <string>
#include <vector>

#include "auto_constants.hpp"
#include "auto_recipe.hpp"

namespace alacarte::auto_detail {

/// Rounds down to a count, however large the budget that it follows from.
inline Index whole(double value) { return static_cast<Index>(std::clamp(value, 0.0, 1e15)); }

/// Returns a member of one start, with the settings that the members of a mixture take from its recipe.
Recipe member_of(const Recipe& recipe, const std::string& model);

/// Tells whether rows have no weights and one target whose noise is learned, as networks need, and noise that varies.
bool is_plain(const Recipe& recipe, const TableSize& size);

/// A line over what boosted trees predict, whose slope and noise rows tell that the trees have not seen.
Recipe tree_member(const Recipe& recipe);
/// Tells whether boosted trees can be had: the recipe leaves them open, memory holds their columns, and these
/// operations suffice for the trees of the fits.
bool has_time_for_trees(const Recipe& recipe, const TableSize& size, double flops);

/// Tells whether members may see the inputs through curves: dense rows whose scale the user has left open, where memory
/// holds their copies.
bool may_bend(const Recipe& recipe, const TableSize& size);
/// Shares the copies of a member of this kind among views of the inputs: as they are, these curves where may_bend(),
/// and those with trees that raced; without those that lost a race, and the best first. In the round of the trees the
/// one view of trees beside the kind's best scale. Which view suits a table is seen from rows that were left out, not
/// from its size.
std::vector<Recipe> on_views(const Recipe& recipe, const TableSize& size, const char* kind, Recipe member,
                             const std::vector<FitView>& curves);

// ---- few rows of numbers: auto_few_rows.cpp

/// Returns a sum of kernels, and one of the inputs' normal scores where there is time for both, as sum_of_subsample()
/// has them, and boosted trees beside them where there is time for these, too; nothing where operations, memory or
/// model file do not suffice for one sum. Other kinds are not taken: beside networks and frequencies in half of the
/// time they were worse on sml and skillcraft, level on abalone and parkinsons, and better on gas and winequality.
std::vector<Recipe> sums_of_subsample(const Recipe& recipe, const TableSize& size, double flops);

/// Returns a sum of kernels that learns on a subsample of the rows, or fewer where time is short, and on all of them
/// for the iterations that are left, and predicts from all (sml: NLPD -0.6 against -0.1 by learned frequencies,
/// parkinsons: RMSE below 0.01 against 0.1). Its factor grows with the square of the rows, and so do model file and
/// predicted variances.
Recipe sum_of_subsample(const Recipe& recipe, const TableSize& size, double flops);

/// Tells whether operations, memory and model file suffice for such a sum.
bool suits(const Recipe& sum, const TableSize& size, double flops, double max_model_mb);

/// Returns a sum of exact kernels; beside it, as far as the operations allow, one simpler kernel and spectra on the
/// fewest rows, and on more rows sums from other starts. There the simpler kernel adds little, so that it comes last,
/// and only, like several such sums, if `flops` were asked for (0: not).
std::vector<Recipe> few_rows(const Recipe& recipe, const TableSize& size, double flops);

// ---- classes on few rows: auto_classes.cpp

/// Returns kernels for classes whose length-scales the evidence learns, exact where these operations suffice, and
/// learned frequencies beside them; nothing for other targets, on many rows, and where the operations suffice for none.
std::vector<Recipe> class_kernels(const Recipe& recipe, const TableSize& size, double flops);

// ---- others: auto_many_rows.cpp

/// One kind of members that race. To add a kind is to add an entry to raced_kinds().
struct MemberKind {
  const char* name;       ///< name in reasons: "networks"
  bool takes_operations;  ///< false where its fits are so cheap that they share none
  /// Returns its members for these operations; nothing where it does not suit the table, lost the race, or needs more.
  std::vector<Recipe> (*members)(const Recipe& recipe, const TableSize& size, double flops);
};

/// Returns the kinds, in the order in which one is taken where no race was run.
const std::vector<MemberKind>& raced_kinds();

/// Returns the kinds that suit, which share the operations: all that are left of a race, or the first; of rows with
/// seasons all, since networks find no fast season by steps, which frequencies begin at. With kernels beside them for
/// classes on few rows.
std::vector<Recipe> kinds_of_race(const Recipe& recipe, const TableSize& size, double flops);

}  // namespace alacarte::auto_detail
