#pragma once
// The opponents of linalg/hadamard.hpp: one point after the other, coordinates contiguous, natural order, in place.
// rows (count, length) row by row; length a power of two.
#include <alacarte/core/types.hpp>

namespace alacarte::bench {

/// The textbook's three loops.
void naive_hadamard(double* rows, Index length, Index count);
void naive_hadamard(float* rows, Index length, Index count);

/// Whether this processor and build have the next two.
bool has_row_hadamard();

/// How the butterflies between the lanes of a register are made: as FFHT (github.com/FALCONN-LIB/FFHT, the fastest
/// public transform of single rows) makes them, by two shuffles, a negation and an addition; or fused, by one shuffle
/// and one fused multiply-add, which is ours and about twice as fast.
enum class LaneButterflies { ffht, fused };

/// AVX2 within a row: the first five (f64) or six (f32) butterflies on registers, radix 8 after that. length >= 8.
void row_hadamard(double* rows, Index length, Index count, LaneButterflies lanes);
void row_hadamard(float* rows, Index length, Index count, LaneButterflies lanes);

}  // namespace alacarte::bench
