#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "alacarte/core/error.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "classifier_plan.hpp"
#include "cost_model.hpp"
#include "features/levels.hpp"
#include "kernel/levels.hpp"
#include "minibatch_plan.hpp"
#include "noise_plan.hpp"
#include "optimise/fit_run.hpp"
#include "optimise/hyperparameter_samples.hpp"
#include "resolved_recipe.hpp"
#include "tree_columns.hpp"

namespace alacarte {
namespace {

constexpr Index kMinIterations = 20;
constexpr double kMegabyte = 1e6;
// A fixed limit, not the machine's free memory: the choice must not make results vary.
constexpr double kMemoryOfFits = 8e9;
// Besides its evaluations, a fit by evidence pays for its posterior and its leave-one-out scores.
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
    shrink("iterations", &TrainingConfig::iterations, kMinIterations, notes);
    if (cost() > flops_) shrink("starts", &TrainingConfig::starts, 1, notes);
    if (cost() > flops_) drop_copies(notes);
    if (cost() > flops_) notes.push_back(fmt::format("at its smallest the training still takes {:.2g} flops", cost()));
    return notes;
  }

  double cost() const {
    double sum = 0;
    for (std::size_t i = 0; i < fits_.size(); ++i)
      sum += (static_cast<double>(fits_[i].planned_evaluations) + (jobs_[i].is_classifier() ? 0 : kAfterwards)) *
             fits_[i].evaluation.flops;
    return sum;
  }

