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

/// AVX2 within a row, in the manner of FFHT: the first five (f64) or six (f32) butterflies on registers, radix 8 after
/// that. length >= 8.
void row_hadamard(double* rows, Index length, Index count);
void row_hadamard(float* rows, Index length, Index count);

}  // namespace alacarte::bench
