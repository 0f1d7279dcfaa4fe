#pragma once
// The opponent of linalg/sincos.hpp: glibc's vector sine and cosine, found at run time.
#include <alacarte/core/types.hpp>

namespace alacarte::bench {

/// Vectors of this many bits: 256 (AVX2) or 512 (AVX-512).
enum class VectorBits { avx2 = 256, avx512 = 512 };

/// Whether this processor and C library have them.
bool has_libmvec(VectorBits bits);

/// sine[i] = sin(radians[i]), cosine[i] = cos(radians[i]), unit stride. count a multiple of 16. Throws
/// std::invalid_argument where has_libmvec() is false.
void libmvec_sincos(VectorBits bits, const double* radians, Index count, double* sine, double* cosine);
void libmvec_sincos(VectorBits bits, const float* radians, Index count, float* sine, float* cosine);

}  // namespace alacarte::bench
