#include "cross_validation.hpp"

#include <fmt/format.h>
#include <cmath>
#include <set>
#include <tuple>

#include "core/workers.hpp"
#include "data/splits.hpp"

namespace alacarte {

Candidate best_of(const std::vector<Candidate>& tried) {
  const auto rank = [](const Candidate& one) { return std::tuple(one.wrong, one.cost, -one.scale); };
  return *std::min_element(tried.begin(), tried.end(), [&](auto& a, auto& b) { return rank(a) < rank(b); });
}

namespace {

/// Returns the largest number of folds by groups or times; below 2 the rows are split without them.
Index most_column_folds(const SplitColumns& columns) {
  if (!columns.groups.empty()) return count_groups(columns.groups);
  return static_cast<Index>(std::set<double>(columns.times.begin(), columns.times.end()).size()) - 1;
}

Index folds_of_rows(const TrainingRows& rows, Index wanted) {
  const Index most = most_column_folds(rows.columns);
  return std::min(wanted, most < 2 ? rows.source->rows() : most);
}

}  // namespace

CrossValidation::CrossValidation(const FitJob& job, const TrainingRows& rows, const TrainingStatistics& statistics,
                                 std::string rows_text, int threads, const FitContext& context)
    : job_(job),
      rows_(rows),
      statistics_(statistics),
      rows_text_(std::move(rows_text)),
      threads_(threads),
      context_(context),
      folds_(folds_of_rows(rows, job.recipe.learner.folds)),
      classifier_(make_job_classifier(job, rows, threads)) {}

void CrossValidation::prepare(double scale) {
  if (scale == prepared_scale_) return;
  const double began = context_.now();
  theta_ = initial_parameters(job_, statistics_, scale);
  classifier_->prepare(theta_);
  feature_seconds_ = context_.now() - began;
  prepared_scale_ = scale;
}

bool CrossValidation::is_late() const {
  if (context_.deadline == 0) return false;
  const std::lock_guard lock(mutex_);
  // A fit to all rows at one cost takes no longer than a fold at several.
  return context_.now() + 2 * fold_seconds_ >= context_.deadline;
}

void CrossValidation::run(const std::vector<double>& scales, const std::vector<double>& costs, std::uint64_t seed) {
  const std::vector<SplitSides> folds = sides_of_folds(seed);
  Index untested = 0;  // rows alone in their class: no model without them predicts that class
  for (std::size_t i = 0; i < rows_.labels.size(); ++i)
    untested += std::none_of(folds.begin(), folds.end(), [&](const auto& sides) { return sides.test[i]; });
  // The first rows in time are never tested; the others stand for them.
  const auto all = static_cast<double>(rows_.labels.size());
  const double times = rows_.columns.times.size() > 0 ? all / (all - static_cast<double>(untested)) : 1;
  if (times > 1) untested = 0;
  for (const double scale : scales) {
    prepare(scale);
    std::vector<Index> wrong(costs.size(), untested);
    for (const std::vector<Index>& more : errors_of_folds(folds, scale, costs)) {
      wrong.resize(std::min(wrong.size(), more.size()));
      for (std::size_t c = 0; c < wrong.size(); ++c) wrong[c] += more[c];
    }
    for (std::size_t c = 0; c < wrong.size(); ++c)
      tried_.push_back({scale, costs[c], static_cast<Index>(std::llround(times * static_cast<double>(wrong[c])))});
    if (context_.is_interrupted() || is_late()) return;
  }
}

std::vector<SplitSides> CrossValidation::sides_of_folds(std::uint64_t seed) const {
  std::vector<SplitSides> folds;
  const SplitColumns& columns = rows_.columns;
  const bool by_columns = most_column_folds(columns) > 1, by_groups = by_columns && !columns.groups.empty();
  for (Index fold = 0; fold < folds_; ++fold) {
    if (by_columns && !by_groups) {
      folds.push_back(time_fold(columns.times, folds_, fold));
      continue;
    }
    SplitSides sides{
        by_groups ? group_fold(columns.groups, folds_, fold, seed) : k_fold(rows_.labels, folds_, fold, seed), {}};
    sides.train = sides.test;
    sides.train.flip();
    folds.push_back(std::move(sides));
  }
  return folds;
}

bool CrossValidation::has_all_classes(const std::vector<Index>& rows) const {
  std::vector<bool> seen(rows_.classes.size(), false);
  for (const Index row : rows) seen[static_cast<std::size_t>(rows_.labels[static_cast<std::size_t>(row)])] = true;
  for (std::size_t k = 0; k < seen.size(); ++k)
    if (!seen[k] && rows_.classes[k] > 0) return false;
  return true;
}

std::vector<std::vector<Index>> CrossValidation::errors_of_folds(const std::vector<SplitSides>& sides, double scale,
                                                                 const std::vector<double>& costs) {
  std::vector<std::vector<Index>> errors(sides.size());
  const int workers = folds_abreast(job_, threads_);
  std::vector<std::unique_ptr<Classifier>> others;
  for (int worker = 0; worker < workers && workers > 1; ++worker) others.push_back(classifier_->share());
  WorkQueue queue(static_cast<Index>(sides.size()), 1);
  const auto work = [&](Classifier& own) {
    queue.work([&](Index fold) {
      const auto f = static_cast<std::size_t>(fold);
      std::vector<Index> train, test;
      for (std::size_t i = 0; i < sides[f].test.size(); ++i) {
        if (sides[f].test[i]) test.push_back(static_cast<Index>(i));
        if (sides[f].train[i]) train.push_back(static_cast<Index>(i));
      }
      // Groups or the past may lack a class, which no model without it predicts.
      if (!rows_.columns.empty() && !has_all_classes(train)) {
        errors[f].assign(costs.size(), static_cast<Index>(test.size()));
      } else if (!context_.is_interrupted() && !is_late()) {
        const double began = context_.now();
        errors[f] = own.evaluate(train, test, costs, context_.interrupt);
        const std::lock_guard lock(mutex_);
        fold_seconds_ = std::max(fold_seconds_, context_.now() - began);
      }
      report(scale, costs.size());
    });
  };
  if (others.empty())
    work(*classifier_);
  else
    run_workers(workers, [&](int worker) { work(*others[static_cast<std::size_t>(worker)]); });
  return errors;
}

void CrossValidation::report(double scale, std::size_t costs) {
  const std::lock_guard lock(mutex_);
  const Index fold = ++reported_ % folds_;
  solutions_ += static_cast<Index>(costs);
  Progress progress{job_.name, fmt::format("cross-validation{}, scale {:g}, fold {}/{}", rows_text_, scale,
                                           fold == 0 ? folds_ : fold, folds_)};
  progress.evaluation = solutions_;
  progress.seconds = context_.now();
  progress.has_evidence = false;
  context_.report(progress);
}

}  // namespace alacarte
