#pragma once
// L-BFGS over any objective: probes from several starts, the best continued, failures survived, the best point kept.
#include <alacarte/core/recipe.hpp>
#include <alacarte/train/objective.hpp>
#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// One record of progress, handed to the observer after each evaluation that improved, and at least once a second.
struct Progress {
  std::string fit;    ///< "gm 2/5"
  std::string stage;  ///< "probe 3/10", "final"
  Index iteration = 0, evaluation = 0;
  double objective = 0;  ///< negative log evidence plus priors, best so far of this stage
  double gradient_norm = 0;
  double noise_sd = 0;       ///< standardised unit
  double seconds = 0;        ///< since training began
  double seconds_left = -1;  ///< estimate; negative when unknown
};

/// Observers may be called from several threads, one call at a time (the trainer serialises them).
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void on_progress(const Progress&) {}
  virtual void on_message(const std::string&) {
  }  ///< one line worth a person's attention: fallback taken, jitter used, ..
};

/// How a fit went; goes into the model file.
struct TrainingSummary {
  std::string stop;         ///< gradient | objective | iterations | evaluations | seconds | interrupted | stalled
  double objective = 0;     ///< at the best point, priors included
  double log_evidence = 0;  ///< at the best point, priors left out
  double gradient_norm = 0;
  Index iterations = 0, evaluations = 0;
  Index failed_evaluations = 0;          ///< NaN or failed factor: the step was shrunk
  Index restarts = 0;                    ///< line search gave up: L-BFGS begun again from the best point
  double jitter = 0;                     ///< largest used
  std::vector<double> start_objectives;  ///< after the probes, one for each start
  Index best_start = 0;
  std::vector<std::string> at_bound;
  std::vector<double> trace;  ///< best objective after each iteration of the winning path
  double seconds = 0;
};
nlohmann::json to_json(const TrainingSummary& summary);

/// State of one fit between evaluations: enough to go on after a kill. Written by the checkpoint hook.
struct FitState {
  std::vector<Vector> probe_theta;  ///< finished probes, in order
  std::vector<double> probe_objective;
  Vector best_theta;  ///< of the running stage (probe or final); empty when it has not begun
  double best_objective = 0;
  Index stage_iterations = 0;  ///< iterations of the running stage already spent
  bool in_final = false;
  bool finished = false;
  TrainingSummary summary;  ///< counts so far
};
nlohmann::json to_json(const FitState& state);
FitState fit_state_from_json(const nlohmann::json& json);  ///< throws IoError on a malformed document

struct TrainerHooks {
  TrainingObserver* observer = nullptr;
  const std::atomic<bool>* interrupt = nullptr;     ///< set by a signal handler; obeyed at the next evaluation
  std::function<void(const FitState&)> checkpoint;  ///< called after accepted improvements and finished probes
  double deadline_seconds = 0;                      ///< absolute, on the clock of `seconds_since_start`; 0 = none
  std::function<double()> seconds_since_start;      ///< shared clock of the whole training
  std::string fit_name;
};

struct FitResult {
  Vector theta;
  TrainingSummary summary;
  bool interrupted = false;
};

/// Minimises evaluate() + penalty() over the trained entries of theta. `starts` has TrainingConfig::starts points, each
/// probed for probe_iterations (one start: no probe); the best is continued. Restarts are run `parallel_probes` at a
/// time, each with an objective of its own from `make`. `resume`: a state to go on from, or nullptr. Never throws for
/// numerical trouble while any point was evaluated; throws NumericalError when no start could be evaluated at all.
FitResult train(const std::function<std::unique_ptr<Objective>(int threads)>& make, const std::vector<Vector>& starts,
                const TrainingConfig& config, bool with_priors, int threads, const TrainerHooks& hooks,
                const FitState* resume = nullptr);

}  // namespace alacarte
