#pragma once
// Parts that all inferences share: layouts, plans, checks, leave-one-out predictions and solutions of several targets.
#include <string>
#include <vector>
#include "inference/inference.hpp"

namespace alacarte {

class MergedRows;

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

/// Returns means and variances of the left-out rows, from (P y)_i and P_ii.
LeaveOneOut leave_one_out_from(ConstVec y, ConstVec projected, ConstVec precision);

/// Returns the places of the rows of `which` (empty = all) in the block of so many rows that begins at row `first`.
std::vector<Index> places_in_block(const std::vector<Index>& which, Index first, Index rows);
/// Computes the features of those rows of a block, in their order: (places, D).
void forward_places(const PreparedMap& map, const RowBlock& block, const std::vector<Index>& places, MatRef psi);

/// Returns the first target's solution with those of the others in Solution::more.
Solution with_further_targets(std::vector<Solution> all);

// The forms of an inference; make_inference() chooses among them.

/// Makes the gaussian likelihood's inference on D x D matrices, in passes over the rows; one target or several.
std::unique_ptr<Inference> make_gaussian_primal(std::shared_ptr<const FeatureMap> map,
                                                std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
/// Tells whether make_gaussian_levels() is for this map and these rows.
bool eliminates_levels(const FeatureMap& map, const RowSource& rows);
/// Makes the gaussian likelihood's inference of a map with levels for one target, in the primal form without the
/// indicators of the column with most levels: cost and memory are linear in these (math.md, "Random effects of
/// levels").
std::unique_ptr<Inference> make_gaussian_levels(std::shared_ptr<const FeatureMap> map,
                                                std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
/// Makes the gaussian likelihood's inference on the n x n Gram matrix of features.
std::unique_ptr<Inference> make_gaussian_dual(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
/// Makes the gaussian likelihood's inference on the n x n Gram matrix of a kernel.
std::unique_ptr<Inference> make_gaussian_exact(std::shared_ptr<const Kernel> kernel,
                                               std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
/// Makes the inference on the original rows from `merged`, the inference on merged rows.
std::unique_ptr<Inference> make_merged(std::unique_ptr<Inference> merged, std::shared_ptr<const MergedRows> rows,
                                       const InferenceOptions& options);
/// Makes the inference of other likelihoods, by Laplace's approximation.
std::unique_ptr<Inference> make_laplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                                        const InferenceOptions& options);

}  // namespace alacarte
