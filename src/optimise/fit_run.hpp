#pragma once
// One fit while it runs: probes, final stage, checkpoint and result. trainer.cpp runs the search; fit_run.cpp records
// progress and results.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "descent.hpp"
#include "fit_context.hpp"

namespace alacarte {

/// Returns how many probes run side by side, on one thread each; 1 = one after the other on all threads. memory_bytes:
/// limit for them; 0 = the trainer's own limit.
int probe_workers(const EvaluationPlan& plan, Index starts, int threads, double memory_bytes);

class FitRun {
  using Clock = std::chrono::steady_clock;

 public:
  FitRun(Objective& objective, const ObjectiveFactory& make, const std::vector<Vector>& starts,
         const TrainingConfig& config, bool with_priors, int threads, const FitContext& context, const FitState* resume)
      : objective_(objective),
        make_(make),
        starts_(starts),
        config_(config),
        with_priors_(with_priors),
        threads_(std::max(1, threads)),
        context_(context),
        began_(Clock::now()) {
    if (resume != nullptr) state_ = *resume;
    resumed_seconds_ = state_.summary.seconds;
    evaluations_before_ = state_.summary.evaluations + state_.descent.best.evaluations;
  }
  FitResult run();

 private:
  void check_shapes() const;
  double seconds() const;
  Stop own_stop() const;
  Stop must_stop() const;

  // ---- probes
  DescentLimits limits(Index iterations, Index evaluations) const;
  Index probe_evaluations() const;
  void run_probes();

  /// Runs and records, or repeats, one descent, from the checkpoint's point if any and the stage runs alone.
  /// `curvature`: as for descend().
  DescentResult run_stage(Objective& objective, const std::string& stage, const Vector& start, DescentLimits limits,
                          bool alone, Curvature* curvature = nullptr);

  /// Takes probes until none is left; `alone`: the running probe is part of the checkpoint.
  void work(Objective& objective, bool alone);
  void finish_probe(std::size_t k, DescentResult result);
  void record_probe(const DescentResult& probe);
  Index best_probe() const;

  // ---- final stage
  void run_final();

  // ---- progress and state
  DescentWatch watch(Objective& objective, const std::string& stage, bool alone);
  void report(Objective& objective, const std::string& stage, const DescentResult& result, bool improved);
  static void add_counts(const DescentResult& from, TrainingSummary& to);
  void save_state();

  // ---- result

  /// Returns the result of a fit interrupted among its probes: the best of finished and unfinished probes.
  FitResult conclude();
  double probe_value(Index k) const;
  DescentResult best_of_probes(Index& best) const;
  void fill_summary(const DescentResult& winner, Index best, TrainingSummary& summary);

  /// Saves the last checkpoint: a finished fit, or one that can continue.
  void finish_state(const FitResult& result);
  Objective& objective_;
  const ObjectiveFactory& make_;  // for probes side by side
  const std::vector<Vector>& starts_;
  const TrainingConfig& config_;
  const bool with_priors_;
  const int threads_;
  const FitContext& context_;
  const Clock::time_point began_;
  double resumed_seconds_ = 0;
  std::mutex mutex_;  // guards everything below while probes run side by side
  FitState state_;
  std::vector<std::optional<DescentResult>> probes_;
  std::size_t next_probe_ = 0;
  std::optional<DescentResult> final_;
  Index evaluations_before_ = 0;
  std::atomic<Index> evaluations_now_ = 0;
  std::atomic<int> abreast_ = 1;  // probes that run side by side
  mutable Vector speeds_;         // of the ranks, when they last agreed
  double last_report_ = -std::numeric_limits<double>::infinity();
  bool any_point_ = false, jitter_reported_ = false;
  Stop stop_ = Stop::none;
};

}  // namespace alacarte
