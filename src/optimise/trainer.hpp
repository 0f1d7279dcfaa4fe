#pragma once
// L-BFGS for any objective: probes several starts and continues the best; recovers from failed evaluations and keeps
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

/// Curvature that a run of L-BFGS learned: its last moves and the changes of the gradient over them, each for the
/// trained entries, the oldest first. Each pair has positive curvature.
struct Curvature {
  std::vector<Vector> moves, changes;  ///< (pairs) each
  /// Scales the curvature to that of `rows` times as many rows.
  void scale(double rows);
};

struct FitContext;  // fit_context.hpp

/// Where a fit ended, and how it got there.
struct FitResult {
  Vector theta;             ///< the best point
  TrainingSummary summary;  ///< how it went
};

/// Makes another objective like the one that is minimised, for this many threads.
using ObjectiveFactory = std::function<std::unique_ptr<Objective>(int threads)>;

/// Returns the expected evaluations of one fit: its iterations and a tenth more for rejected trial points, or the cap.
Index planned_evaluations(const TrainingConfig& config);

/// Minimises evaluate() + penalty() over the trained entries of theta by L-BFGS. `starts` has at least one point; with
/// more, each is probed for probe_iterations and the best is continued (Yang et al. 2015, section 5). Probes run side
/// by side on one thread each if that is faster, each with an objective of its own from `make`; the rest uses
/// `objective`, on `threads` threads. Every probe and the final stage begin without a warm start, so if the objectives
/// give the same bits whatever their threads, the result does, too. A cap on evaluations is shared half by the probes
/// and half by the final stage. `resume`: a state to continue from, or nullptr. Never throws for numerical trouble once
/// any point was evaluated; throws NumericalError if no start can be.
FitResult minimise(Objective& objective, const ObjectiveFactory& make, const std::vector<Vector>& starts,
                   const TrainingConfig& config, bool with_priors, int threads, const FitContext& context,
                   const FitState* resume = nullptr);

}  // namespace alacarte
