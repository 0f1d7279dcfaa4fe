#pragma once
// L-BFGS for any objective: probes from several starts, the best continued; recovers from failed evaluations and keeps
// the best point.
#include <alacarte/core/observer.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/inference/objective.hpp>
#include <functional>
#include <limits>
#include <nlohmann/json_fwd.hpp>
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

struct FitContext;  // fit_context.hpp

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
FitResult minimise(Objective& objective, const ObjectiveFactory& make, const std::vector<Vector>& starts,
                   const TrainingConfig& config, bool with_priors, int threads, const FitContext& context,
                   const FitState* resume = nullptr);

}  // namespace alacarte
