#pragma once
// L-BFGS for any objective: probes from several starts, the best continued; recovers from failed evaluations and keeps
// the best point.
#include <alacarte/core/observer.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/inference/objective.hpp>
#include <alacarte/model/training_record.hpp>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// What a run of L-BFGS learned of its objective's curvature: its last moves and the changes of the gradient over them,
/// each of the trained entries, the oldest first. Each pair has positive curvature.
struct Curvature {
  std::vector<Vector> moves, changes;  ///< (pairs) each
  /// As it is of so many times as many rows.
  void scale(double rows);
};

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
