#include "classifier_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "alacarte/core/error.hpp"
#include "alacarte/data/splits.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

std::vector<double> ascending(std::vector<double> values, const std::vector<double>& defaults) {
  if (values.empty()) return defaults;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<double> costs_of(const Recipe& recipe) {
  return ascending(recipe.learner.costs, {1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3});
}

std::vector<double> scales_of(const Recipe& recipe) { return ascending(recipe.learner.scales, {1}); }

std::unique_ptr<Classifier> make_job_classifier(const FitJob& job, const TrainingRows& rows, int threads) {
  const ClassifierOptions options{job.recipe.learner.kind, &rows.labels, static_cast<Index>(rows.classes.size()),
                                  job.recipe.learner.class_weights == "balanced", threads};
  return job.map ? make_classifier(job.map, rows.source, options) : make_classifier(job.kernel, rows.source, options);
}

struct Candidate {
  double scale = 1, cost = 1;
  Index wrong = 0;
};

/// Fewest errors; of equal ones the stronger regularisation, then the smoother functions.
Candidate best_of(const std::vector<Candidate>& tried) {
  const auto rank = [](const Candidate& one) { return std::tuple(one.wrong, one.cost, -one.scale); };
  return *std::min_element(tried.begin(), tried.end(), [&](auto& a, auto& b) { return rank(a) < rank(b); });
}

class ClassifierSearch {
 public:
  ClassifierSearch(const FitJob& job, const TrainingRows& rows, int threads, const TrainerHooks& hooks)
      : job_(job),
        rows_(rows),
        hooks_(hooks),
        scales_(scales_of(job.recipe)),
        costs_(costs_of(job.recipe)),
        folds_(std::min(job.recipe.learner.folds, rows.source->rows())),
        classifier_(make_job_classifier(job, rows, threads)) {}

  FitOutcome run(std::uint64_t seed) {
    const double began = hooks_.seconds_since_start();
    Candidate chosen{scales_.front(), costs_.front(), 0};
    if (scales_.size() * costs_.size() > 1) {
      cross_validate(seed);
      if (!tried_.empty()) chosen = best_of(tried_);
      const std::string warning = tried_.empty() ? "" : grid_edge_warning(chosen);
      if (!warning.empty()) hooks_.observer->on_message(warning);
    }
    FitOutcome outcome;
    outcome.cut_short = interrupted();
    // After an interrupt the best candidate so far is still fitted to all rows.
    const bool search_cut = outcome.cut_short && !tried_.empty();
    double solving = 0;
    if (!outcome.cut_short || search_cut) {
      prepare(chosen.scale);
      solving = hooks_.seconds_since_start();
      outcome.posterior = classifier_->solve(chosen.cost, search_cut ? nullptr : hooks_.interrupt).posterior;
    }
    if (!outcome.posterior)
      throw NumericalError("training of '" + job_.name + "'", "interrupted before anything was fitted");
    const double ended = hooks_.seconds_since_start();
    outcome.theta = theta_;
    outcome.evaluations = solutions_ + 1;
    outcome.summary = summary_of(chosen);
    outcome.summary.update({{"feature_seconds", feature_seconds_},
                            {"solver_seconds", ended - solving},
                            {"training_error", share(classifier_->training_errors())},
                            {"seconds", ended - began},
                            {"stop", outcome.cut_short ? "interrupted" : "converged"}});
    return outcome;
  }

 private:
  bool interrupted() const { return hooks_.interrupt != nullptr && *hooks_.interrupt; }
  double share(Index wrong) const { return static_cast<double>(wrong) / static_cast<double>(rows_.labels.size()); }

  /// The features of the last scale are kept: a fit at the scale tried last does not make them again.
  void prepare(double scale) {
    if (scale == prepared_scale_) return;
    const double began = hooks_.seconds_since_start();
    theta_ = initial_parameters(job_, rows_.statistics, scale);
    classifier_->prepare(theta_);
    feature_seconds_ = hooks_.seconds_since_start() - began;
    prepared_scale_ = scale;
  }

  /// Tries scales, then costs; after an interrupt, only candidates for which every fold was evaluated are kept.
  void cross_validate(std::uint64_t seed) {
    std::vector<std::vector<bool>> held_out;
    for (Index fold = 0; fold < folds_; ++fold) held_out.push_back(k_fold(rows_.labels, folds_, fold, seed));
    Index untested = 0;  // rows alone in their class, which no model without them gets right
    for (std::size_t i = 0; i < rows_.labels.size(); ++i)
      untested += std::none_of(held_out.begin(), held_out.end(), [&](const auto& test) { return test[i]; });
    for (const double scale : scales_) {
      prepare(scale);
      std::vector<Index> wrong(costs_.size(), untested);
      for (std::size_t fold = 0; fold < held_out.size() && !wrong.empty(); ++fold) {
        const std::vector<Index> more = fold_errors(held_out[fold]);
        wrong.resize(std::min(wrong.size(), more.size()));
        for (std::size_t c = 0; c < wrong.size(); ++c) wrong[c] += more[c];
        report(scale, fold);
      }
      for (std::size_t c = 0; c < wrong.size(); ++c) tried_.push_back({scale, costs_[c], wrong[c]});
      if (interrupted()) return;
    }
  }

  std::vector<Index> fold_errors(const std::vector<bool>& held_out) const {
    std::vector<Index> train, test;
    for (std::size_t i = 0; i < held_out.size(); ++i) (held_out[i] ? test : train).push_back(static_cast<Index>(i));
    return classifier_->evaluate(train, test, costs_, hooks_.interrupt);
  }

  void report(double scale, std::size_t fold) {
    solutions_ += static_cast<Index>(costs_.size());
    Progress progress{job_.name, fmt::format("cross-validation, scale {:g}, fold {}/{}", scale, fold + 1, folds_)};
    progress.evaluation = solutions_;
    progress.seconds = hooks_.seconds_since_start();
    progress.has_evidence = false;
    hooks_.observer->on_progress(progress);
  }

  /// Warning if the best cost lies at the upper end of the grid, or if the costs make no difference; "" otherwise.
  std::string grid_edge_warning(const Candidate& best) const {
    const auto count = static_cast<Index>(rows_.labels.size());
    const bool constant = best.wrong >= count - *std::max_element(rows_.classes.begin(), rows_.classes.end());
    const bool alike =
        costs_.size() > 1 && best.wrong > 0 &&
        std::all_of(tried_.begin(), tried_.end(), [&](const auto& one) { return one.wrong == best.wrong; });
    if (constant || alike)
      return fmt::format("{}: the costs up to {:g} make no difference; much larger ones (learner.costs) may", job_.name,
                         costs_.back());
    if (costs_.size() > 1 && best.cost == costs_.back())
      return fmt::format("{}: the best cost is the largest of learner.costs, {:g}; larger ones may do better",
                         job_.name, best.cost);
    return {};
  }

  Json summary_of(const Candidate& chosen) const {
    Json summary = {{"learner", job_.recipe.learner.kind},
                    {"solver", job_.map ? "LIBLINEAR" : "LIBSVM"},
                    {"class_weights", job_.recipe.learner.class_weights},
                    {"cost", chosen.cost}};
    if (!lengthscale_slots(job_.parameters()).empty()) summary["scale"] = chosen.scale;
    if (tried_.empty()) return summary;
    summary["folds"] = folds_;
    summary["cross_validation_error"] = share(chosen.wrong);
    for (const Candidate& one : tried_)
      summary["cross_validation"].push_back({{"scale", one.scale}, {"cost", one.cost}, {"error", share(one.wrong)}});
    return summary;
  }

  const FitJob& job_;
  const TrainingRows& rows_;
  const TrainerHooks& hooks_;
  const std::vector<double> scales_, costs_;
  const Index folds_;
  const std::unique_ptr<Classifier> classifier_;
  Vector theta_;
  double prepared_scale_ = 0, feature_seconds_ = 0;
  Index solutions_ = 0;
  std::vector<Candidate> tried_;
};

}  // namespace

