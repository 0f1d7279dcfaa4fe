#pragma once
// How fits stand while they are trained: what a checkpoint holds.
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>
#include <alacarte/model/training_record.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

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

/// The centre of the prior of the noise, and what else its ARD fit found.
struct NoiseCenter {
  double value = 0;  ///< in standard deviations of the target
  PriorCenter from = PriorCenter::fixed;
  Vector lengthscale;  ///< (d) of the ARD fit; empty if "fixed"
  Vector more = {};    ///< (T - 1) of several targets the values of those beside the first; empty if "fixed"
};

/// A training that has begun, as its checkpoint keeps it.
struct Checkpoint {
  std::string recipe;                                       ///< its JSON text
  std::uint64_t seed = 0;                                   ///< of the training
  std::string data_sha256;                                  ///< of the training rows
  std::string started_from;                                 ///< StartRecord::sha256; empty where it began at no model
  std::optional<NoiseCenter> noise_center;                  ///< once it was found
  std::vector<std::optional<FitState>> fits;                ///< none: not begun
  std::vector<std::optional<MinibatchRecord>> minibatches;  ///< what those of each fit came to
};

}  // namespace alacarte
