#pragma once
// The opponents of linalg/hadamard.hpp and linalg/sincos.hpp. Scalar: double or float.
#include <alacarte/core/types.hpp>

namespace alacarte::bench {

/// The Hadamard transform by the textbook's three loops. Here and below one point after the other, coordinates
/// contiguous, natural order, in place: rows (count, length) row by row; length a power of two.
template <class Scalar>
void naive_hadamard(Scalar* rows, Index length, Index count);

/// Whether this processor and build have the next two.
bool has_row_hadamard();

/// How the butterflies between the lanes of a register are made: as FFHT (github.com/FALCONN-LIB/FFHT, the fastest
/// public transform of single rows) makes them, by two shuffles, a negation and an addition; or fused, by one shuffle
/// and one fused multiply-add, which is ours and about twice as fast.
enum class LaneButterflies { ffht, fused };

/// AVX2 within a row: the first five (f64) or six (f32) butterflies on registers, radix 8 after that. length >= 8.
/// Throws std::invalid_argument for other lengths and where has_row_hadamard() is false.
template <class Scalar>
void row_hadamard(Scalar* rows, Index length, Index count, LaneButterflies lanes);

/// glibc's vector sine and cosine, found at run time: vectors of 256 (AVX2) or 512 (AVX-512) bits.
enum class VectorBits { avx2 = 256, avx512 = 512 };

/// Whether this processor and C library have them.
bool has_libmvec(VectorBits bits);

/// sine[i] = sin(radians[i]), cosine[i] = cos(radians[i]), unit stride. count a multiple of 16. Throws
/// std::invalid_argument where has_libmvec() is false.
template <class Scalar>
void libmvec_sincos(VectorBits bits, const Scalar* radians, Index count, Scalar* sine, Scalar* cosine);

}  // namespace alacarte::bench
