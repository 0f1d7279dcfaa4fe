#pragma once
// Sums down the columns of a chunk of features, and its product with a vector. Each takes one pass over the chunk with
// the instruction set of simd_path(). Arguments must not overlap.
#include <alacarte/core/types.hpp>

namespace alacarte {

/// Adds a^T 1 to sums (cols) and a^T y to products (cols) in one pass; a (rows, cols), y (rows). Throws
/// std::invalid_argument on shapes. Cost 3 rows cols.
void add_column_sums(ConstMat a, ConstVec y, VecRef sums, VecRef products);

/// Subtracts a x from y (rows); a (rows, cols), x (cols). Throws std::invalid_argument on shapes. Cost 2 rows cols.
void subtract_product(ConstMat a, ConstVec x, VecRef y);

/// Subtracts 1 level^T + y slope^T from a (rows, cols); level, slope (cols), y (rows). Throws std::invalid_argument on
/// shapes. Cost 3 rows cols.
void subtract_lines(ConstVec level, ConstVec slope, ConstVec y, MatRef a);

}  // namespace alacarte
