#include "train/fit_classifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "alacarte/core/error.hpp"
#include "alacarte/data/splits.hpp"
#include "train/classifier_problem.hpp"
#include "train/fit_jobs.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

constexpr double kBytesPerMegabyte = 1e6;
constexpr double kClassifierProgramBytes = 30e6;

std::vector<double> costs_of(const Recipe& recipe) {
  std::vector<double> costs = recipe.learner.costs;
  if (costs.empty()) costs = {1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3};
  std::sort(costs.begin(), costs.end());
  costs.erase(std::unique(costs.begin(), costs.end()), costs.end());
  return costs;
}

std::vector<double> scales_of(const Recipe& recipe) {
  std::vector<double> scales = recipe.learner.scales;
  if (scales.empty()) scales = {1};
  std::sort(scales.begin(), scales.end());
  scales.erase(std::unique(scales.begin(), scales.end()), scales.end());
  return scales;
}

const ParameterLayout& layout_of(const FitJob& job) {
  return job.map ? job.map->parameters() : job.kernel->parameters();
}

bool has_lengthscale(const FitJob& job) {
  const auto& slots = layout_of(job).slots();
  return std::any_of(slots.begin(), slots.end(), is_lengthscale);
}

struct Candidate {
  double scale = 1, cost = 1;
  Index wrong = 0;
};

/// Cross-validation of one job over scales and costs.
class Search {
 public:
  Search(const FitJob& job, const ClassifierRows& rows, const FitOptions& options,
         const std::function<double()>& seconds)
      : job_(job), rows_(rows), options_(options), seconds_(seconds) {
    const std::vector<Index> classes(rows.classes.begin(), rows.classes.end());
    const Index folds = std::min(job.recipe.learner.folds, rows.rows());
    for (Index fold = 0; fold < folds; ++fold) held_out_.push_back(k_fold(classes, folds, fold, options.seed));
    for (std::size_t i = 0; i < classes.size(); ++i)
      untested_ += std::none_of(held_out_.begin(), held_out_.end(), [&](const auto& test) { return test[i]; });
  }

  /// Results in the order of scales, then costs; after an interrupt, only those for which every fold was evaluated.
  std::vector<Candidate> run() {
    std::vector<Candidate> tried;
    const std::vector<double> scales = scales_of(job_.recipe), costs = costs_of(job_.recipe);
    for (const double scale : scales) {
      const auto problem = make_problem(job_, rows_, fixed_parameters(job_, *rows_.statistics, scale), options_, true);
      std::vector<Index> wrong(costs.size(), untested_);
      std::size_t reached = costs.size();
      for (std::size_t fold = 0; fold < held_out_.size() && reached > 0; ++fold) {
        const std::vector<Index> more = fold_errors(*problem, held_out_[fold], costs);
        reached = std::min(reached, more.size());
        for (std::size_t c = 0; c < reached; ++c) wrong[c] += more[c];
        report(scale, fold,
               static_cast<double>(tried.size()) +
                   static_cast<double>(costs.size() * (fold + 1)) / static_cast<double>(held_out_.size()),
               static_cast<double>(scales.size() * costs.size()));
      }
      for (std::size_t c = 0; c < reached; ++c) tried.push_back({scale, costs[c], wrong[c]});
      if (options_.interrupt != nullptr && *options_.interrupt) break;
    }
    return tried;
  }

 private:
  std::vector<Index> fold_errors(const ClassifierProblem& problem, const std::vector<bool>& held_out,
                                 const std::vector<double>& costs) const {
    std::vector<Index> train, test;
    for (std::size_t i = 0; i < held_out.size(); ++i) (held_out[i] ? test : train).push_back(static_cast<Index>(i));
    return problem.errors(train, test, costs);
  }

  void report(double scale, std::size_t fold, double done, double all) const {
    if (options_.observer == nullptr) return;
    Progress progress{job_.name,
                      fmt::format("cross-validation, scale {:g}, fold {}/{}", scale, fold + 1, held_out_.size())};
    progress.seconds = seconds_();
    progress.seconds_left = progress.seconds * (all - done) / done;
    progress.has_evidence = false;
    options_.observer->on_progress(progress);
  }

  const FitJob& job_;
  const ClassifierRows& rows_;
  const FitOptions& options_;
  const std::function<double()>& seconds_;
  std::vector<std::vector<bool>> held_out_;
  Index untested_ = 0;  ///< rows alone in their class, which no model without them gets right
};

/// Fewest errors; of equal ones the stronger regularisation, then the smoother functions.
Candidate best_of(const std::vector<Candidate>& tried) {
  Candidate best = tried.front();
  for (const Candidate& one : tried)
    if (one.wrong < best.wrong ||
        (one.wrong == best.wrong && (one.cost < best.cost || (one.cost == best.cost && one.scale > best.scale))))
      best = one;
  return best;
}

