#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "fit_jobs.hpp"
#include "fit_run.hpp"

namespace alacarte {
namespace {

constexpr Index kLeastIterations = 20;
constexpr double kMegabyte = 1e6;
// A fixed limit, not the machine's free memory: the choice must not make results vary.
constexpr double kMemoryOfFits = 8e9;
// Besides its evaluations, a fit pays for its posterior and its leave-one-out scores.
constexpr double kAfterwards = 2;

using Fits = std::vector<TrainingPlan::Fit>;

/// Fits and jobs while they shrink; `fits[i]` plans `jobs[i]`.
class Budget {
 public:
  Budget(std::vector<FitJob>& jobs, Fits& fits, double flops) : jobs_(jobs), fits_(fits), flops_(flops) {}

  std::vector<std::string> meet() {
    std::vector<std::string> notes;
    const double planned = cost();
    if (flops_ <= 0 || planned <= flops_) return notes;
    notes.push_back(fmt::format("planned cost {:.2g} flops exceeds the {:.2g} of the recipe", planned, flops_));
    shrink("iterations", &TrainingConfig::iterations, kLeastIterations, notes);
    if (cost() > flops_) shrink("starts", &TrainingConfig::starts, 1, notes);
    if (cost() > flops_) drop_copies(notes);
    if (cost() > flops_) notes.push_back(fmt::format("at its smallest the training still takes {:.2g} flops", cost()));
    return notes;
  }

  double cost() const {
    double sum = 0;
    for (const auto& fit : fits_)
      sum += (static_cast<double>(fit.planned_evaluations) + kAfterwards) * fit.evaluation.flops;
    return sum;
  }

 private:
  /// The largest common factor that meets the budget, or the least values.
  void shrink(const char* what, Index TrainingConfig::*field, Index least, std::vector<std::string>& notes) {
    std::vector<Index> asked;
    for (const FitJob& job : jobs_) asked.push_back(job.recipe.training.*field);
    const auto apply = [&](double factor) {
      for (std::size_t i = 0; i < jobs_.size(); ++i) {
        const auto scaled = static_cast<Index>(factor * static_cast<double>(asked[i]));
        jobs_[i].recipe.training.*field = std::max(std::min(asked[i], least), scaled);
        fits_[i].planned_evaluations = planned_evaluations(jobs_[i].recipe.training);
      }
      return cost() <= flops_;
    };
    double low = 0, high = 1;
    for (int halving = 0; halving < 30; ++halving) {
      const double middle = 0.5 * (low + high);
      (apply(middle) ? low : high) = middle;
    }
    apply(low);
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      notes.push_back(
          fmt::format("{}: {} {} instead of {}", fits_[i].name, what, jobs_[i].recipe.training.*field, asked[i]));
  }

  void drop_copies(std::vector<std::string>& notes) {
    while (cost() > flops_) {
      std::size_t last = jobs_.size();
      Index most = 1;
      for (std::size_t i = 0; i < jobs_.size(); ++i) {
        const Index copies =
            std::count_if(jobs_.begin(), jobs_.end(), [&](const FitJob& job) { return job.member == jobs_[i].member; });
        if (copies > most || (copies == most && copies > 1)) last = i;
        most = std::max(most, copies);
      }
      if (last == jobs_.size()) return;
      notes.push_back(fits_[last].name + ": left out");
      jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(last));
      fits_.erase(fits_.begin() + static_cast<std::ptrdiff_t>(last));
    }
  }

  std::vector<FitJob>& jobs_;
  Fits& fits_;
  double flops_;
};

double model_bytes(const FitJob& job, const EvaluationPlan& plan) {
  const Index parameters = job.map ? job.map->parameters().size() : job.kernel->parameters().size();
  return plan.model_bytes + 8.0 * static_cast<double>(parameters);
}

void add_memory(const PlannedJobs& planned, const TrainingRows& rows, int threads, TrainingPlan& plan) {
  double largest = 0, with_probes = 0;
  for (std::size_t i = 0; i < planned.jobs.size(); ++i) {
    const EvaluationPlan& evaluation = plan.fits[i].evaluation;
    const int probes = probe_workers(evaluation, planned.jobs[i].recipe.training.starts, threads);
    largest = std::max(largest, evaluation.memory_bytes);
    with_probes = std::max(with_probes, evaluation.memory_bytes * (probes > 1 ? probes + 1 : 1));
  }
  const auto count = static_cast<int>(plan.fits.size());
  if (threads > 1 && count >= threads && largest * threads <= kMemoryOfFits) plan.concurrent_fits = threads;
  const double data = 8.0 * static_cast<double>(rows.source->rows() * (rows.source->inputs() + 1));
  plan.memory_bytes = data + plan.model_bytes + (plan.concurrent_fits > 1 ? largest * threads : with_probes);
}

}  // namespace

PlannedJobs plan_jobs(const Recipe& recipe, const TrainingRows& rows, const FitOptions& options) {
  PlannedJobs planned;
  planned.jobs = make_jobs(recipe, rows.source->inputs(), options.seed);
  TrainingPlan& plan = planned.plan;
  for (std::size_t i = 0; i < planned.jobs.size(); ++i) {
    const FitJob& job = planned.jobs[i];
    const bool is_copy = i > 0 && planned.jobs[i - 1].member == job.member;
    const EvaluationPlan evaluation =
        is_copy ? plan.fits.back().evaluation
                : make_job_objective(job, rows, job.recipe.noise.prior_value, options.threads)->plan();
    plan.fits.push_back({job.name, evaluation, planned_evaluations(job.recipe.training)});
  }
  Budget budget(planned.jobs, plan.fits, recipe.flops);
  plan.notes = budget.meet();
  plan.total_flops = budget.cost();
  for (std::size_t i = 0; i < planned.jobs.size(); ++i)
    plan.model_bytes += model_bytes(planned.jobs[i], plan.fits[i].evaluation);
  add_memory(planned, rows, std::max(1, options.threads), plan);
  if (recipe.max_model_mb > 0 && plan.model_bytes > recipe.max_model_mb * kMegabyte)
    throw ConfigError("/max_model_mb", fmt::format("the model file would take {:.0f} MB, {:g} are allowed",
                                                   plan.model_bytes / kMegabyte, recipe.max_model_mb));
  return planned;
}

TrainingPlan plan_training(const Recipe& recipe, const Dataset& training, const FitOptions& options) {
  check_training_rows(training);
  const auto standardizer =
      Standardizer::learn(training.inputs, training.target, recipe.scale_inputs, recipe.scale_target);
  const TrainingRows rows = make_training_rows(
      std::make_shared<MemoryRows>(standardizer.inputs(training.inputs), standardizer.target(training.target)),
      RandomStreams(options.seed));
  return plan_jobs(recipe, rows, options).plan;
}

}  // namespace alacarte
