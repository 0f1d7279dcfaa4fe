// Which rows of a training get left-out predictions, and how they are left out: one by one, by groups, or in time.
#include <fmt/format.h>
#include <algorithm>

#include "alacarte/kernel/kernel.hpp"
#include "data/column_splits.hpp"
#include "train/plan/by_hand.hpp"
#include "train/plan/minibatch_plan.hpp"
#include "training.hpp"

namespace alacarte {
namespace {

// Largest number of rows with leave-one-out scores of an exact process if time is short: they estimate the scores and
// the distribution of the noise well enough; scoring all rows took longer than the fit of a few thousand.
constexpr Index kMaxTimedScoredRows = 2000;
// Largest number of rows in groups that are left out one after the other, and of a group among them: its cost is the
// cube of its rows.
constexpr Index kMaxGroupedRows = 20000, kMaxGroupRows = 500;
// Largest number of learned parameters, for each group, with which groups are left out of the posterior alone: with
// more, such as a length-scale for the indicator of each group, the parameters themselves know the groups.
constexpr double kMaxLearnedOfGroup = 0.1;
// Rows that are left out together: a tenth, but ten or more and five groups, and a quarter at most.
constexpr Index kTogetherShare = 10, kMinTogetherRows = 10, kMinTogetherGroups = 5, kMaxTogetherShare = 4;

bool has_exact_kernel(const Recipe& recipe) {
  return find_kernel(recipe.model) != nullptr ||
         std::any_of(recipe.members.begin(), recipe.members.end(), has_exact_kernel);
}

/// Draws the rows with leave-one-out scores, which no fit sees if the fits are weighed by them; empty: all.
std::vector<Index> draw_scored_rows(const Recipe& recipe, Index rows, Index classes, std::uint64_t seed) {
  const bool is_timed = recipe.training.seconds > 0;
  // In classification each row takes hundreds of points for every class, with every fit.
  if (holds_out(recipe, rows)) return draw_held_out(rows, seed, is_timed && classes > 0 ? kMaxTimedScoredRows : rows);
  Index most = max_scored_rows(classes);
  if (is_timed && has_exact_kernel(recipe)) most = std::min(most, kMaxTimedScoredRows);
  if (rows <= most) return {};
  RandomStream stream = RandomStreams(seed).stream("leave_one_out.rows");
  return draw_rows(stream, rows, most);
}

/// Tells whether rows can be split by their columns: drawn rows may be of one group or time alone.
bool can_split(const SplitColumns& columns) {
  if (!columns.groups.empty()) return count_groups(columns.groups) > 1;
  return columns.times.size() > 0 && columns.times.minCoeff() < columns.times.maxCoeff();
}

/// Returns the largest number of parameters that a fit of the recipe learns of map or kernel.
Index learned_parameters(const Recipe& recipe, const RowSource& rows, const FitOptions& options) {
  check_feature_sizes(recipe, rows.rows(), options.memory_bytes);
  RandomStream stream = RandomStreams(options.seed).stream("left_out.pairs");
  Index most = 0;
  for (const FitJob& job : make_jobs(recipe, training_statistics(rows, stream), options.seed)) {
    const ParameterLayout& layout = job.prior.parameters();
    const std::vector<std::string> held = held_slots(job.recipe, layout);
    Index learned = 0;
    for (const ParameterSlot& slot : layout.slots())
      if (slot.trainable && std::find(held.begin(), held.end(), slot.name) == held.end()) learned += slot.size;
    most = std::max(most, learned);
  }
  return most;
}

/// Tells whether each group is predicted by all others, in closed form.
bool leaves_groups_out(const Recipe& recipe, const RowSource& rows, const FitOptions& options) {
  const std::vector<Index>& groups = options.columns.groups;
  if (groups.empty() || rows.is_distributed() || !likelihood_of(recipe).is_conjugate() || uses_minibatches(recipe) ||
      std::any_of(recipe.members.begin(), recipe.members.end(), uses_minibatches))
    return false;
  // An evidence that eliminates the levels of a map has no blocks of the precision.
  if (!rows.level_counts().empty() && find_kernel(recipe.model) == nullptr) return false;
  const auto of_groups = rows_of_groups(groups);
  const bool are_small = std::all_of(of_groups.begin(), of_groups.end(),
                                     [](const auto& own) { return static_cast<Index>(own.size()) <= kMaxGroupRows; });
  const double most = kMaxLearnedOfGroup * static_cast<double>(of_groups.size());
  return are_small &&
         (!can_hold_out(rows.rows()) || static_cast<double>(learned_parameters(recipe, rows, options)) <= most);
}

/// Returns the number of rows to leave out together.
Index together_rows(const SplitColumns& columns, Index rows) {
  Index wanted = std::max(rows / kTogetherShare, kMinTogetherRows);
  if (!columns.groups.empty()) wanted = std::max(wanted, kMinTogetherGroups * rows / count_groups(columns.groups));
  return std::min(wanted, rows / kMaxTogetherShare);
}

}  // namespace

void choose_scored_rows(Training& training) {
  const Recipe& recipe = training.resolved.planned;
  const SplitColumns& columns = training.options.columns;
  const RowSource& source = *training.source;
  const Index rows = source.rows(), classes = training.schema.class_count();
  require(columns.empty() || columns.rows() == rows, "fit: one group or time for each row");
  if (recipe.learner.kind != LearnerKind::gp || !can_split(columns) || rows < kMaxTogetherShare) {
    training.scored = draw_scored_rows(recipe, rows, classes, training.options.seed);
    return;
  }
  const bool holds = holds_out(recipe, rows), is_timed = recipe.training.seconds > 0;
  const bool by_groups = leaves_groups_out(recipe, source, training.options);
  training.left_out_by = by_groups ? LeftOutBy::groups : LeftOutBy::together;
  Index most = by_groups ? kMaxGroupedRows : kMaxHeldOut;
  if (is_timed && (classes > 0 || has_exact_kernel(recipe))) most = std::min(most, kMaxTimedScoredRows);
  const Index wanted = !by_groups ? together_rows(columns, rows) : holds ? held_out_rows(rows) : rows;
  RandomStream stream = RandomStreams(training.options.seed).stream("held_out.rows");
  if (std::min(wanted, most) < rows) training.scored = draw_held_rows(stream, columns, rows, std::min(wanted, most));
  if (by_groups) training.left_out_groups = rows_of_groups(columns.groups, training.scored);
}

bool holds_scored_out(const Training& training) {
  const Index rows = training.rows.source->rows();
  return holds_out(training.resolved.planned, rows) ||
         (training.left_out_by == LeftOutBy::together && can_hold_out(rows));
}

std::string left_out_note(const Training& training) {
  const SplitColumns& columns = training.options.columns;
  if (columns.empty() || training.resolved.planned.learner.kind != LearnerKind::gp) return "";
  switch (training.left_out_by) {
    case LeftOutBy::rows: return "the training rows have one group or time: left-out predictions are of single rows";
    case LeftOutBy::groups:
      return fmt::format("left-out predictions are of whole groups, of {} of them", training.left_out_groups.size());
    case LeftOutBy::together: break;
  }
  const char* const held = holds_scored_out(training) ? " are held out, from which no parameter is learned" : "";
  return columns.groups.empty()
             ? fmt::format("the last {} rows in time{}: left-out predictions are of them, by the rows before",
                           training.scored.size(), held)
             : fmt::format("{} rows of whole groups{}: left-out predictions are of them, by the other groups",
                           training.scored.size(), held);
}

}  // namespace alacarte
