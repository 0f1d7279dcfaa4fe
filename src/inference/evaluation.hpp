#pragma once
// Parts that all inferences share: layouts, plans, checks, leave-one-out predictions and solutions of several targets.
#include <string>
#include <vector>
#include "inference/inference.hpp"

namespace alacarte {

inline double as_double(Index value) { return static_cast<double>(value); }

/// Returns the layout of a map or kernel, with the slots that the options hold fixed marked so.
ParameterLayout with_held(ParameterLayout layout, const InferenceOptions& options);

/// Returns a plan without costs, for so many features (0: a kernel) and trained entries of theta.
inline EvaluationPlan plan_of(const RowSource& rows, Index features, Index parameters, const std::string& form) {
  return {rows.rows(), rows.inputs(), features, parameters, form};
}

/// Throws std::invalid_argument on shapes; NumericalError when theta is not finite.
void check_theta(const ParameterLayout& layout, ConstVec theta);

/// Zeroes the entries of slots that are not trained; throws NumericalError when the value or the gradient is not
/// finite.
void finish_gradient(const ParameterLayout& layout, double value, VecRef gradient);

/// Returns means and variances of the left-out rows, from (P y)_i and P_ii.
LeaveOneOut leave_one_out_from(ConstVec y, ConstVec projected, ConstVec precision);

/// Returns the places of the rows of `which` (empty = all) in the block of so many rows that begins at row `first`.
std::vector<Index> places_in_block(const std::vector<Index>& which, Index first, Index rows);
/// Computes the features of those rows of a block, in their order: (places, D).
void forward_places(const PreparedMap& map, const RowBlock& block, const std::vector<Index>& places, MatRef psi);

/// Returns the first target's solution with those of the others in Solution::more.
Solution with_further_targets(std::vector<Solution> all);

}  // namespace alacarte
