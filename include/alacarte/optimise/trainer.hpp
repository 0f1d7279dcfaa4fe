#pragma once
// L-BFGS for any objective: probes from several starts, the best continued; recovers from failed evaluations and keeps
// the best point.
#include <alacarte/core/recipe.hpp>
#include <alacarte/inference/objective.hpp>
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// One record of progress, handed to the observer after each evaluation that improved, and at least once a second.
struct Progress {
  std::string fit;                      ///< "gm 2/5"
  std::string stage;                    ///< "probe 3/10", "final"
  Index iteration = 0, evaluation = 0;  ///< of this stage; of the fit
  double objective = 0;                 ///< negative log evidence plus priors, best so far of this stage
  double gradient_norm = 0;             ///< Euclidean, over trained entries; NaN where no iteration is planned
  double noise_sd = 0;                  ///< standardised unit; 0: a likelihood without noise
  double seconds = 0;                   ///< since training began
  double seconds_left = -1;             ///< estimate; negative when unknown
  bool has_evidence = true;  ///< false: of a classifier, which has no evidence, gradient, noise or iterations
  Vector rank_speeds = {};   ///< rows a second of each process that shares the rows, in passes; empty: one process
};

struct TrainingPlan;  // train/fit.hpp

/// Observers may be called from several threads, one call at a time (the trainer serialises them).
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void on_plan(const TrainingPlan&) {}  ///< once, before work starts
  virtual void on_progress(const Progress&) {}  ///< after iterations
  virtual void on_message(const std::string&) {
  }  ///< one line worth a person's attention: fallback taken, jitter used, ..
  virtual void on_warning(const std::string& text) { on_message(text); }  ///< one line that nobody should miss
};

/// How a fit went; goes into the model file.
struct TrainingSummary {
  std::string stop;              ///< gradient | objective | iterations | evaluations | seconds | interrupted | stalled
  double objective = 0;          ///< at the best point, priors included
  double log_evidence = 0;       ///< at the best point, priors left out
  double gradient_norm = 0;      ///< there, Euclidean, over trained entries; NaN where no gradient was needed
  Index iterations = 0;          ///< of the winning path: its probe and the final stage
  Index evaluations = 0;         ///< of all probes and the final stage, as are the next two
  Index failed_evaluations = 0;  ///< NaN or failed factor: the step was shrunk
  Index restarts = 0;            ///< line search gave up: L-BFGS begun again from the best point
  double jitter = 0;             ///< largest used
  std::vector<double> start_objectives;  ///< after the probes, one for each start; +inf (null in JSON) where none held
  Index best_start = 0;                  ///< index of the start that was continued
  std::vector<std::string> at_bound;     ///< names of the entries of theta that ended at a bound
  std::vector<double> trace;             ///< best objective after each iteration of the winning path
  double seconds = 0;                    ///< wall clock of this fit
};
nlohmann::json to_json(const TrainingSummary& summary);  ///< as the model file stores it

/// What a run of L-BFGS learned of its objective's curvature: its last moves and the changes of the gradient over them,
/// each of the trained entries, the oldest first. Each pair has positive curvature.
struct Curvature {
  std::vector<Vector> moves, changes;  ///< (pairs) each
  /// As it is of so many times as many rows.
  void scale(double rows);
};

/// How a run of L-BFGS stands, or ended.
struct DescentResult {
  Vector theta;                                                 ///< best point, all slots; empty when none was finite
  double objective = std::numeric_limits<double>::infinity();   ///< there, penalty included
  double gradient_norm = 0;                                     ///< there, over trained entries
  Index evaluations = 0, failed_evaluations = 0, restarts = 0;  ///< of this descent
  double jitter = 0;                                            ///< largest used
  std::vector<double> trace;  ///< best objective after each iteration; its size is the number of iterations
  std::string stop;           ///< as TrainingSummary::stop
};

/// A run of L-BFGS between two iterations: what it takes to go on to the same bits. Points and gradients are of the
/// trained entries.
struct DescentState {
  DescentResult best;    ///< so far
  Vector best_gradient;  ///< at best.theta
  /// Accepted since the memory was last empty, at most TrainingConfig::history + 1 of them, the current one last; empty
  /// before the first iteration.
  std::vector<Vector> points, gradients;  ///< (points) each: theta of trained entries, and the slopes there
  double value = 0;                       ///< at the last point
  double restart_value = 0;               ///< best objective when the memory was last empty
  Vector warm_start;                      ///< of the objective
};

