#pragma once
// Runs the fits of one training, concurrently or in sequence, subject to the time budget and the interrupt.
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "train/fit_checkpoint.hpp"
#include "train/plan/fit_jobs.hpp"
#include "train/search/minibatches.hpp"
#include "train/search/model_start.hpp"

namespace alacarte {

struct FitOutcome {
  Vector theta;  ///< of the map or kernel
  nlohmann::json summary;
  Index evaluations = 0;
  bool cut_short = false;
  std::unique_ptr<Posterior> posterior;
  LeaveOneOut leave_one_out;
  Matrix class_values{};         ///< (rows left out, K) probabilities of the classes
  Vector likelihood_theta{};     ///< own parameters of the likelihood
  std::vector<Solution> more{};  ///< of several targets those beside the first
  /// training.samples: further samples of the hyperparameters, until spread_samples().
  std::vector<FitOutcome> samples{};
  bool is_sample = false;  ///< belongs to the fit of the outcome before
};

/// Passes records on one at a time, with an estimate of the time left for the whole training.
class ProgressRelay : public TrainingObserver {
 public:
  /// clock: seconds after which every fit ends; 0 = none.
  ProgressRelay(TrainingObserver* target, const TrainingPlan& plan, double clock = 0)
      : target_(target), plan_(plan), clock_(clock) {}
  void on_progress(const Progress& progress) override;
  void on_message(const std::string& message) override;
  void on_warning(const std::string& message) override;

 private:
  double seconds_left(const Progress& progress);

  TrainingObserver* target_;
  const TrainingPlan& plan_;
  double clock_;
  std::mutex mutex_;
  struct Count {
    Index first = -1, last = 0;
  };
  std::vector<Count> counts_;
  double first_seconds_ = -1, first_done_ = 0;
};

class FitPool {
 public:
  /// seen: the rows that parameters are learned from; posteriors take all of `rows`, which are the same or have
  /// seen.held_out besides. scored: the rows of leave-one-out scores, increasing; empty = all. start: null, or where
  /// every fit begins. copies_wait: under a clock each member has two fits before any has a third, which is left out
  /// where there is less time than the first took. (One alone goes further, but its intervals are too narrow.)
  FitPool(const PlannedJobs& planned, const TrainingRows& rows, const TrainingRows& seen,
          const std::vector<Index>& scored, const FitOptions& options, double clock_budget, bool copies_wait,
          std::chrono::steady_clock::time_point began, FitCheckpoint& checkpoint, WorkRecord& work,
          TrainingObserver& observer, const ModelStart* start);

  /// One outcome for each job; empty for a fit that was left out. Throws NumericalError if no fit succeeded.
  std::vector<std::optional<FitOutcome>> run(double noise_center);

 private:
  /// Runs fits from the queue until it is empty. Does not throw: an error is kept for run(), and no further fit begins.
  void work(int threads);
  /// A fit that fails numerically is left out.
  void try_one(std::size_t k, int threads, double deadline);
  std::optional<std::size_t> take(double& deadline);
  void run_one(std::size_t k, int threads, double deadline);
  FitOutcome maximise_evidence(std::size_t k, int threads, const TrainerHooks& hooks);
  FitOutcome outcome_at(const FitJob& job, const Vector& theta, Solution solution, int threads) const;
  static double sampling_share(const FitJob& job);  ///< of a fit's time
  void sample(FitOutcome& outcome, const FitJob& job, const Vector& mode, Inference& trained, Inference& last_inference,
              const LeftOutRows& left_out, int threads, const TrainerHooks& hooks) const;
  bool scale_after(FitResult& result, const Solution& solution, const FitJob& job, const ParameterLayout& layout,
                   const std::string& name);
  void draw_posterior_rows(const FitJob& job, const MinibatchResult& minibatches, TrainingRows& rows,
                           LeftOutRows& left_out) const;
  void from_labels(const FitJob& job, const ParameterLayout& layout, std::vector<Vector>& starts, int threads,
                   const TrainerHooks& hooks) const;
  std::vector<Vector> from_subsamples(const FitJob& job, double center, std::vector<Vector> starts, int threads,
                                      const TrainerHooks& hooks, Curvature& curvature) const;
  double seconds() const;
  bool interrupted() const { return options_.interrupt != nullptr && options_.interrupt->load(); }
  double cost(std::size_t k) const;
  bool waits(std::size_t k) const;  ///< a third copy or later, under a clock

  const PlannedJobs& planned_;
  const TrainingRows &rows_, &seen_;
  const std::vector<Index>& scored_;
  const FitOptions& options_;
  double clock_budget_;
  const bool copies_wait_;
  std::chrono::steady_clock::time_point began_;
  FitCheckpoint& checkpoint_;
  WorkRecord& record_;
  TrainingObserver& observer_;
  const ModelStart* start_;
  double noise_center_ = 0;

  std::mutex mutex_;                // guards what follows
  std::vector<std::size_t> queue_;  // longest last: fits are taken from the back
  bool any_begun_ = false;
  std::map<std::size_t, double> seconds_of_first_;  // that ended, of each member
  std::vector<std::optional<FitOutcome>> outcomes_;
  std::exception_ptr numerical_failure_, other_failure_;
};

}  // namespace alacarte
