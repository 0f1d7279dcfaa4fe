#pragma once
// Leave-one-out predictions and solutions of the Gaussian inferences.
#include <vector>
#include "inference/inference.hpp"

namespace alacarte {

/// Returns means and variances of the left-out rows, from (P y)_i and P_ii.
LeaveOneOut leave_one_out_from(ConstVec y, ConstVec projected, ConstVec precision);

/// Returns the places of the rows of `which` (empty = all) in the block of so many rows that begins at row `first`.
std::vector<Index> places_in_block(const std::vector<Index>& which, Index first, Index rows);
/// Computes the features of those rows of a block, in their order: (places, D).
void forward_places(const PreparedMap& map, const RowBlock& block, const std::vector<Index>& places, MatRef psi);

/// Returns the first target's solution with those of the others in Solution::more.
Solution with_further_targets(std::vector<Solution> all);

}  // namespace alacarte
