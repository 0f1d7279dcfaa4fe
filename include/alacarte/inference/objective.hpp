#pragma once
// The interface of inference to the optimiser: a function of theta with its gradient.
#include <alacarte/core/parameter_layout.hpp>
#include <alacarte/core/types.hpp>
#include <string>

namespace alacarte {

/// What one evaluation costs, known before it runs.
struct EvaluationPlan {
  Index rows = 0, inputs = 0, features = 0, parameters = 0;  ///< parameters: trained entries of theta
  std::string form;         ///< "primal", "dual", "exact", "laplace", "laplace bound"; of classifiers "linear", "svm"
  Index distinct_rows = 0;  ///< of the rows, where equal inputs are merged; 0: they are not
  double flops = 0;         ///< of one value and gradient
  double pair_flops = 0;    ///< of these, those of the loops over pairs of rows, which the BLAS has no part in
  double memory_bytes = 0;  ///< peak beyond the data itself
  double model_bytes = 0;   ///< posterior in the model file, factor included
};

/// The negative log evidence. Not thread-safe (it owns work space); make one for each concurrent fit.
class Objective {
 public:
  virtual ~Objective() = default;
  /// The slots of the map or kernel, then "noise.log_sd": noise variance = floor^2 + exp(2 log_sd); or, of another
  /// likelihood, "constant.log_sd", if there is a constant.
  virtual const ParameterLayout& parameters() const = 0;
  /// Negative log evidence and its gradient in all of theta (overwritten; zero in slots that are not trained). Priors
  /// are not in it. Throws NumericalError when no jitter helps or the value is not finite.
  virtual double evaluate(ConstVec theta, VecRef gradient) = 0;
  /// evaluate() for a trial that is rejected above `ceiling`: may stop as soon as the value is certain to be higher,
  /// and then returns a lower bound of it, still above the ceiling, and a gradient of NaN. Cost of a rejected trial: a
  /// third of an evaluation.
  virtual double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) {
    static_cast<void>(ceiling);
    return evaluate(theta, gradient);
  }
  /// The value alone, up to rounding evaluate()'s: half its cost or less for feature and exact inference, elsewhere the
  /// same.
  virtual double value(ConstVec theta) {
    Vector gradient(parameters().size());
    return evaluate(theta, gradient);
  }
  /// Jitter that the last evaluation needed; 0 normally.
  virtual double jitter() const = 0;
  /// sqrt(floor^2 + exp(2 log_sd)), standardised unit; 0 for likelihoods without noise.
  virtual double noise_sd(ConstVec theta) const = 0;
  virtual EvaluationPlan plan() const = 0;  ///< known from the sizes alone
  /// What evaluations take from those before them, such as the mode that a search begins at; empty = nothing. After
  /// set_warm_start() of another objective's, evaluations have the bits of that one's; of an empty one, those of a new
  /// objective. Throws IoError when it cannot be of such an objective.
  virtual Vector warm_start() const { return {}; }
  virtual void set_warm_start(ConstVec) {}  ///< what warm_start() gave, of this or an equal objective
};

}  // namespace alacarte
