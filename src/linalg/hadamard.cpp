#include "alacarte/linalg/hadamard.hpp"

#include "alacarte/core/error.hpp"
#include "linalg/multiversion.hpp"

namespace alacarte {
namespace {

constexpr Index kW = kTileWidth;

// Radix-R butterflies over `span` = (rows between the inputs) kW contiguous doubles: R loads and R stores for
// R log2 R additions, which is what makes a pass compute-bound rather than bound by the cache.
ALACARTE_INLINE void radix2(double* p, Index span) {
  double *p0 = p, *p1 = p + span;
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < span; ++j) {
    const double a = p0[j], b = p1[j];
    p0[j] = a + b;
    p1[j] = a - b;
  }
}

ALACARTE_INLINE void radix4(double* p, Index span) {
  double *p0 = p, *p1 = p + span, *p2 = p + 2 * span, *p3 = p + 3 * span;
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < span; ++j) {
    const double a = p0[j] + p1[j], b = p0[j] - p1[j], c = p2[j] + p3[j], d = p2[j] - p3[j];
    p0[j] = a + c;
    p1[j] = b + d;
    p2[j] = a - c;
    p3[j] = b - d;
  }
}

struct Eight {
  double v0, v1, v2, v3, v4, v5, v6, v7;
};

ALACARTE_INLINE Eight butterfly8(const Eight& x) {
  const double a0 = x.v0 + x.v1, a1 = x.v0 - x.v1, a2 = x.v2 + x.v3, a3 = x.v2 - x.v3;
  const double a4 = x.v4 + x.v5, a5 = x.v4 - x.v5, a6 = x.v6 + x.v7, a7 = x.v6 - x.v7;
  const double b0 = a0 + a2, b1 = a1 + a3, b2 = a0 - a2, b3 = a1 - a3;
  const double b4 = a4 + a6, b5 = a5 + a7, b6 = a4 - a6, b7 = a5 - a7;
  return {b0 + b4, b1 + b5, b2 + b6, b3 + b7, b0 - b4, b1 - b5, b2 - b6, b3 - b7};
}

ALACARTE_INLINE void radix8(double* p, Index span) {
  double *p0 = p, *p1 = p + span, *p2 = p + 2 * span, *p3 = p + 3 * span;
  double *p4 = p + 4 * span, *p5 = p + 5 * span, *p6 = p + 6 * span, *p7 = p + 7 * span;
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < span; ++j) {
    const Eight y = butterfly8({p0[j], p1[j], p2[j], p3[j], p4[j], p5[j], p6[j], p7[j]});
    p0[j] = y.v0;
    p1[j] = y.v1;
    p2[j] = y.v2;
    p3[j] = y.v3;
    p4[j] = y.v4;
    p5[j] = y.v5;
    p6[j] = y.v6;
    p7[j] = y.v7;
  }
}

// All passes from butterflies `done` rows apart on.
ALACARTE_INLINE void remaining_passes(double* tile, Index length, Index done) {
  while (done < length) {
    const Index left = length / done, span = done * kW;
    const Index radix = left >= 8 && left != 16 ? 8 : left >= 4 ? 4 : 2;
    for (Index base = 0; base < length * kW; base += radix * span) {
      if (radix == 8)
        radix8(tile + base, span);
      else if (radix == 4)
        radix4(tile + base, span);
      else
        radix2(tile + base, span);
    }
    done *= radix;
  }
}

ALACARTE_INLINE void gather8(const double* __restrict in, Index stride, const std::int32_t* index, const double* scale,
                             double* __restrict out) {
  const double *p0 = in + index[0] * stride, *p1 = in + index[1] * stride, *p2 = in + index[2] * stride;
  const double *p3 = in + index[3] * stride, *p4 = in + index[4] * stride, *p5 = in + index[5] * stride;
  const double *p6 = in + index[6] * stride, *p7 = in + index[7] * stride;
  const double s0 = scale[0], s1 = scale[1], s2 = scale[2], s3 = scale[3];
  const double s4 = scale[4], s5 = scale[5], s6 = scale[6], s7 = scale[7];
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < kW; ++j) {
    const Eight y =
        butterfly8({p0[j] * s0, p1[j] * s1, p2[j] * s2, p3[j] * s3, p4[j] * s4, p5[j] * s5, p6[j] * s6, p7[j] * s7});
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

ALACARTE_INLINE void gather1(const double* __restrict in, Index stride, const std::int32_t* index, const double* scale,
                             double* __restrict out) {
  const double* p = in + index[0] * stride;
  const double s0 = scale[0];
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < kW; ++j) out[j] = p[j] * s0;
}

ALACARTE_INLINE void hadamard_passes_body(double* tile, Index length) { remaining_passes(tile, length, 1); }

ALACARTE_INLINE void gather_passes_body(const double* in, Index stride, Index in_step, const std::int32_t* index,
                                        const double* scale, Index length, Index count, double* out) {
  for (Index block = 0; block < count; ++block) {
    if (length >= 8) {
      for (Index i = 0; i < length; i += 8) gather8(in, stride, index + i, scale + i, out + i * kW);
      remaining_passes(out, length, 8);
    } else {
      for (Index i = 0; i < length; ++i) gather1(in, stride, index + i, scale + i, out + i * kW);
      remaining_passes(out, length, 1);
    }
    in += in_step;
    index += length;
    scale += length;
    out += length * kW;
  }
}

bool is_power_of_two(Index length) { return length > 0 && (length & (length - 1)) == 0; }

}  // namespace

namespace kernels {
ALACARTE_MULTIVERSION(hadamard_passes, (double* tile, Index length), (tile, length))
ALACARTE_MULTIVERSION(gather_passes,
                      (const double* in, Index stride, Index in_step, const std::int32_t* index, const double* scale,
                       Index length, Index count, double* out),
                      (in, stride, in_step, index, scale, length, count, out))
}  // namespace kernels

void hadamard(double* tile, Index length) {
  require(is_power_of_two(length), "Hadamard length is not a power of two");
  kernels::hadamard_passes(tile, length);
}

void hadamard_gather(const double* in, Index stride, Index in_step, const std::int32_t* index, const double* scale,
                     Index length, Index count, double* out) {
  require(is_power_of_two(length), "Hadamard length is not a power of two");
  kernels::gather_passes(in, stride, in_step, index, scale, length, count, out);
}

}  // namespace alacarte
