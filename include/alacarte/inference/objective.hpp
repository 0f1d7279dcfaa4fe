#pragma once
// The interface of inference to the optimiser: a function of theta with its gradient.
#include <alacarte/core/parameter_layout.hpp>
#include <alacarte/core/recipe_words.hpp>
#include <alacarte/core/types.hpp>

namespace alacarte {

/// Algebra of one evaluation: of evidences, of their start from class labels, of classifiers (linear, svm).
enum class EvaluationForm { primal, dual, exact, laplace, laplace_bound, labels, linear, svm };
constexpr Words<8> words_of(EvaluationForm) {
  return {"primal", "dual", "exact", "laplace", "laplace bound", "labels", "linear", "svm"};
}

/// Cost of one evaluation, known before it runs.
struct EvaluationPlan {
  Index rows = 0, inputs = 0, features = 0, parameters = 0;  ///< parameters: trained entries of theta
  EvaluationForm form = EvaluationForm::primal;
  Index distinct_rows = 0;  ///< rows left where equal inputs are merged; 0: they are not
  double flops = 0;         ///< floating-point operations of one value and gradient
  double pair_flops = 0;    ///< part of flops in loops over pairs of rows, outside of the BLAS
  double memory_bytes = 0;  ///< peak memory beyond the data itself
  double model_bytes = 0;   ///< size of the posterior in the model file, factor included
};

/// The negative log evidence. Not thread-safe (it owns work space); make one for each concurrent fit.
class Objective {
 public:
  virtual ~Objective() = default;
  /// Returns the slots of the map or kernel, then "noise.log_sd": noise variance = floor^2 + exp(2 log_sd); or, with
  /// another likelihood, "constant.log_sd", if there is a constant.
  virtual const ParameterLayout& parameters() const = 0;
  /// Returns the negative log evidence, and its gradient in all of theta (overwritten; zero in slots that are not
  /// trained). Priors are not included. Throws NumericalError when no jitter helps or the value is not finite.
  virtual double evaluate(ConstVec theta, VecRef gradient) = 0;
  /// Evaluates a trial that is rejected above `ceiling`: may stop as soon as the value is certain to be higher, and
  /// then returns a lower bound of it, still above the ceiling, and a gradient of NaN. Cost of a rejected trial: a
  /// third of an evaluation.
  virtual double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) {
    static_cast<void>(ceiling);
    return evaluate(theta, gradient);
  }
  /// Returns the value alone, equal to that of evaluate() up to rounding, at half its cost or less for feature and
  /// exact inference and at its cost elsewhere.
  virtual double value(ConstVec theta) {
    Vector gradient(parameters().size());
    return evaluate(theta, gradient);
  }
  /// Returns the jitter that the last evaluation needed; 0 normally.
  virtual double jitter() const = 0;
  /// Returns sqrt(floor^2 + exp(2 log_sd)), in the standardised unit; 0 for likelihoods without noise.
  virtual double noise_sd(ConstVec theta) const = 0;
  virtual EvaluationPlan plan() const = 0;  ///< known from the sizes alone
  /// Returns the state that evaluations take from those before them, such as the mode that a search begins at; empty =
  /// none. After set_warm_start() with another objective's state, evaluations have the bits of that objective; with an
  /// empty one, those of a new objective. Throws IoError for a state that does not fit the objective.
  virtual Vector warm_start() const { return {}; }
  virtual void set_warm_start(ConstVec) {}  ///< sets the state that warm_start() of an equal objective returned
};

}  // namespace alacarte
