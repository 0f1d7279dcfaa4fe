#pragma once
// One run of L-BFGS from one point, with recovery from failed evaluations, restarts, and the best point kept. The
// trainer combines such runs into probes and a final stage.
#include <functional>
#include <string>

#include "trainer.hpp"

namespace alacarte {

struct DescentLimits {
  Index iterations = 0;   ///< in this run, including those before an interruption
  Index evaluations = 0;  ///< likewise; 0 = no limit
  double gradient_tolerance = 0, objective_tolerance = 0;
  Index history = 20;
};

struct DescentWatch {
  std::function<Stop()> must_stop;                      ///< asked before every evaluation
  std::function<void(const DescentResult&)> evaluated;  ///< after every evaluation
  std::function<void(const DescentState&)> accepted;    ///< after every iteration
};

/// Minimises the objective from `start`, which is always evaluated, whatever `must_stop` says, so a result without
/// theta means that this failed. `resume`: a state that `accepted` was called with, or nullptr; `start` is then
/// ignored. `curvature`: if not null, the initial memory unless the run resumes; replaced by the final one.
DescentResult descend(Objective& objective, bool with_priors, const Vector& start, const DescentLimits& limits,
                      const DescentWatch& watch, const DescentState* resume = nullptr, Curvature* curvature = nullptr);

}  // namespace alacarte