/// Warning if the best cost lies at the upper end of the grid, or if the costs make no difference; "" otherwise.
std::string grid_edge_warning(const FitJob& job, const ClassifierRows& rows, const Candidate& best,
                              const std::vector<Candidate>& tried) {
  const std::vector<double> costs = costs_of(job.recipe);
  std::vector<Index> counts(static_cast<std::size_t>(rows.class_count), 0);
  for (const int label : rows.classes) ++counts[static_cast<std::size_t>(label)];
  const bool constant = best.wrong >= rows.rows() - *std::max_element(counts.begin(), counts.end());
  const bool alike = costs.size() > 1 && best.wrong > 0 &&
                     std::all_of(tried.begin(), tried.end(), [&](const auto& one) { return one.wrong == best.wrong; });
  if (constant || alike)
    return fmt::format("{}: the costs up to {:g} make no difference; much larger ones (learner.costs) may", job.name,
                       costs.back());
  if (costs.size() > 1 && best.cost == costs.back())
    return fmt::format("{}: the best cost is the largest of learner.costs, {:g}; larger ones may do better", job.name,
                       best.cost);
  return {};
}

std::string solver_name(const FitJob& job) { return job.map ? "LIBLINEAR" : "LIBSVM"; }

Json summary_of(const FitJob& job, const Candidate& chosen, const std::vector<Candidate>& tried, Index rows) {
  Json summary = {{"name", job.name},
                  {"learner", job.recipe.learner.kind},
                  {"solver", solver_name(job)},
                  {"class_weights", job.recipe.learner.class_weights},
                  {"cost", chosen.cost}};
  if (has_lengthscale(job)) summary["scale"] = chosen.scale;
  if (tried.empty()) return summary;
  summary["folds"] = std::min(job.recipe.learner.folds, rows);
  const auto share = [&](Index wrong) { return static_cast<double>(wrong) / static_cast<double>(rows); };
  summary["cross_validation_error"] = share(chosen.wrong);
  for (const Candidate& one : tried)
    summary["cross_validation"].push_back({{"scale", one.scale}, {"cost", one.cost}, {"error", share(one.wrong)}});
  return summary;
}

void check_job(const FitJob& job, const FitOptions& options) {
  if (!options.checkpoint_path.empty())
    throw ConfigError("--checkpoint", "learner '" + job.recipe.learner.kind + "' keeps no state to go on from");
  if (job.kernel && job.recipe.learner.kind == "logistic")
    throw ConfigError("/learner/kind", "logistic regression needs features; '" + job.recipe.model +
                                           "' is an exact kernel (svm takes those)");
  if (!job.recipe.learner.scales.empty() && !has_lengthscale(job))
    throw ConfigError("/learner/scales", "model '" + job.recipe.model + "' has no length-scale");
}

EvaluationPlan plan_of(const FitJob& job, const ClassifierRows& rows, const ProblemSize& size) {
  const auto n = static_cast<double>(rows.rows());
  EvaluationPlan plan;
  plan.rows = rows.rows();
  plan.inputs = job.map ? job.map->input_count() : job.kernel->input_count();
  plan.features = job.map ? job.map->feature_count() : 0;
  plan.form = job.map ? "linear" : "exact";
  plan.memory_bytes = size.bytes;
  const auto functions = static_cast<double>(function_count(rows.class_count));
  const double width = static_cast<double>(job.map ? plan.features : rows.rows());
  constexpr double kPasses = 40;  // of a trust-region Newton method over the features of each function
  plan.flops = kPasses * 4 * n * size.nonzeros * (job.map ? functions : 1);
  plan.model_bytes =
      job.map ? 8 * functions * (width + 1) : 8 * n * static_cast<double>(plan.inputs + rows.class_count);
  return plan;
}

Vector first_start(const FitJob& job, const TrainingStatistics& statistics) {
  RandomStream stream = job.streams.stream("start[0]");
  return job.map ? job.map->start(statistics, 0, stream) : job.kernel->start(statistics, 0, stream);
}

}  // namespace

bool is_lengthscale(const ParameterSlot& slot) {
  constexpr std::string_view kName = "log_lengthscale";
  const std::string_view name = slot.name;
  return name.size() >= kName.size() && name.substr(name.size() - kName.size()) == kName;
}

Vector initial_parameters(const FitJob& job, const TrainingStatistics& statistics) {
  if (job.recipe.learner.kind == "gp") return first_start(job, statistics);
  return fixed_parameters(job, statistics, scales_of(job.recipe).front());
}

