#pragma once
// One run of L-BFGS from one point, with recovery from failed evaluations, restarts, and the best point kept. The
// trainer combines such runs into probes and a final stage.
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "alacarte/inference/objective.hpp"

namespace alacarte {

struct DescentLimits {
  Index iterations = 0;   ///< of this run, those of `earlier` included
  Index evaluations = 0;  ///< of this run alone; 0 = none
  double gradient_tolerance = 0, objective_tolerance = 0;
  Index history = 20;
};

struct DescentResult {
  Vector theta;                                                ///< best point, all slots; empty when none was finite
  double objective = std::numeric_limits<double>::infinity();  ///< there, penalty included
  double gradient_norm = 0;                                    ///< there, over trained entries
  Index evaluations = 0, failed_evaluations = 0, restarts = 0;
  double jitter = 0;
  std::vector<double> trace;  ///< best objective after each iteration; its size is the number of iterations
  std::string stop;
};

struct DescentWatch {
  std::function<std::string()> must_stop;               ///< "" or the reason; asked before every evaluation
  std::function<void(const DescentResult&)> evaluated;  ///< after every evaluation
  std::function<void(const DescentResult&)> accepted;   ///< after every iteration
};

/// `earlier`: the trace of this run before it was interrupted. The start is always evaluated, whatever `must_stop`
/// says, so a result without theta means that it could not be.
DescentResult descend(Objective& objective, bool with_priors, const Vector& start, const DescentLimits& limits,
                      const DescentWatch& watch, std::vector<double> earlier = {});

}  // namespace alacarte
