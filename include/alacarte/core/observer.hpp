#pragma once
// Progress of a training, and the interface of its observers.
#include <alacarte/core/types.hpp>
#include <string>

namespace alacarte {

struct TrainingPlan;  // train/fit.hpp

/// One record of progress, handed to the observer after each evaluation that improved, and at least once a second.
struct Progress {
  std::string fit;                      ///< "gm 2/5"
  std::string stage;                    ///< "probe 3/10", "final"
  Index iteration = 0, evaluation = 0;  ///< counts within this stage; within the fit
  double objective = 0;                 ///< negative log evidence plus priors, best so far of this stage
  double gradient_norm = 0;             ///< Euclidean, over trained entries; NaN where no iteration is planned
  double noise_sd = 0;                  ///< standardised unit; 0: a likelihood without noise
  double seconds = 0;                   ///< since training began
  double seconds_left = -1;             ///< estimate; negative when unknown
  bool has_evidence = true;             ///< false: a classifier's; no evidence, gradient, noise or iterations
  Vector rank_speeds = {};  ///< rows a second of each process that shares the rows, in passes; empty: one process
};

/// Observers may be called from several threads, one call at a time (the trainer serialises them).
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void on_plan(const TrainingPlan&) {}    ///< once, before work starts
  virtual void on_progress(const Progress&) {}    ///< after iterations
  virtual void on_message(const std::string&) {}  ///< one line of information: fallback taken, jitter used, ..
  virtual void on_warning(const std::string& text) { on_message(text); }  ///< one line that nobody should miss
};

}  // namespace alacarte