Vector fixed_parameters(const FitJob& job, const TrainingStatistics& statistics, double scale) {
  Vector theta = first_start(job, statistics);
  if (!has_lengthscale(job)) return theta;
  const double median = statistics.distance_quantile(0.5, Vector::Ones(statistics.input_count()));
  for (const ParameterSlot& slot : layout_of(job).slots())
    if (is_lengthscale(slot)) theta.segment(slot.offset, slot.size).setConstant(std::log(scale * median));
  return theta;
}

TrainingPlan plan_classifiers(const Recipe& recipe, const std::vector<FitJob>& jobs, const ClassifierRows& rows,
                              const FitOptions& options) {
  TrainingPlan plan;
  double maximum = 0;
  for (const FitJob& job : jobs) {
    check_job(job, options);
    const auto scales = scales_of(job.recipe);
    const ProblemSize size =
        problem_size(job, rows, fixed_parameters(job, *rows.statistics, scales.front()), options.threads);
    maximum = std::max(maximum, size.bytes);
    const auto candidates = static_cast<Index>(scales.size() * costs_of(job.recipe).size());
    const Index fits = candidates > 1 ? candidates * job.recipe.learner.folds + 1 : 1;
    plan.fits.push_back({job.name, plan_of(job, rows, size), fits});
    plan.total_flops += static_cast<double>(fits) * plan.fits.back().evaluation.flops;
    plan.model_bytes += plan.fits.back().evaluation.model_bytes;
    plan.notes.push_back(fmt::format(
        "{}: the parameters of {} stay where they start{}", job.name, job.recipe.model,
        has_lengthscale(job) ? ", its length-scale at multiples (learner.scales) of the median distance of two rows"
                             : ""));
  }
  if (recipe.max_model_mb > 0 && plan.model_bytes > recipe.max_model_mb * kBytesPerMegabyte)
    throw ConfigError("/max_model_mb", fmt::format("the model file would take {:.0f} MB, {:g} are allowed",
                                                   plan.model_bytes / kBytesPerMegabyte, recipe.max_model_mb));
  plan.row_bytes = rows.bytes;
  plan.memory_bytes = kClassifierProgramBytes + rows.bytes + 2 * plan.model_bytes + maximum +
                      16.0 * static_cast<double>(rows.statistics->pair_differences.size()) +
                      8.0 * static_cast<double>(rows.statistics->sample.size());
  if (options.memory_bytes > 0 && plan.memory_bytes > options.memory_bytes)
    throw MemoryLimitError(options.memory_bytes, plan.memory_bytes);
  return plan;
}

ClassifierOutcome fit_classifier(const FitJob& job, const ClassifierRows& rows, const FitOptions& options,
                                 const std::function<double()>& seconds) {
  const double began = seconds();
  const auto stopped = [&] { return options.interrupt != nullptr && *options.interrupt; };
  const std::vector<double> scales = scales_of(job.recipe), costs = costs_of(job.recipe);
  std::vector<Candidate> tried;
  Candidate chosen{scales.front(), costs.front(), 0};
  if (scales.size() * costs.size() > 1) {
    tried = Search(job, rows, options, seconds).run();
    if (!tried.empty()) chosen = best_of(tried);
    const std::string warning = tried.empty() ? "" : grid_edge_warning(job, rows, chosen, tried);
    if (!warning.empty() && options.observer != nullptr) options.observer->on_message(warning);
  }
  ClassifierOutcome outcome;
  outcome.cut_short = stopped();
  outcome.theta = fixed_parameters(job, *rows.statistics, chosen.scale);
  // After an interrupt the best candidate so far is still fitted to all rows.
  const bool search_cut = outcome.cut_short && !tried.empty();
  Index wrong = 0;
  double made = began;
  if (!outcome.cut_short || search_cut) {
    const double last_fit = seconds();
    const auto problem = make_problem(job, rows, outcome.theta, options, !search_cut);
    made = seconds();
    outcome.summary["feature_seconds"] = made - last_fit;
    outcome.posterior = problem->fit(chosen.cost, wrong);
  }
  if (!outcome.posterior) {
    outcome.cut_short = true;
    return outcome;
  }
  outcome.summary.update(summary_of(job, chosen, tried, rows.rows()));
  outcome.summary["solver_seconds"] = seconds() - made;
  outcome.summary["training_error"] = static_cast<double>(wrong) / static_cast<double>(rows.rows());
  outcome.summary["seconds"] = seconds() - began;
  outcome.summary["stop"] = outcome.cut_short ? "interrupted" : "converged";
  return outcome;
}

}  // namespace alacarte
