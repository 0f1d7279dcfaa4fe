#include "alacarte/linalg/hadamard.hpp"

#include "alacarte/core/error.hpp"
#include "linalg/butterflies.hpp"

namespace alacarte {
namespace {

template <class Real>
ALACARTE_INLINE void gather8(const Real* __restrict in, Index stride, const std::int32_t* index, const Real* scale,
                             Real* __restrict out) {
  const Real *p0 = in + index[0] * stride, *p1 = in + index[1] * stride, *p2 = in + index[2] * stride;
  const Real *p3 = in + index[3] * stride, *p4 = in + index[4] * stride, *p5 = in + index[5] * stride;
  const Real *p6 = in + index[6] * stride, *p7 = in + index[7] * stride;
  const Real s0 = scale[0], s1 = scale[1], s2 = scale[2], s3 = scale[3];
  const Real s4 = scale[4], s5 = scale[5], s6 = scale[6], s7 = scale[7];
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < kW; ++j) {
    const Eight<Real> y = butterfly8<Real>(
        {p0[j] * s0, p1[j] * s1, p2[j] * s2, p3[j] * s3, p4[j] * s4, p5[j] * s5, p6[j] * s6, p7[j] * s7});
    out[j] = y.v0;
    out[j + kW] = y.v1;
    out[j + 2 * kW] = y.v2;
    out[j + 3 * kW] = y.v3;
    out[j + 4 * kW] = y.v4;
    out[j + 5 * kW] = y.v5;
    out[j + 6 * kW] = y.v6;
    out[j + 7 * kW] = y.v7;
  }
}

// Diagonal, gather and the first three levels of `rows` rows; fewer rows than eight: no levels.
template <class Real>
ALACARTE_INLINE void gather_rows_body(const Real* __restrict in, Index stride, const std::int32_t* index,
                                      const Real* scale, Index rows, Real* __restrict out) {
  if (rows >= 8) {
    for (Index i = 0; i < rows; i += 8) gather8(in, stride, index + i, scale + i, out + i * kW);
    return;
  }
  for (Index i = 0; i < rows; ++i) {
    const Real* p = in + index[i] * stride;
    const Real s = scale[i];
    ALACARTE_INDEPENDENT
    for (Index j = 0; j < kW; ++j) out[i * kW + j] = p[j] * s;
  }
}

// Blocks that fit the cache, each gathered and transformed at once: short blocks share the call.
template <class Real>
ALACARTE_INLINE void gather_blocks_body(const Real* in, Index stride, Index in_step, const std::int32_t* index,
                                        const Real* scale, Index length, Index count, Real* out) {
  for (Index block = 0; block < count; ++block) {
    gather_rows_body(in + block * in_step, stride, index + block * length, scale + block * length, length,
                     out + block * length * kW);
    passes_body(out + block * length * kW, length, length >= 8 ? 8 : 1);
  }
}

// The first levels, within the lanes of rows of kW coordinates, as far as `length` goes. Half a cache line at a time:
// a vector type that every x86 path keeps in a register or two.
template <class Real>
struct Lanes;
template <>
struct Lanes<double> {
  using Type __attribute__((vector_size(32))) = double;
  static constexpr Index kCount = 4;
};
template <>
struct Lanes<float> {
  using Type __attribute__((vector_size(32))) = float;
  static constexpr Index kCount = 8;
};

template <Index kDistance>
ALACARTE_INLINE void lane_level(Lanes<double>::Type& x) {
  using Type = Lanes<double>::Type;
  if constexpr (kDistance == 1) x = __builtin_shufflevector(x, x, 1, 0, 3, 2) + x * Type{1, -1, 1, -1};
  if constexpr (kDistance == 2) x = __builtin_shufflevector(x, x, 2, 3, 0, 1) + x * Type{1, 1, -1, -1};
}

template <Index kDistance>
ALACARTE_INLINE void lane_level(Lanes<float>::Type& x) {
  using Type = Lanes<float>::Type;
  if constexpr (kDistance == 1)
    x = __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6) + x * Type{1, -1, 1, -1, 1, -1, 1, -1};
  if constexpr (kDistance == 2)
    x = __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5) + x * Type{1, 1, -1, -1, 1, 1, -1, -1};
  if constexpr (kDistance == 4)
    x = __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3) + x * Type{1, 1, 1, 1, -1, -1, -1, -1};
}

template <class Real>
ALACARTE_INLINE void lanes_body(Real* x, Index rows, Index length) {
  using Type = typename Lanes<Real>::Type;
  constexpr Index kCount = Lanes<Real>::kCount, kParts = kW / kCount;
  for (Real* row = x; row != x + rows * kW; row += kW) {
    Type part[kParts];
    for (Index k = 0; k < kParts; ++k) {
      __builtin_memcpy(&part[k], row + k * kCount, sizeof(Type));
      if (length > 1) lane_level<1>(part[k]);
      if (length > 2) lane_level<2>(part[k]);
      if constexpr (kCount > 4) {
        if (length > 4) lane_level<4>(part[k]);
      }
    }
    for (Index apart = 1; apart < kParts && apart * kCount < length; apart *= 2)
      for (Index k = 0; k < kParts; ++k) {
        if ((k & apart) != 0) continue;
        const Type a = part[k], b = part[k + apart];
        part[k] = a + b;
        part[k + apart] = a - b;
      }
    for (Index k = 0; k < kParts; ++k) __builtin_memcpy(row + k * kCount, &part[k], sizeof(Type));
  }
}

