#pragma once
// The passes of a Hadamard transform over rows of kTileWidth numbers, as the kernels inline them.
#include "alacarte/linalg/hadamard.hpp"
#include "linalg/multiversion.hpp"

namespace alacarte {

inline constexpr Index kW = kTileWidth;

// Radix-R butterflies over `span` = (rows between the inputs) kW contiguous numbers: R loads and R stores for
// R log2 R additions, which is what makes a pass compute-bound rather than bound by the cache.
template <class Real>
ALACARTE_INLINE void radix2(Real* p, Index span) {
  Real *p0 = p, *p1 = p + span;
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < span; ++j) {
    const Real a = p0[j], b = p1[j];
    p0[j] = a + b;
    p1[j] = a - b;
  }
}

template <class Real>
ALACARTE_INLINE void radix4(Real* p, Index span) {
  Real *p0 = p, *p1 = p + span, *p2 = p + 2 * span, *p3 = p + 3 * span;
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < span; ++j) {
    const Real a = p0[j] + p1[j], b = p0[j] - p1[j], c = p2[j] + p3[j], d = p2[j] - p3[j];
    p0[j] = a + c;
    p1[j] = b + d;
    p2[j] = a - c;
    p3[j] = b - d;
  }
}

template <class Real>
struct Eight {
  Real v0, v1, v2, v3, v4, v5, v6, v7;
};

template <class Real>
ALACARTE_INLINE Eight<Real> butterfly8(const Eight<Real>& x) {
  const Real a0 = x.v0 + x.v1, a1 = x.v0 - x.v1, a2 = x.v2 + x.v3, a3 = x.v2 - x.v3;
  const Real a4 = x.v4 + x.v5, a5 = x.v4 - x.v5, a6 = x.v6 + x.v7, a7 = x.v6 - x.v7;
  const Real b0 = a0 + a2, b1 = a1 + a3, b2 = a0 - a2, b3 = a1 - a3;
  const Real b4 = a4 + a6, b5 = a5 + a7, b6 = a4 - a6, b7 = a5 - a7;
  return {b0 + b4, b1 + b5, b2 + b6, b3 + b7, b0 - b4, b1 - b5, b2 - b6, b3 - b7};
}

template <class Real>
ALACARTE_INLINE void radix8(Real* p, Index span) {
  Real *p0 = p, *p1 = p + span, *p2 = p + 2 * span, *p3 = p + 3 * span;
  Real *p4 = p + 4 * span, *p5 = p + 5 * span, *p6 = p + 6 * span, *p7 = p + 7 * span;
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < span; ++j) {
    const Eight<Real> y = butterfly8<Real>({p0[j], p1[j], p2[j], p3[j], p4[j], p5[j], p6[j], p7[j]});
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

// The last pass of short transforms. Faster by a third than an eight and a two where there are 32 registers, no slower
// elsewhere; far apart, sixteen streams fall into the same sets of the first-level cache.
template <class Real>
ALACARTE_INLINE void radix16(Real* p, Index span) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < span; ++j) {
    const Real* q = p + j;
    const Eight<Real> a =
        butterfly8<Real>({q[0], q[span], q[2 * span], q[3 * span], q[4 * span], q[5 * span], q[6 * span], q[7 * span]});
    const Eight<Real> b = butterfly8<Real>(
        {q[8 * span], q[9 * span], q[10 * span], q[11 * span], q[12 * span], q[13 * span], q[14 * span], q[15 * span]});
    Real* r = p + j;
    r[0] = a.v0 + b.v0;
    r[span] = a.v1 + b.v1;
    r[2 * span] = a.v2 + b.v2;
    r[3 * span] = a.v3 + b.v3;
    r[4 * span] = a.v4 + b.v4;
    r[5 * span] = a.v5 + b.v5;
    r[6 * span] = a.v6 + b.v6;
    r[7 * span] = a.v7 + b.v7;
    r[8 * span] = a.v0 - b.v0;
    r[9 * span] = a.v1 - b.v1;
    r[10 * span] = a.v2 - b.v2;
    r[11 * span] = a.v3 - b.v3;
    r[12 * span] = a.v4 - b.v4;
    r[13 * span] = a.v5 - b.v5;
    r[14 * span] = a.v6 - b.v6;
    r[15 * span] = a.v7 - b.v7;
  }
}

// All passes over `length` rows from butterflies `done` rows apart on.
template <class Real>
ALACARTE_INLINE void passes_body(Real* tile, Index length, Index done) {
  while (done < length) {
    const Index left = length / done, span = done * kW;
    const Index radix = left == 16 && done <= 8 ? 16 : left >= 8 && left != 16 ? 8 : left >= 4 ? 4 : 2;
    for (Index base = 0; base < length * kW; base += radix * span) {
      if (radix == 8)
        radix8(tile + base, span);
      else if (radix == 4)
        radix4(tile + base, span);
      else if (radix == 2)
        radix2(tile + base, span);
      else
        radix16(tile + base, span);
    }
    done *= radix;
  }
}

}  // namespace alacarte
