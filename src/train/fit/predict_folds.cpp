// The stage folds: leave-one-out predictions flatter networks and other fits that learn many numbers from few rows, so
// each fold of the rows is predicted by a fit that saw none of it.
#include <fmt/format.h>

#include "alacarte/core/error.hpp"
#include "data/changed_rows.hpp"
#include "data/column_splits.hpp"
#include "train/plan/auto_constants.hpp"
#include "train/plan/minibatch_plan.hpp"
#include "training.hpp"

namespace alacarte {
namespace {

constexpr double kMinTreeFlops = 1;  // operations for the trees of a fold: the largest steps

Index folds_of(const Training& training) {
  const Index rows = training.fold_rows.rows->rows();
  const Index folds = rows < auto_detail::kRowsOfFewFolds ? auto_detail::kManyClassFolds : auto_detail::kFewClassFolds;
  const std::vector<Index>& groups = training.options.columns.groups;
  return groups.empty() ? folds : std::min(folds, count_groups(groups));
}

/// Returns the rows of a fold and all others, increasing where the fits read them.
std::pair<std::vector<Index>, std::vector<Index>> sides_of_fold(const Training& training,
                                                                const std::vector<Index>& order, Index fold) {
  const Index rows = training.fold_rows.rows->rows(), folds = folds_of(training);
  const std::vector<Index>& groups = training.options.columns.groups;
  std::vector<Index> own, others;
  if (!groups.empty()) {
    const std::vector<bool> test = group_fold(groups, folds, fold, training.options.seed);
    for (Index i = 0; i < rows; ++i) (test[static_cast<std::size_t>(i)] ? own : others).push_back(i);
    return {own, others};
  }
  for (Index i = 0; i < rows; ++i) (i % folds == fold ? own : others).push_back(order[std::size_t(i)]);
  std::sort(others.begin(), others.end());
  return {own, others};
}

/// Returns one fit of a member with the settings of the training, which no clock ends.
Recipe recipe_of_fold(const Recipe& planned, const Recipe& member) {
  Recipe recipe = planned;
  recipe.model = "mixture";
  recipe.members = {member};
  recipe.members.front().copies = 1;
  recipe.members.front().training.seconds = 0;
  recipe.weights = FitWeights::equal;
  recipe.training.seconds = 0;
  recipe.flops = 0;
  recipe.calibration = {};
  return recipe;
}

/// Returns the probabilities (rows, K) of all rows by fits of one member; nothing after an interrupt. Reports each
/// fold.
std::optional<Matrix> predict_by(const Training& training, const Recipe& member, const FitContext& context) {
  const MemoryRows& rows = *training.fold_rows.rows;
  const RandomStreams streams = RandomStreams(training.options.seed).scope("folds");
  RandomStream stream = streams.stream("rows");
  const std::vector<Index> order = draw_rows(stream, rows.rows(), rows.rows());
  FitOptions options;
  options.threads = training.threads();
  options.interrupt = training.options.interrupt;
  options.memory_bytes = training.options.memory_bytes;
  options.seed = training.options.seed;
  PredictOptions predicts;
  predicts.threads = training.threads();
  Matrix values(rows.rows(), training.schema.class_count());
  const Index folds = folds_of(training);
  for (Index fold = 0; fold < folds; ++fold) {
    context.report({.fit = context.fit,
                    .stage = fmt::format("{}, fold {}/{}", member.model, fold + 1, folds),
                    .seconds = context.now(),
                    .has_evidence = false});
    const auto [own, others] = sides_of_fold(training, order, fold);
    const FittedModel model =
        fit_briefly(recipe_of_fold(training.resolved.planned, member), training.schema, some_rows(rows, others),
                    options, {.tree_flops = kMinTreeFlops, .tree_columns = training.options.columns.of_rows(others)});
    if (training.context.is_interrupted()) return std::nullopt;
    values(own, Eigen::all) = model.predict(gather_rows(rows, own)->x(), predicts).classes().values;
  }
  return values;
}

}  // namespace

bool is_predicted_in_folds(const Training& training, const FitJob& job) {
  const auto rows = static_cast<double>(training.fold_rows.rows->rows());
  const auto learned = static_cast<double>(job.prior.parameters().trainable_count());
  return uses_minibatches(job.recipe) || learned > auto_detail::kMaxLearnedShare * rows ||
         !training.options.columns.groups.empty();
}

bool has_folds(const Training& training) {
  const std::vector<Index>& groups = training.options.columns.groups;
  if (training.fold_rows.rows == nullptr || (!groups.empty() && count_groups(groups) < 2)) return false;
  const std::vector<FitJob>& jobs = training.planned.jobs;
  return std::any_of(jobs.begin(), jobs.end(), [&](const FitJob& job) { return is_predicted_in_folds(training, job); });
}

void predict_folds(Training& training) {
  const std::vector<FitJob>& jobs = training.planned.jobs;
  FitContext context = training.context;
  context.fit = "folds";
  const double limit = training.resolved.planned.training.seconds;
  // Each fold takes about as long as the fits did, and no clock ends it. A training that repeats does what was done.
  const double needed = context.now() * static_cast<double>(folds_of(training));
  const bool is_late = context.repeats() ? context.recorded("rows") == 0 : limit > 0 && context.now() + needed > limit;
  if (is_late || context.is_interrupted()) return;
  try {
    std::map<std::size_t, Matrix> of_members;
    for (const FitJob& job : jobs) {
      if (!is_predicted_in_folds(training, job) || of_members.contains(job.member)) continue;
      auto values = predict_by(training, job.recipe, context);
      if (!values) return;
      of_members.emplace(job.member, std::move(*values));
    }
    for (std::size_t k = 0; k < jobs.size(); ++k)
      if (const auto found = of_members.find(jobs[k].member); training.outcomes[k] && found != of_members.end())
        training.outcomes[k]->fold_values = found->second;
    context.record("rows", training.fold_rows.rows->rows());
  } catch (const NumericalError& error) {
    context.message(std::string("folds: ") + error.what() + "; the held-out rows weigh the fits");
  }
}

}  // namespace alacarte