/// State of one fit between iterations: a fit that goes on from it comes to the bits of one that was not interrupted.
/// Written by the checkpoint hook. Probes that were running side by side begin again.
struct FitState {
  std::vector<Vector> probe_theta;               ///< finished probes, in order
  std::vector<double> probe_objective;           ///< +inf for a start that could not be evaluated
  std::vector<std::vector<double>> probe_trace;  ///< best objective after each iteration
  DescentState descent;                          ///< of the running stage (probe or final)
  bool in_final = false;                         ///< the probes are done
  bool finished = false;  ///< then summary is complete, best_theta the result, and of `descent` only warm_start counts
  Vector best_theta;      ///< theta of the best start so far
  TrainingSummary summary;  ///< counts of the finished probes

  /// There is something to go on from.
  bool begun() const { return finished || !probe_theta.empty() || !descent.points.empty(); }
};
nlohmann::json to_json(const FitState& state);             ///< as the checkpoint stores it
FitState fit_state_from_json(const nlohmann::json& json);  ///< throws IoError on a malformed document

/// Evaluations of every stage of a training, by "FIT: STAGE". What is recorded repeats a training that the clock or an
/// interrupt cut short: one that repeats runs the stages that are named, each for as many evaluations, and no others.
/// Thread-safe.
class WorkRecord {
 public:
  using Stages = std::map<std::string, Index>;  ///< evaluations of each "FIT: STAGE"
  /// Repeats `stages`; records where there are none.
  explicit WorkRecord(std::optional<Stages> stages = {})
      : repeats_(stages.has_value()), stages_(std::move(stages).value_or(Stages{})) {}

  bool repeats() const { return repeats_; }  ///< obeys what it holds
  /// Whether any stage of a fit is named, those on its subsamples included.
  bool has_fit(const std::string& fit) const;
  /// Of a stage; 0 where it is not named.
  Index evaluations(const std::string& stage) const;
  void record(const std::string& stage, Index evaluations);  ///< a stage that ended
  const Stages& stages() const { return stages_; }           ///< not while fits run

 private:
  mutable std::mutex mutex_;
  const bool repeats_;
  Stages stages_;
};

/// What a fit calls, obeys and shares with others.
struct TrainerHooks {
  TrainingObserver* observer = nullptr;             ///< may be null
  const std::atomic<bool>* interrupt = nullptr;     ///< set by a signal handler; obeyed at the next evaluation
  std::function<void(const FitState&)> checkpoint;  ///< called after iterations and finished probes
  double deadline_seconds = 0;                      ///< absolute, on the clock of `seconds_since_start`; 0 = none
  std::function<double()> seconds_since_start;      ///< shared clock of the whole training
  std::string fit_name;                             ///< for Progress::fit
  double memory_bytes = 0;                          ///< what probes side by side may take; 0 = the trainer's own limit
  WorkRecord* work = nullptr;                       ///< of all fits; if it repeats, no deadline should be set
  /// What the memory of the final stage begins with, and in its place what that stage learned; of other trained entries
  /// it is not used. Null: nothing.
  Curvature* curvature = nullptr;
};

/// Where a fit ended, and how it got there.
struct FitResult {
  Vector theta;              ///< the best point
  TrainingSummary summary;   ///< how it went
  bool interrupted = false;  ///< cut short by the interrupt flag
};

/// Makes another objective like the one that is minimised, for this many threads.
using ObjectiveFactory = std::function<std::unique_ptr<Objective>(int threads)>;

/// Evaluations that one fit is expected to take: its iterations and a tenth more for rejected trial points, or the cap.
Index planned_evaluations(const TrainingConfig& config);

/// Minimises evaluate() + penalty() over the trained entries of theta by L-BFGS. `starts` has at least one point; with
/// more, each is probed for probe_iterations and the best is continued (Yang et al. 2015, section 5). Probes run side
/// by side on one thread each where that is faster, each with an objective of its own from `make`; the rest is
/// `objective`'s, which is of `threads`. Every probe and the final stage begin without a warm start, so if the
/// objectives are of the same bits whatever their threads, the result is, too. A cap on evaluations is shared half by
/// the probes and half by the final stage. `resume`: a state to go on from, or nullptr. Never throws for numerical
/// trouble once any point was evaluated; throws NumericalError when no start can be.
FitResult train(Objective& objective, const ObjectiveFactory& make, const std::vector<Vector>& starts,
                const TrainingConfig& config, bool with_priors, int threads, const TrainerHooks& hooks,
                const FitState* resume = nullptr);

}  // namespace alacarte
