#pragma once
// References for linalg/hadamard.hpp and linalg/sincos.hpp. Scalar: double or float.
#include <alacarte/core/types.hpp>

namespace alacarte::bench {

/// Computes the Hadamard transform by the textbook's three loops. Here and below points are transformed one after the
/// other, coordinates contiguous, natural order, in place: rows (count, length) row by row; length a power of two.
template <class Scalar>
void naive_hadamard(Scalar* rows, Index length, Index count);

/// Returns true if this processor and build have the next two.
bool has_row_hadamard();

/// Butterflies between the lanes of a register: as in FFHT (github.com/FALCONN-LIB/FFHT, the fastest public transform
/// of single rows), by two shuffles, a negation and an addition; or fused, by one shuffle and one fused multiply-add,
/// which is ours and about twice as fast.
enum class LaneButterflies { ffht, fused };

/// Transforms within a row by AVX2: the first five (f64) or six (f32) butterflies on registers, then radix 8. length >=
/// 8. Throws std::invalid_argument for other lengths and if has_row_hadamard() is false.
template <class Scalar>
void row_hadamard(Scalar* rows, Index length, Index count, LaneButterflies lanes);

/// Vector width in bits of glibc's sine and cosine, found at run time: AVX2 or AVX-512.
enum class VectorBits { avx2 = 256, avx512 = 512 };

/// Returns true if this processor and C library have them.
bool has_libmvec(VectorBits bits);

/// Computes sine[i] = sin(radians[i]), cosine[i] = cos(radians[i]), unit stride. count a multiple of 16. Throws
/// std::invalid_argument if has_libmvec() is false.
template <class Scalar>
void libmvec_sincos(VectorBits bits, const Scalar* radians, Index count, Scalar* sine, Scalar* cosine);

}  // namespace alacarte::bench
