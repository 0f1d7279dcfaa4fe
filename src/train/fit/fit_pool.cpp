#include "fit_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "core/ranks.hpp"
#include "core/workers.hpp"
#include "data/distributed_rows.hpp"
#include "train/search/classifier_search.hpp"
#include "train/search/drawn_rows.hpp"
#include "train/search/label_start.hpp"
#include "train/weigh/fit_result.hpp"

namespace alacarte {
namespace {

// Too few evaluations give a poor estimate: concurrent fits end at about the same time.
constexpr double kTellingEvaluations = 4;
// Largest share of a fit's time for subsamples.
constexpr double kSubsampleShare = 0.6;

}  // namespace

void ProgressRelay::on_progress(const Progress& progress) {
  if (target_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  Progress passed = progress;
  passed.seconds_left = seconds_left(progress);
  target_->on_progress(passed);
}

void ProgressRelay::on_message(const std::string& message) {
  if (target_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  target_->on_message(message);
}

void ProgressRelay::on_warning(const std::string& message) {
  if (target_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  target_->on_warning(message);
}

double ProgressRelay::seconds_left(const Progress& progress) {
  if (progress.evaluation == 0) return -1;  // steps on few rows measure nothing of what follows
  counts_.resize(plan_.fits.size());
  double done = 0, left = 0, flops = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    Count& count = counts_[i];
    const TrainingPlan::Fit& fit = plan_.fits[i];
    if (fit.name == progress.fit) {
      flops = std::max(1.0, fit.evaluation.flops);
      if (count.first < 0) count.first = progress.evaluation - 1;  // what a resumed fit had done before
      count.last = progress.evaluation;
    }
    done += static_cast<double>(count.last - std::max<Index>(0, count.first)) * fit.evaluation.flops;
    left += static_cast<double>(std::max<Index>(0, fit.planned_evaluations - count.last)) * fit.evaluation.flops;
  }
  // Time before the first record (data, noise prior) is not representative of what follows.
  if (first_seconds_ < 0) {
    first_seconds_ = progress.seconds;
    first_done_ = done;
  }
  const double since = done - first_done_;
  // flops: 0 for a fit that the plan does not know, those on subsamples.
  if (flops == 0 || since < kTellingEvaluations * flops) return -1;
  const double measured = (progress.seconds - first_seconds_) / since * left;
  return clock_ > 0 ? std::min(measured, std::max(0.0, clock_ - progress.seconds)) : measured;
}

FitPool::FitPool(const PlannedJobs& planned, const TrainingRows& rows, const TrainingRows& seen,
                 const std::vector<Index>& scored, const FitOptions& options, double clock_budget, bool copies_wait,
                 std::chrono::steady_clock::time_point began, FitCheckpoint& checkpoint, WorkRecord& work,
                 TrainingObserver& observer, const ModelStart* start)
    : planned_(planned),
      rows_(rows),
      seen_(seen),
      scored_(scored),
      options_(options),
      clock_budget_(clock_budget),
      copies_wait_(copies_wait && clock_budget > 0),
      began_(began),
      checkpoint_(checkpoint),
      record_(work),
      observer_(observer),
      start_(start),
      outcomes_(planned.jobs.size()) {
  for (std::size_t k = planned.jobs.size(); k-- > 0;)
    if (!record_.repeats() || record_.has_fit(planned.jobs[k].name)) queue_.push_back(k);
  const auto rank = [&](std::size_t k) { return std::pair(!waits(k), cost(k)); };
  std::stable_sort(queue_.begin(), queue_.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
}

bool FitPool::waits(std::size_t k) const {
  const FitJob& job = planned_.jobs[k];
  return copies_wait_ && k > 1 && planned_.jobs[k - 2].member == job.member && !uses_minibatches(job.recipe);
}

double FitPool::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

double FitPool::cost(std::size_t k) const {
  const TrainingPlan::Fit& fit = planned_.plan.fits[k];
  return static_cast<double>(fit.planned_evaluations) * fit.evaluation.flops;
}

std::vector<std::optional<FitOutcome>> FitPool::run(double noise_center) {
  noise_center_ = noise_center;
  const int workers = planned_.plan.concurrent_fits;
  if (workers == 1) {
    work(std::max(1, options_.threads));
  } else {
    const BlasThreads one(1);
    run_workers(workers, [this](int) { work(1); });
  }
  checkpoint_.flush();
  if (other_failure_) std::rethrow_exception(other_failure_);
  const bool any = std::any_of(outcomes_.begin(), outcomes_.end(), [](const auto& o) { return o.has_value(); });
  if (!any && numerical_failure_) std::rethrow_exception(numerical_failure_);
  return std::move(outcomes_);
}

void FitPool::work(int threads) {
  try {
    double deadline = 0;
    while (const std::optional<std::size_t> k = take(deadline)) try_one(*k, threads, deadline);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    other_failure_ = std::current_exception();
    queue_.clear();
  }
}

void FitPool::try_one(std::size_t k, int threads, double deadline) {
  try {
    run_one(k, threads, deadline);
  } catch (const NumericalError& error) {
    observer_.on_message(planned_.jobs[k].name + " is left out: " + error.what());
    const std::lock_guard lock(mutex_);
    numerical_failure_ = std::current_exception();
  }
}

/// The next fit and its share of the clock: what is left, divided by planned cost among fits that have not begun, or
/// among those of them that wait for none.
std::optional<std::size_t> FitPool::take(double& deadline) {
  std::unique_lock lock(mutex_);
  if (queue_.empty()) return std::nullopt;
  const bool out_of_time = clock_budget_ > 0 && seconds() >= clock_budget_;
  if (any_begun_ && ranks::any(interrupted() || out_of_time)) {
    observer_.on_message(std::to_string(queue_.size()) + " fits had not begun and are left out");
    queue_.clear();
    return std::nullopt;
  }
  const std::size_t k = queue_.back();
  const auto first = seconds_of_first_.find(planned_.jobs[k].member);
  if (waits(k) && first != seconds_of_first_.end() && ranks::any(clock_budget_ - seconds() < first->second)) {
    observer_.on_message(planned_.jobs[k].name + " is left out: there is no time for another copy");
    queue_.pop_back();
    lock.unlock();
    return take(deadline);
  }
  double waiting = 0;
  for (const std::size_t i : queue_)
    if (waits(i) == waits(k)) waiting += cost(i);
  const double share = waiting > 0 ? std::min(1.0, cost(k) * planned_.plan.concurrent_fits / waiting) : 1.0;
  deadline = clock_budget_ > 0 ? seconds() + share * (clock_budget_ - seconds()) : 0;
  queue_.pop_back();
  any_begun_ = true;
  return k;
}

void FitPool::run_one(std::size_t k, int threads, double deadline) {
  const FitJob& job = planned_.jobs[k];
  const double began = seconds();
  TrainerHooks hooks;
  hooks.observer = &observer_;
  hooks.interrupt = options_.interrupt;
  if (!options_.checkpoint_path.empty())
    hooks.checkpoint = [&](const FitState& state) { checkpoint_.update(k, state); };
  hooks.deadline_seconds = deadline;
  hooks.seconds_since_start = [this] { return seconds(); };
  hooks.fit_name = job.name;
  hooks.memory_bytes = planned_.evaluation_bytes();
  hooks.work = &record_;
  FitOutcome outcome = job.is_classifier() ? search_classifier(job, rows_, options_.seed, threads, hooks)
                                           : maximise_evidence(k, threads, hooks);
  const std::lock_guard lock(mutex_);
  outcomes_[k] = std::move(outcome);
  seconds_of_first_.emplace(job.member, seconds() - began);
}

FitOutcome FitPool::maximise_evidence(std::size_t k, int threads, const TrainerHooks& hooks) {
  const FitJob& job = planned_.jobs[k];
  const double center =
      job.recipe.noise.prior_center == PriorCenter::ard ? noise_center_ : job.recipe.noise.prior_value;
  const auto make_on = [&](const TrainingRows& rows, int count) {
    return make_job_inference(job, rows, center, count, planned_.evaluation_bytes());
  };
  const auto make = [&](int count) { return make_on(seen_, count); };
  const std::unique_ptr<Inference> inference = make(threads);
  auto starts = start_ != nullptr ? std::vector<Vector>{start_->point(k, seen_, inference->parameters())}
                                  : make_job_starts(job, seen_, inference->parameters(), center);
  const FitState* state = checkpoint_.state(k);
  std::optional<MinibatchResult> minibatches;
  const TrainingConfig& training = job.recipe.training;
  Curvature curvature;
  if (state != nullptr && state->begun()) {
    // Labels and subsamples leave one point, and the state is further.
    const bool is_past = state->probe_theta.empty() && (state->in_final || state->finished);
    if (is_past && (training.start == StartPoint::labels || training.subsample > 0 || training.drawn_rows > 0))
      starts.resize(1);
    if (const nlohmann::json& kept = checkpoint_.minibatches(k); !kept.is_null())
      minibatches = minibatches_from_json(kept);
  } else {
    if (start_ == nullptr) {
      if (training.start == StartPoint::labels) from_labels(job, inference->parameters(), starts, threads, hooks);
      if (training.subsample > 0) starts = from_subsamples(job, center, std::move(starts), threads, hooks, curvature);
      if (training.drawn_rows > 0) {
        const double spare = planned_.spare_bytes / planned_.plan.concurrent_fits;
        starts = {train_on_drawn_rows(job, seen_, center, starts.front(), threads, planned_.evaluation_bytes(), spare,
                                      hooks)};
      }
    }
    if (uses_minibatches(job.recipe)) {
      const double bytes = planned_.spare_bytes / planned_.plan.concurrent_fits;
      minibatches = train_on_minibatches(job, seen_, inference->parameters(), starts.front(), threads, bytes, hooks);
      starts = {minibatches->theta};
      checkpoint_.keep_minibatches(k, to_json(*minibatches));
    }
  }
  const bool holds_out = seen_.held_out != nullptr, by_minibatches = uses_minibatches(job.recipe);
  TrainingRows last_rows = rows_;
  LeftOutRows left_out{true, scored_};
  // Rows that the features were fitted to would be scored too well when left out of the posterior alone.
  if (by_minibatches && !holds_out) left_out = LeftOutRows::none();
  if (minibatches && minibatches->posterior_rows > 0) draw_posterior_rows(job, *minibatches, last_rows, left_out);
  // Nothing more is learned after minibatches: one inference finds evidence and posterior.
  const std::unique_ptr<Inference> whole = holds_out ? make_on(last_rows, threads) : nullptr;
  Inference& trained = by_minibatches && whole ? *whole : *inference;
  Inference& last_inference = whole ? *whole : *inference;
  TrainerHooks last = hooks;
  last.curvature = &curvature;
  if (hooks.deadline_seconds > 0) last.deadline_seconds -= sampling_share(job) * (hooks.deadline_seconds - seconds());
  // A fit whose minibatches were cut short is not finished, and what goes on from it begins again.
  if (minibatches && minibatches->stop == "interrupted") last.checkpoint = nullptr;
  FitResult result = train(trained, make, starts, job.recipe.training, job.recipe.priors, threads, last, state);
  curvature = {};  // the posterior needs the room
  checkpoint_.flush();
  if (minibatches && minibatches->stop != "epochs") result.summary.stop = minibatches->stop;
  Solution solution = last_inference.solve(result.theta, left_out);
  if (!minibatches && scale_after(result, solution, job, inference->parameters(), hooks.fit_name)) {
    observer_.on_message(job.name + ": cut short, so that its scale is taken from its leave-one-out errors");
    solution = last_inference.solve(result.theta, left_out);
  }
  const std::string& stop = result.summary.stop;
  nlohmann::json summary = to_json(result.summary);
  if (minibatches) summary["minibatches"] = to_json(*minibatches);
  FitOutcome outcome = outcome_at(job, result.theta, std::move(solution), threads);
  outcome.summary = std::move(summary);
  outcome.evaluations = result.summary.evaluations;
  outcome.cut_short = stop == "interrupted" || stop == "seconds";
  if (training.samples > 0) sample(outcome, job, result.theta, *inference, last_inference, left_out, threads, hooks);
  return outcome;
}

/// What predicts from theta, without a record.
FitOutcome FitPool::outcome_at(const FitJob& job, const Vector& theta, Solution solution, int threads) const {
  FitOutcome outcome;
  outcome.theta = theta.head(job.parameters().size());
  outcome.posterior = std::move(solution.posterior);
  outcome.leave_one_out = std::move(solution.leave_one_out);
  outcome.class_values =
      left_out_class_values(job, outcome.leave_one_out, static_cast<Index>(rows_.classes.size()), threads);
  outcome.likelihood_theta = theta.tail(likelihood_of(job.recipe).parameters(job.recipe.noise).size());
  outcome.more = std::move(solution.more);
  return outcome;
}

/// A search that was cut short may be far from the scale of its errors, which has a closed form: amplitude and noise
/// times one factor leave the mean as it is, and squared leave-one-out errors are then as large as their variances.
/// Returns whether theta was scaled.
bool FitPool::scale_after(FitResult& result, const Solution& solution, const FitJob& job, const ParameterLayout& layout,
                          const std::string& name) {
  constexpr double kTolerated = 1.25;
  const std::string key = name + ": scale";
  const bool is_cut = result.summary.stop == "seconds" || result.summary.stop == "interrupted";
  const LeaveOneOut& left_out = solution.leave_one_out;
  if (!(record_.repeats() ? record_.evaluations(key) > 0 : is_cut) || !likelihood_of(job.recipe).is_conjugate() ||
      !job.recipe.noise.trained || !solution.more.empty() || left_out.mean.size() == 0)
    return false;
  const Vector target = read_scored(*rows_.source, scored_).target;
  const double factor = ((target - left_out.mean.col(0)).array().square() / left_out.variance.col(0).array()).mean();
  if (!std::isfinite(factor) || (factor < kTolerated && factor > 1 / kTolerated)) return false;
  const double noise_sd = std::sqrt(factor * solution.posterior->noise_variance());
  scale_amplitudes(layout, std::sqrt(factor), result.theta);
  result.theta[layout.find("noise.log_sd").offset] = log_noise(noise_sd, job, seen_);
  clamp_scales(layout, result.theta);
  if (!record_.repeats()) record_.record(key, 1);
  return true;
}

/// Leaves as many of the rows in `rows` as there is time for, and all that are scored, which `left_out` names among
/// them.
void FitPool::draw_posterior_rows(const FitJob& job, const MinibatchResult& minibatches, TrainingRows& rows,
                                  LeftOutRows& left_out) const {
  RandomStream stream = job.streams.stream("posterior.rows");
  std::vector<Index> drawn = draw_rows(stream, rows.source->rows(), minibatches.posterior_rows), kept;
  std::sort(drawn.begin(), drawn.end());
  std::set_union(drawn.begin(), drawn.end(), scored_.begin(), scored_.end(), std::back_inserter(kept));
  for (Index& row : left_out.rows) row = std::lower_bound(kept.begin(), kept.end(), row) - kept.begin();
  observer_.on_message(fmt::format("{}: the posterior is of {} of {} rows: as many as there is time for", job.name,
                                   kept.size(), rows.source->rows()));
  rows.source = gather_rows(*rows.source, kept);
  count_classes(job.recipe, static_cast<Index>(rows.classes.size()), rows);
}

/// The one point that the labels lead to, in place of the starts.
void FitPool::from_labels(const FitJob& job, const ParameterLayout& layout, std::vector<Vector>& starts, int threads,
                          const TrainerHooks& hooks) const {
  const double began = seconds();
  const auto start = label_start(job, seen_, layout, starts, threads, planned_.evaluation_bytes(), hooks);
  if (!start) {
    observer_.on_message(job.name + ": the labels gave no start");
    return;
  }
  starts = {*start};
  observer_.on_message(fmt::format("{}: the start from labels took {:.3g} s", job.name, seconds() - began));
}

/// Probes on the first subsample and a few iterations on each, `subsample_growth` times as large; the point that all
/// rows go on from, and the curvature there if it is to be carried over; `starts` themselves when there is no memory
/// for any.
std::vector<Vector> FitPool::from_subsamples(const FitJob& job, double center, std::vector<Vector> starts, int threads,
                                             const TrainerHooks& hooks, Curvature& curvature) const {
  TrainerHooks inner = hooks;
  inner.checkpoint = nullptr;  // only the passes over all rows are worth going on from
  if (hooks.deadline_seconds > 0)
    inner.deadline_seconds = seconds() + kSubsampleShare * (hooks.deadline_seconds - seconds());
  if (job.recipe.training.carry_curvature) inner.curvature = &curvature;
  TrainingConfig config = job.recipe.training;
  config.iterations = config.subsample_iterations;
  RandomStream stream = job.streams.stream("subsample");
  const Index all = seen_.source->rows();
  const double row_bytes = 8.0 * static_cast<double>(seen_.source->inputs() + 1);
  const double maximum = planned_.spare_bytes / planned_.plan.concurrent_fits;
  const double began = seconds();
  const Index first = std::min(config.subsample, static_cast<Index>(maximum / row_bytes));
  const auto fits = [&](Index rows) { return rows < all && static_cast<double>(rows) * row_bytes <= maximum; };
  Index trained = 0;
  for (Index rows = first; rows > 0 && fits(rows); rows *= config.subsample_growth) {
    TrainingRows drawn{pick_rows(seen_.source, draw_rows(stream, all, rows)), seen_.statistics, {}};
    drawn.more_noise_centers = seen_.more_noise_centers;
    count_classes(job.recipe, static_cast<Index>(seen_.classes.size()), drawn);
    const auto make = [&](int count) {
      return make_job_inference(job, drawn, center, count, planned_.evaluation_bytes());
    };
    inner.fit_name = job.name + " on " + std::to_string(rows) + " rows";
    if (record_.repeats() && !record_.has_fit(inner.fit_name)) break;
    try {
      const FitResult result = train(*make(threads), make, starts, config, job.recipe.priors, threads, inner);
      starts = {result.theta};
      trained = rows;
      const Index next = fits(rows * config.subsample_growth) ? rows * config.subsample_growth : all;
      curvature.scale(static_cast<double>(next) / static_cast<double>(rows));
      if (result.interrupted || result.summary.stop == "seconds") break;
    } catch (const NumericalError& error) {
      observer_.on_message(inner.fit_name + ": " + error.what() + "; all rows go on from what was reached before");
      break;
    }
  }
  if (trained == 0) return starts;
  observer_.on_message(
      fmt::format("{}: subsamples of {} to {} rows took {:.3g} s", job.name, first, trained, seconds() - began));
  return starts;
}

}  // namespace alacarte
