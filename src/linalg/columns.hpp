#pragma once
// Sums down the columns of a chunk of features, and its product with a vector. One pass over the chunk each, with the
// instruction set of simd_path(). Arguments must not overlap.
#include <alacarte/core/types.hpp>

namespace alacarte {

/// sums (cols) += a^T 1 and products (cols) += a^T y in one pass; a (rows, cols), y (rows). Throws
/// std::invalid_argument on shapes. Cost 3 rows cols.
void add_column_sums(ConstMat a, ConstVec y, VecRef sums, VecRef products);

/// y (rows) -= a x; a (rows, cols), x (cols). Throws std::invalid_argument on shapes. Cost 2 rows cols.
void subtract_product(ConstMat a, ConstVec x, VecRef y);

/// a (rows, cols) -= 1 level^T + y slope^T; level, slope (cols), y (rows). Throws std::invalid_argument on shapes. Cost
/// 3 rows cols.
void subtract_lines(ConstVec level, ConstVec slope, ConstVec y, MatRef a);

}  // namespace alacarte