template <class Real>
ALACARTE_INLINE void gather_one_body(const Real* __restrict in, const std::int32_t* index, const Real* scale,
                                     Index length, Index count, Real* __restrict out) {
  for (Index block = 0; block < count; ++block) {
    const Real* from = in + block * length;
    for (Index i = block * length; i < (block + 1) * length; ++i) out[i] = scale[i] * from[index[i]];
  }
}

bool is_power_of_two(Index length) { return length > 0 && (length & (length - 1)) == 0; }

}  // namespace

namespace kernels {
#define ALACARTE_FOR_EACH_REAL(stamp) stamp(double) stamp(float)
#define ALACARTE_HADAMARD_KERNELS(Real)                                                                             \
  ALACARTE_MULTIVERSION(passes, (Real * tile, Index length, Index done), (tile, length, done))                      \
  ALACARTE_MULTIVERSION(                                                                                            \
      gather_rows,                                                                                                  \
      (const Real* in, Index stride, const std::int32_t* index, const Real* scale, Index rows, Real* out),          \
      (in, stride, index, scale, rows, out))                                                                        \
  ALACARTE_MULTIVERSION(gather_blocks,                                                                              \
                        (const Real* in, Index stride, Index in_step, const std::int32_t* index, const Real* scale, \
                         Index length, Index count, Real* out),                                                     \
                        (in, stride, in_step, index, scale, length, count, out))                                    \
  ALACARTE_MULTIVERSION(lanes, (Real * x, Index rows, Index length), (x, rows, length))                             \
  ALACARTE_MULTIVERSION(                                                                                            \
      gather_one,                                                                                                   \
      (const Real* in, const std::int32_t* index, const Real* scale, Index length, Index count, Real* out),         \
      (in, index, scale, length, count, out))
ALACARTE_FOR_EACH_REAL(ALACARTE_HADAMARD_KERNELS)
}  // namespace kernels

namespace {

// Rows whose levels below are done `done` apart. What exceeds the second level of cache is transformed eighth by eighth
// first, so that only the last pass of each size goes to memory.
template <class Real>
void transform(Real* tile, Index length, Index done) {
  constexpr Index kCacheBytes = 256 * 1024;
  const Index eighth = length / 8;
  if (length * kW * static_cast<Index>(sizeof(Real)) <= kCacheBytes || eighth < done) {
    kernels::passes(tile, length, done);
    return;
  }
  for (Index k = 0; k < 8; ++k) transform(tile + k * eighth * kW, eighth, done);
  kernels::passes(tile, length, eighth);
}

template <class Real>
void transform_gathered(const Real* in, Index stride, Index in_step, const std::int32_t* index, const Real* scale,
                        Index length, Index count, Real* out) {
  require(is_power_of_two(length), "Hadamard length is not a power of two");
  constexpr Index kCacheRows = 1024;
  if (length <= kCacheRows) {
    kernels::gather_blocks(in, stride, in_step, index, scale, length, count, out);
    return;
  }
  for (Index block = 0; block < count; ++block) {
    kernels::gather_rows(in + block * in_step, stride, index + block * length, scale + block * length, length,
                         out + block * length * kW);
    transform(out + block * length * kW, length, 8);
  }
}

template <class Real>
void transform_vectors(Real* x, Index length, Index count) {
  require(is_power_of_two(length), "Hadamard length is not a power of two");
  kernels::lanes(x, (length * count + kW - 1) / kW, length);
  for (Index block = 0; length > kW && block < count; ++block) transform(x + block * length, length / kW, 1);
}

}  // namespace

void hadamard(double* tile, Index length) {
  require(is_power_of_two(length), "Hadamard length is not a power of two");
  transform(tile, length, 1);
}
void hadamard(float* tile, Index length) {
  require(is_power_of_two(length), "Hadamard length is not a power of two");
  transform(tile, length, 1);
}

void hadamard_gather(const double* in, Index stride, Index in_step, const std::int32_t* index, const double* scale,
                     Index length, Index count, double* out) {
  transform_gathered(in, stride, in_step, index, scale, length, count, out);
}
void hadamard_gather(const float* in, Index stride, Index in_step, const std::int32_t* index, const float* scale,
                     Index length, Index count, float* out) {
  transform_gathered(in, stride, in_step, index, scale, length, count, out);
}

void hadamard_vectors(double* x, Index length, Index count) { transform_vectors(x, length, count); }
void hadamard_vectors(float* x, Index length, Index count) { transform_vectors(x, length, count); }

void gather_vectors(const double* in, const std::int32_t* index, const double* scale, Index length, Index count,
                    double* out) {
  kernels::gather_one(in, index, scale, length, count, out);
}
void gather_vectors(const float* in, const std::int32_t* index, const float* scale, Index length, Index count,
                    float* out) {
  kernels::gather_one(in, index, scale, length, count, out);
}

}  // namespace alacarte
