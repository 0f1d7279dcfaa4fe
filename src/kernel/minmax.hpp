#pragma once
// The min-max kernel of rows of any sign (Li 2017, eqs. 2 and 3), in the source `minmax`:
//   k(u, v) = sum_i min(u~_i, v~_i) / sum_i max(u~_i, v~_i),  u~ = [max(u, 0), max(-u, 0)];  1 for two rows of zeros.
#include <alacarte/core/input_view.hpp>
#include <alacarte/core/types.hpp>

namespace alacarte {

/// Computes k(x1_i, x2_j) into gram (n1, n2), overwritten; x1 and x2 have the same width d. Independent of `threads`.
/// Throws std::invalid_argument on shapes. Cost O(n1 nonzeros of x2 + n2 d); memory n1 + n2, and d for each thread.
void minmax_gram(const SparseView& x1, const SparseView& x2, MatRef gram, int threads = 1);

}  // namespace alacarte
