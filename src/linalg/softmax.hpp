#pragma once
// Softmax of many rows, in the widest instructions of the processor (linalg/simd.hpp).
#include "alacarte/core/types.hpp"

namespace alacarte {

/// Computes p_ik = exp(f_ik) / sum_l exp(f_il) and log_sums_i = log sum_l exp(f_il). f and p (rows, K), p overwritten;
/// log_sums (rows). K >= 1. A row of f that is not finite gives NaN. Throws std::invalid_argument on shapes.
void softmax_rows(ConstMat f, MatRef p, VecRef log_sums);

}  // namespace alacarte
