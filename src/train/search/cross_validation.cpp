#include "cross_validation.hpp"

#include <fmt/format.h>
#include <tuple>

#include "core/workers.hpp"
#include "data/splits.hpp"

namespace alacarte {

Candidate best_of(const std::vector<Candidate>& tried) {
  const auto rank = [](const Candidate& one) { return std::tuple(one.wrong, one.cost, -one.scale); };
  return *std::min_element(tried.begin(), tried.end(), [&](auto& a, auto& b) { return rank(a) < rank(b); });
}

CrossValidation::CrossValidation(const FitJob& job, const TrainingRows& rows, const TrainingStatistics& statistics,
                                 std::string rows_text, int threads, const FitContext& context)
    : job_(job),
      rows_(rows),
      statistics_(statistics),
      rows_text_(std::move(rows_text)),
      threads_(threads),
      context_(context),
      folds_(std::min(job.recipe.learner.folds, rows.source->rows())),
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
  std::vector<std::vector<bool>> held_out;
  for (Index fold = 0; fold < folds_; ++fold) held_out.push_back(k_fold(rows_.labels, folds_, fold, seed));
  Index untested = 0;  // rows alone in their class: no model without them predicts that class
  for (std::size_t i = 0; i < rows_.labels.size(); ++i)
    untested += std::none_of(held_out.begin(), held_out.end(), [&](const auto& test) { return test[i]; });
  for (const double scale : scales) {
    prepare(scale);
    std::vector<Index> wrong(costs.size(), untested);
    for (const std::vector<Index>& more : errors_of_folds(held_out, scale, costs)) {
      wrong.resize(std::min(wrong.size(), more.size()));
      for (std::size_t c = 0; c < wrong.size(); ++c) wrong[c] += more[c];
    }
    for (std::size_t c = 0; c < wrong.size(); ++c) tried_.push_back({scale, costs[c], wrong[c]});
    if (context_.is_interrupted() || is_late()) return;
  }
}

std::vector<std::vector<Index>> CrossValidation::errors_of_folds(const std::vector<std::vector<bool>>& held_out,
                                                                 double scale, const std::vector<double>& costs) {
  std::vector<std::vector<Index>> errors(held_out.size());
  const int workers = folds_abreast(job_, threads_);
  std::vector<std::unique_ptr<Classifier>> others;
  for (int worker = 0; worker < workers && workers > 1; ++worker) others.push_back(classifier_->share());
  WorkQueue queue(static_cast<Index>(held_out.size()), 1);
  const auto work = [&](Classifier& own) {
    queue.work([&](Index fold) {
      const auto f = static_cast<std::size_t>(fold);
      std::vector<Index> train, test;
      for (std::size_t i = 0; i < held_out[f].size(); ++i)
        (held_out[f][i] ? test : train).push_back(static_cast<Index>(i));
      if (!context_.is_interrupted() && !is_late()) {
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