 private:
  /// Applies the largest common factor that meets the budget, or the least values.
  void shrink(const char* what, Index TrainingConfig::*field, Index minimum, std::vector<std::string>& notes) {
    std::vector<Index> asked;
    for (const FitJob& job : jobs_) asked.push_back(job.recipe.training.*field);
    const auto apply = [&](double factor) {
      for (std::size_t i = 0; i < jobs_.size(); ++i) {
        const auto scaled = static_cast<Index>(factor * static_cast<double>(asked[i]));
        jobs_[i].recipe.training.*field = std::max(std::min(asked[i], minimum), scaled);
        fits_[i].planned_evaluations =
            planned_evaluations(jobs_[i].recipe.training) + fits_[i].minibatches + fits_[i].beside;
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
      Index maximum = 1;
      for (std::size_t i = 0; i < jobs_.size(); ++i) {
        const Index copies =
            std::count_if(jobs_.begin(), jobs_.end(), [&](const FitJob& job) { return job.member == jobs_[i].member; });
        if (copies > maximum || (copies == maximum && copies > 1)) last = i;
        maximum = std::max(maximum, copies);
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
  const auto samples = static_cast<double>(std::max<Index>(1, job.recipe.training.samples));
  return samples * (plan.model_bytes + 8.0 * static_cast<double>(job.prior.parameters().size()));
}

constexpr double kClassifierBytes = 6e6;    // memory of a classifier beside its rows
constexpr double kMaxSubsampleBytes = 2e9;  // for subsamples without a memory limit

/// Returns the memory in use independently of the evaluations.
double base_bytes(const PlannedJobs& planned, const TrainingRows& rows) {
  const double d = static_cast<double>(rows.source->inputs());
  const double pairs = static_cast<double>(rows.statistics.pair_differences.rows());
  const double sample = static_cast<double>(rows.statistics.sample.size());
  double fits = 0;
  for (const FitJob& job : planned.jobs) fits += static_cast<double>(std::max<Index>(1, job.recipe.training.samples));
  const auto classes = static_cast<Index>(rows.classes.size());
  const double scored = static_cast<double>(std::min(rows.source->rows(), max_scored_rows(classes)));
  const double numbers = classes > 0 ? static_cast<double>(pair_count(classes) + classes) : 2;
  // Pairs and their scaled copy, sampled rows; posteriors hold their factors unpacked.
  const double standing =
      kProgramBytes + rows.memory_bytes() + 16 * pairs * d + 8 * sample + 2 * planned.plan.model_bytes;
  if (!rows.labels.empty()) return standing + kClassifierBytes;
  // Leave-one-out scores have means and covariances of each fit, target and row twice over (outcomes, then the
  // mixture), and some more a row.
  const auto targets = static_cast<double>(1 + rows.source->more_targets().cols());
  const bool has_shape = std::any_of(planned.jobs.begin(), planned.jobs.end(), [](const FitJob& job) {
    const NoiseDistribution shape = job.recipe.noise.shape;
    return shape == NoiseDistribution::mixture ||
           (shape == NoiseDistribution::automatic && uses_minibatches(job.recipe));
  });
  const double shape = has_shape ? 8.0 * kNoiseShapeScales * std::min(scored, static_cast<double>(kNoiseShapeRows)) : 0;
  return standing + 8 * scored * (2 * numbers * fits * targets + 7 + targets) + shape;
}

double largest_evaluation(const PlannedJobs& planned) {
  double largest = 0;
  for (const auto& fit : planned.plan.fits) largest = std::max(largest, fit.evaluation.memory_bytes);
  return largest;
}

/// Returns the memory of the fits one after the other.
double in_turn_bytes(const PlannedJobs& planned, int threads) {
  double maximum = 0;
  for (std::size_t i = 0; i < planned.jobs.size(); ++i) {
    const EvaluationPlan& evaluation = planned.plan.fits[i].evaluation;
    const Index starts = planned.jobs[i].is_classifier() ? 1 : planned.jobs[i].recipe.training.starts;
    const int probes = probe_workers(evaluation, starts, threads, planned.work_bytes);
    maximum = std::max(maximum, evaluation.memory_bytes * (probes > 1 ? probes + 1 : 1));
  }
  return maximum;
}

/// Returns the largest number of rows of the ARD fit that finds the noise prior's centre.
Index prior_rows(const PlannedJobs& planned) {
  Index most = 0;
  for (const FitJob& job : planned.jobs) most = std::max(most, job.recipe.noise.prior_rows);
  return most;
}

double noise_bytes(const PlannedJobs& planned, const TrainingRows& rows, int threads) {
  if (!needs_noise_center(planned.jobs)) return 0;
  const double n = static_cast<double>(std::min(prior_rows(planned), rows.source->rows()));
  EvaluationPlan plan;
  plan.memory_bytes = 8 * 5 * n * n;
  const int probes = probe_workers(plan, 2, threads, planned.work_bytes);
  const auto views = static_cast<int>(1 + rows.views.size());
  return plan.memory_bytes * std::max(probes > 1 ? probes + 1 : 1, std::min(threads, views));
}

void plan_evaluations(PlannedJobs& planned, const TrainingRows& rows, const FitOptions& options) {
  Fits& fits = planned.plan.fits;
  fits.clear();
  for (std::size_t i = 0; i < planned.jobs.size(); ++i) {
    const FitJob& job = planned.jobs[i];
    const bool is_copy = i > 0 && planned.jobs[i - 1].member == job.member;
    const auto plan_one = [&] {
      const TrainingRows& seen = rows.seen_as(view_of(job.recipe));
      if (job.is_classifier()) return plan_classifier(job, seen, options);
      const int threads = std::max(1, options.threads);
      return make_job_inference(job, seen, job.recipe.noise.prior_value, threads, planned.work_bytes)->plan();
    };
    const Index count =
        job.is_classifier() ? planned_solutions(job, rows.source->rows()) : planned_evaluations(job.recipe.training);
    const EvaluationPlan plan = is_copy ? fits.back().evaluation : plan_one();
    const Index minibatches = minibatch_evaluations(job, plan);
    const Index beside = evaluations_beside(job.recipe, plan, smooth_inputs(*rows.source));
    fits.push_back({job.name, plan, count + minibatches + beside, minibatches, beside, {}});
  }
  if (needs_noise_center(planned.jobs)) planned.plan.noise_prior = plan_noise_prior(*rows.source, prior_rows(planned));
}

/// Plans the subsamples on which start_on_subsamples() trains where memory is enough.
void plan_subsamples(PlannedJobs& planned) {
  for (std::size_t i = 0; i < planned.jobs.size(); ++i) {
    TrainingPlan::Fit& fit = planned.plan.fits[i];
    TrainingConfig stage = planned.jobs[i].recipe.training;
    if (planned.jobs[i].is_classifier()) continue;
    const Index first = std::exchange(stage.subsample, 0);
    stage.iterations = stage.subsample_iterations;
    for (Index rows = first; rows > 0 && rows < fit.evaluation.rows; rows *= stage.subsample_growth) {
      fit.subsamples.push_back({rows, planned_evaluations(stage)});
      stage.starts = 1;
    }
  }
}

/// Shares the memory among rows, evaluations and what runs side by side.
void plan_memory(PlannedJobs& planned, const TrainingRows& rows, const FitOptions& options) {
  TrainingPlan& plan = planned.plan;
  const int threads = std::max(1, options.threads);
  const double limit = options.memory_bytes;
  const double standing = base_bytes(planned, rows);
  if (limit > 0) {
    planned.work_bytes = std::max(1.0, limit - standing);
    plan_evaluations(planned, rows, options);
  }
  const double largest = largest_evaluation(planned);
  const double allowed = limit > 0 ? std::min(kMemoryOfFits, planned.work_bytes) : kMemoryOfFits;
  const bool abreast = FitContext::is_alone() && threads > 1 && static_cast<int>(plan.fits.size()) >= threads &&
                       largest * threads <= allowed;
  plan.concurrent_fits = abreast ? threads : 1;
  const double fits = abreast ? largest * threads : in_turn_bytes(planned, threads);
  plan.row_bytes = rows.memory_bytes();
  plan.memory_bytes = standing + std::max(fits, noise_bytes(planned, rows, threads));
  // If the limit cannot be met, every part is at its minimum by now.
  if (limit > 0 && plan.memory_bytes > limit) throw MemoryLimitError(limit, plan.memory_bytes);
  planned.spare_bytes = limit > 0 ? limit - plan.memory_bytes : kMaxSubsampleBytes;
  // Fits keep rows beside their source: half of them in subsamples, or all in minibatches.
  const double rows_here = static_cast<double>(rows.source->largest_share());
  const double inputs = static_cast<double>(rows.source->inputs());
  double kept = 0;
  const bool in_memory = dynamic_cast<const MemoryRows*>(rows.source.get()) != nullptr;
  const double pooled = in_memory ? 0 : std::min(rows_here, static_cast<double>(kMaxPooledRows));
  for (const FitJob& job : planned.jobs) {
    if (job.recipe.training.drawn_rows > 0) kept = std::max(kept, 8 * pooled * (inputs + 2));
    if (job.recipe.training.subsample > 0) kept = std::max(kept, 4 * rows_here * (inputs + 1));
    if (uses_minibatches(job.recipe)) kept = std::max(kept, 8 * rows_here * (inputs + 2));
  }
  plan.memory_bytes += std::min(planned.spare_bytes, kept * plan.concurrent_fits);
}

/// Notes the first fit that is trained by the bound of log|B| in place of the joint curvature.
void note_bounds(const PlannedJobs& planned, std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < planned.jobs.size(); ++i)
    if (planned.plan.fits[i].evaluation.form == EvaluationForm::laplace_bound &&
        !uses_minibatches(planned.jobs[i].recipe)) {
      notes.push_back(fmt::format(
          "{}: the evidence takes a bound of softmax's curvature, one block a class; the joint one is for up to {} "
          "features times classes, where memory and time are enough",
          planned.plan.fits[i].name, kMaxJointFeatures));
      return;
    }
}

/// Notes that classifiers learn no parameters.
void note_classifiers(const std::vector<FitJob>& jobs, std::vector<std::string>& notes) {
  for (const FitJob& job : jobs)
    if (job.is_classifier())
      notes.push_back(
          fmt::format("{}: the parameters of {} stay where they start{}", job.name, job.recipe.model,
                      lengthscale_slots(job.prior.parameters()).empty()
                          ? ""
                          : ", its length-scale at multiples (learner.scales) of the median distance of two rows"));
}

/// Notes the settings that training does not learn, once for each model.
void note_fixed_settings(const std::vector<Recipe>& recipes, const std::string& fit, std::vector<std::string>& notes) {
  for (const Recipe& recipe : recipes) {
    const ModelInfo* info = find_model_info(model_infos(), recipe.model);
    if (info != nullptr && !info->fixed.empty() && recipe.learner.kind == LearnerKind::gp) {
      std::string note = fmt::format("{}{}: {}", fit, info->name, info->fixed);
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
    }
    note_fixed_settings(recipe.terms, fit.empty() ? recipe.model + ", " : fit, notes);
  }
}

/// Throws ConfigError where matrices would have too many indicators of levels, and notes levels without effects.
void check_levels(const FitJob& job, const TrainingRows& rows, std::vector<std::string>& notes) {
  if (!job.prior.map() || rows.statistics.level_counts.empty()) return;
  const LevelSplit split = job.prior.map()->level_split();
  const bool shares_map = rows.source->more_targets().size() > 0;
  if (split.levels > kMaxDenseLevels && (shares_map || rows.source->is_distributed()))
    throw ConfigError(shares_map ? "/targets" : "/model",
                      fmt::format("a random effect of {} levels is for one target{}", split.levels,
                                  shares_map ? "; take \"targets\": \"independent\"" : " in one process"));
  const std::vector<Index>& counts = rows.statistics.level_counts;
  const Index all = std::accumulate(counts.begin(), counts.end(), Index{0});
  Index kept = 0;
  for (const auto& term : job.prior.map()->terms())
    if (term.model == kLevelsModel) kept += term.count - 1;
  if (kept < all)
    notes.push_back(fmt::format(
        "{}: {} of {} levels have random effects, and those of the others are left to the noise", job.name, kept, all));
}

}  // namespace

MemoryLimitError::MemoryLimitError(double limit, double smallest)
    : ConfigError("--memory-limit", fmt::format("{:.0f} MB are too little; the smallest that works is {:.0f}MB",
                                                limit / kMegabyte, std::ceil(smallest / kMegabyte))) {}

PlannedJobs plan_jobs(const Recipe& recipe, const TrainingRows& rows, const FitOptions& options) {
  check_feature_sizes(recipe, rows.source->rows(), options.memory_bytes);
  PlannedJobs planned;
  planned.jobs = make_jobs(recipe, rows, options.seed);
  for (FitJob& job : planned.jobs)
    if (job.recipe.training.subsample >= rows.source->rows()) job.recipe.training.subsample = 0;
  TrainingPlan& plan = planned.plan;
  plan.seconds = options.repeat != nullptr ? 0 : recipe.training.seconds;
  std::vector<std::string> notes;
  for (FitJob& job : planned.jobs) plan_minibatches(rows.seen_as(view_of(job.recipe)), job, notes);
  for (const FitJob& job : planned.jobs) check_levels(job, rows.seen_as(view_of(job.recipe)), notes);
  plan_evaluations(planned, rows, options);
  Budget budget(planned.jobs, plan.fits, recipe.flops);
  plan.notes = budget.meet();
  plan.notes.insert(plan.notes.end(), notes.begin(), notes.end());
  note_fixed_settings(recipe.members.empty() ? std::vector<Recipe>{recipe} : recipe.members, "", plan.notes);
  plan.total_flops = budget.cost();
  for (std::size_t i = 0; i < planned.jobs.size(); ++i)
    plan.model_bytes += model_bytes(planned.jobs[i], plan.fits[i].evaluation);
  if (recipe.max_model_mb > 0 && plan.model_bytes > recipe.max_model_mb * kMegabyte)
    throw ConfigError("/max_model_mb", fmt::format("the model file would take {:.0f} MB, {:g} are allowed",
                                                   plan.model_bytes / kMegabyte, recipe.max_model_mb));
  plan_memory(planned, rows, options);
  plan_subsamples(planned);
  note_bounds(planned, plan.notes);
  note_classifiers(planned.jobs, plan.notes);
  return planned;
}

TrainingPlan plan_training(const Recipe& recipe, std::shared_ptr<RowSource> training, const FitOptions& options) {
  const Recipe whole = apply_likelihood_defaults(recipe);
  const RowStructure structure = structure_of(whole, *training, options.seed);
  PreparedRows prepared = prepare_rows(whole, std::move(training), options.seed);
  prepared.take_structure(structure);
  count_classes(whole, target_kind(whole) == TargetKind::classes ? kAnyClasses : 0, prepared.rows);
  const auto classes = static_cast<Index>(prepared.rows.classes.size());
  const Recipe resolved = planned_recipe(whole, *prepared.rows.source, classes, structure, options);
  add_views(resolved, planned_columns(resolved, prepared.rows), RandomStreams(options.seed), prepared.rows);
  TrainingPlan plan = plan_jobs(resolved, prepared.rows, options).plan;
  if (takes_trees(resolved))
    plan.memory_bytes = std::max(plan.memory_bytes, boosting_bytes(*prepared.rows.source, options));
  const RacePlan race = planned_race(whole, *prepared.rows.source, classes, structure, options);
  if (!race.entrants.empty()) {
    const MemberRace scales{true, race.entrants};
    const RacePlan trees = planned_race(whole, *prepared.rows.source, classes, structure, options, scales);
    plan.notes.push_back(fmt::format("a race of {} short fits on {} rows comes first, and may choose other members",
                                     race.entrants.size() + trees.entrants.size(), race.rows + race.held_rows));
  }
  return plan;
}

}  // namespace alacarte
