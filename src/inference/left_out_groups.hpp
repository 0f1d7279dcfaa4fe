#pragma once
// Predictions of whole groups of rows by the other rows, without a fit for each group.
#include <vector>

#include "inference/inference.hpp"

namespace alacarte {

/// Predicts each group by the rows outside of it, the constant mean included: for the rows B of a group, with the
/// precision P of all rows,
///
///   mean = y_B - P_BB^-1 (P y)_B,  variance = diag P_BB^-1
///
/// (leave-one-out is a block of one row). groups: rows of each, increasing, at least two groups. Rows come in
/// increasing order. After inference.solve() at this theta; with the gaussian likelihood. Cost: for each row the
/// precision_block() of its group, and 9 times the square of the size of its group.
LeaveOneOut leave_groups_out(Inference& inference, ConstVec theta, const std::vector<std::vector<Index>>& groups,
                             Index target);

}  // namespace alacarte
