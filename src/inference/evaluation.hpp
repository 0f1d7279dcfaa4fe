#pragma once
// Parts that the evaluations of all inferences share: layouts, plans and checks.
#include <string>
#include "inference/inference.hpp"

namespace alacarte {

inline double as_double(Index value) { return static_cast<double>(value); }

/// Returns the layout of a map or kernel, with the slots that the options hold fixed marked so.
ParameterLayout with_held(ParameterLayout layout, const InferenceOptions& options);

/// Returns a plan without costs, for so many features (0: a kernel) and trained entries of theta.
inline EvaluationPlan plan_of(const RowSource& rows, Index features, Index parameters, EvaluationForm form) {
  return {rows.rows(), rows.inputs(), features, parameters, form};
}

/// Throws std::invalid_argument on shapes; NumericalError when theta is not finite.
void check_theta(const ParameterLayout& layout, ConstVec theta);

/// Zeroes the entries of slots that are not trained; throws NumericalError when the value or the gradient is not
/// finite.
void finish_gradient(const ParameterLayout& layout, double value, VecRef gradient);

}  // namespace alacarte