std::vector<ParameterSlot> lengthscale_slots(const ParameterLayout& layout) {
  constexpr std::string_view kName = "log_lengthscale";
  std::vector<ParameterSlot> slots;
  for (const ParameterSlot& slot : layout.slots())
    if (slot.name.size() >= kName.size() && slot.name.substr(slot.name.size() - kName.size()) == kName)
      slots.push_back(slot);
  return slots;
}

Vector initial_parameters(const FitJob& job, const TrainingStatistics& statistics, double scale) {
  Vector theta = job_start(job, statistics, 0);
  const std::vector<ParameterSlot> slots = lengthscale_slots(job.parameters());
  if (!job.is_classifier() || slots.empty()) return theta;
  if (scale == 0) scale = scales_of(job.recipe).front();
  const double median = statistics.distance_quantile(0.5, Vector::Ones(statistics.input_count()));
  for (const ParameterSlot& slot : slots) theta.segment(slot.offset, slot.size).setConstant(std::log(scale * median));
  return theta;
}

EvaluationPlan plan_classifier(const FitJob& job, const TrainingRows& rows, const FitOptions& options) {
  const std::string& kind = job.recipe.learner.kind;
  if (!options.checkpoint_path.empty())
    throw ConfigError("--checkpoint", "learner '" + kind + "' keeps no state to go on from");
  if (job.kernel && kind == "logistic")
    throw ConfigError("/learner/kind", "logistic regression needs features; '" + job.recipe.model +
                                           "' is an exact kernel (svm takes those)");
  if (!job.recipe.learner.scales.empty() && lengthscale_slots(job.parameters()).empty())
    throw ConfigError("/learner/scales", "model '" + job.recipe.model + "' has no length-scale");
  return make_job_classifier(job, rows, options.threads)->plan(initial_parameters(job, rows.statistics));
}

Index planned_solutions(const FitJob& job) {
  const auto candidates = static_cast<Index>(scales_of(job.recipe).size() * costs_of(job.recipe).size());
  return candidates > 1 ? candidates * job.recipe.learner.folds + 1 : 1;
}

FitOutcome search_classifier(const FitJob& job, const TrainingRows& rows, std::uint64_t seed, int threads,
                             const TrainerHooks& hooks) {
  return ClassifierSearch(job, rows, threads, hooks).run(seed);
}

}  // namespace alacarte
