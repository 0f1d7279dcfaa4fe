// The stage fits: runs the fits of a training, concurrently or in sequence, within its time.
#include <algorithm>
#include <exception>
#include <map>
#include <mutex>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "core/workers.hpp"
#include "one_fit.hpp"
#include "train/plan/auto_constants.hpp"
#include "train/plan/cost_model.hpp"

namespace alacarte {
namespace {

/// Seconds of training.seconds that are kept for learning the noise from left-out rows.
double seconds_for_noise(const Training& training) {
  if (training.noise_rows == nullptr) return 0;
  const Recipe& recipe = training.resolved.planned;
  const MemoryRows& rows = *training.noise_rows;
  const double flops = left_out_noise_flops(std::min(rows.rows(), recipe.noise.rows), rows.inputs());
  return std::min(auto_detail::kLeftOutNoiseShare * recipe.training.seconds,
                  nominal_seconds(flops, training.threads()));
}

/// The fits that wait, longest last, and those that ended. Under a clock each member has two fits before any has a
/// third, which is left out if less time remains than the first took: a single fit gets further, but its intervals are
/// too narrow. "auto" has planned its copies for the time.
class FitPool {
 public:
  explicit FitPool(const Training& training)
      : training_(training),
        planned_(training.planned),
        clock_budget_(training.options.repeat != nullptr
                          ? 0
                          : training.resolved.planned.training.seconds - seconds_for_noise(training)),
        copies_wait_(training.resolved.asked.model != "auto" && clock_budget_ > 0),
        outcomes_(planned_.jobs.size()) {
    const WorkRecord& work = *training.work;
    for (std::size_t k = planned_.jobs.size(); k-- > 0;)
      if (!work.repeats() || work.has_fit(planned_.jobs[k].name)) queue_.push_back(k);
    const auto rank = [&](std::size_t k) { return std::pair(!waits(k), cost(k)); };
    std::stable_sort(queue_.begin(), queue_.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  }

  /// Runs fits from the queue until it is empty. Does not throw: an error is kept for outcomes(), and no further fit
  /// begins.
  void work(int threads) {
    try {
      double deadline = 0;
      while (const std::optional<std::size_t> k = take(deadline)) {
        const double began = training_.seconds();
        try {
          FitOutcome outcome = fit_one(training_, *k, threads, context_of(*k, deadline));
          finish(*k, std::move(outcome), training_.seconds() - began);
        } catch (const NumericalError& error) {  // a fit that fails numerically is left out
          training_.context.message(planned_.jobs[*k].name + " is left out: " + error.what());
          const std::lock_guard lock(mutex_);
          numerical_failure_ = std::current_exception();
        }
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      other_failure_ = std::current_exception();
      queue_.clear();
    }
  }

  /// Returns one outcome for each job; empty for a fit that was left out. Throws NumericalError if no fit succeeded.
  FitOutcomes outcomes() {
    if (other_failure_) std::rethrow_exception(other_failure_);
    const bool any = std::any_of(outcomes_.begin(), outcomes_.end(), [](const auto& o) { return o.has_value(); });
    if (!any && numerical_failure_) std::rethrow_exception(numerical_failure_);
    return std::move(outcomes_);
  }

 private:
  /// Returns true for a third copy or later, under a clock.
  bool waits(std::size_t k) const {
    const FitJob& job = planned_.jobs[k];
    return copies_wait_ && k > 1 && planned_.jobs[k - 2].member == job.member && !uses_minibatches(job.recipe);
  }

  double cost(std::size_t k) const {
    const TrainingPlan::Fit& fit = planned_.plan.fits[k];
    return static_cast<double>(fit.planned_evaluations) * fit.evaluation.flops;
  }

  /// Takes the next fit and its share of the clock: the remaining time, divided by planned cost among the fits that
  /// have not begun, or among those of them that wait for none.
  std::optional<std::size_t> take(double& deadline) {
    const std::lock_guard lock(mutex_);
    while (!queue_.empty()) {
      const bool out_of_time = clock_budget_ > 0 && training_.seconds() >= clock_budget_;
      if (any_begun_ && FitContext::any(training_.context.is_interrupted() || out_of_time)) {
        training_.context.message(std::to_string(queue_.size()) + " fits had not begun and are left out");
        queue_.clear();
        break;
      }
      const std::size_t k = queue_.back();
      const auto first = seconds_of_first_.find(planned_.jobs[k].member);
      const bool is_late = waits(k) && first != seconds_of_first_.end() &&
                           FitContext::any(clock_budget_ - training_.seconds() < first->second);
      if (!is_late) deadline = deadline_of(k);
      queue_.pop_back();
      if (is_late) {
        training_.context.message(planned_.jobs[k].name + " is left out: there is no time for another copy");
        continue;
      }
      any_begun_ = true;
      return k;
    }
    return std::nullopt;
  }

  double deadline_of(std::size_t k) const {
    if (clock_budget_ == 0) return 0;
    double waiting = 0;
    for (const std::size_t i : queue_)
      if (waits(i) == waits(k)) waiting += cost(i);
    const double share = waiting > 0 ? std::min(1.0, cost(k) * planned_.plan.concurrent_fits / waiting) : 1.0;
    return training_.seconds() + share * (clock_budget_ - training_.seconds());
  }

  FitContext context_of(std::size_t k, double deadline) const {
    FitContext context = training_.context;
    context.fit = planned_.jobs[k].name;
    context.deadline = deadline;
    context.memory_bytes = planned_.evaluation_bytes();
    if (!training_.options.checkpoint_path.empty())
      context.save = [this, k](const FitState& state) { training_.checkpoint->update(k, state); };
    return context;
  }

  void finish(std::size_t k, FitOutcome outcome, double seconds) {
    const std::lock_guard lock(mutex_);
    outcomes_[k] = std::move(outcome);
    seconds_of_first_.emplace(planned_.jobs[k].member, seconds);
  }

  const Training& training_;
  const PlannedJobs& planned_;
  const double clock_budget_;
  const bool copies_wait_;

  std::mutex mutex_;                // guards the members below
  std::vector<std::size_t> queue_;  // fits are taken from the back
  bool any_begun_ = false;
  std::map<std::size_t, double> seconds_of_first_;  // first fit of each member that ended
  FitOutcomes outcomes_;
  std::exception_ptr numerical_failure_, other_failure_;
};

}  // namespace

void run_fits(Training& training) {
  training.seen = holds_scored_out(training) ? rows_seen(training.rows, training.scored) : training.rows;
  FitPool pool(training);
  if (const int workers = training.planned.plan.concurrent_fits; workers > 1) {
    const BlasThreads one(1);
    run_workers(workers, [&](int) { pool.work(1); });
  } else {
    pool.work(training.threads());
  }
  training.checkpoint->flush();
  training.outcomes = pool.outcomes();
}

}  // namespace alacarte
