#pragma once
// Inlined passes of a Hadamard transform over rows of kTileWidth numbers.
#include <cmath>

#include "hadamard.hpp"
#include "linalg/multiversion.hpp"

namespace alacarte {

inline constexpr Index kW = kTileWidth;

// Adds by fused multiply-adders, too: a * 1 + b is the same number. Many processors (AMD's since Zen) have them beside
// their adders, and half of the additions go there. The compiler must not know that 1.
template <class Real, bool kFma>
class Adder {
 public:
  ALACARTE_INLINE Adder() {
    if constexpr (kFma) asm("" : "+x"(one_));
  }
  ALACARTE_INLINE Real plus(Real a, Real b) const {
    if constexpr (kFma)
      return std::fma(a, one_, b);
    else
      return a + b;
  }

 private:
  Real one_ = 1;
};

// Computes radix-R butterflies over `span` = (rows between the inputs) kW contiguous numbers: R loads and R stores for
// R log2 R additions, so a pass is bound by arithmetic rather than by the cache.
template <class Real, class Add>
ALACARTE_INLINE void radix2(Real* p, Index span, const Add& add) {
  Real *p0 = p, *p1 = p + span;
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < span; ++j) {
    const Real a = p0[j], b = p1[j];
    p0[j] = add.plus(a, b);
    p1[j] = a - b;
  }
}

template <class Real, class Add>
ALACARTE_INLINE void radix4(Real* p, Index span, const Add& add) {
  Real *p0 = p, *p1 = p + span, *p2 = p + 2 * span, *p3 = p + 3 * span;
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < span; ++j) {
    const Real a = add.plus(p0[j], p1[j]), b = p0[j] - p1[j], c = add.plus(p2[j], p3[j]), d = p2[j] - p3[j];
    p0[j] = add.plus(a, c);
    p1[j] = add.plus(b, d);
    p2[j] = a - c;
    p3[j] = b - d;
  }
}

template <class Real>
struct Eight {
  Real v0, v1, v2, v3, v4, v5, v6, v7;
};

template <class Real, class Add>
ALACARTE_INLINE Eight<Real> butterfly8(const Eight<Real>& x, const Add& add) {
  const Real a0 = add.plus(x.v0, x.v1), a1 = x.v0 - x.v1, a2 = add.plus(x.v2, x.v3), a3 = x.v2 - x.v3;
  const Real a4 = add.plus(x.v4, x.v5), a5 = x.v4 - x.v5, a6 = add.plus(x.v6, x.v7), a7 = x.v6 - x.v7;
  const Real b0 = add.plus(a0, a2), b1 = add.plus(a1, a3), b2 = a0 - a2, b3 = a1 - a3;
  const Real b4 = add.plus(a4, a6), b5 = add.plus(a5, a7), b6 = a4 - a6, b7 = a5 - a7;
  return {add.plus(b0, b4), add.plus(b1, b5), add.plus(b2, b6), add.plus(b3, b7), b0 - b4, b1 - b5, b2 - b6, b3 - b7};
}

template <class Real>
ALACARTE_INLINE Eight<Real> load8(const Real* q, Index span) {
  return {q[0], q[span], q[2 * span], q[3 * span], q[4 * span], q[5 * span], q[6 * span], q[7 * span]};
}

template <class Real>
ALACARTE_INLINE void store8(const Eight<Real>& y, Real* r, Index span) {
  r[0] = y.v0;
  r[span] = y.v1;
  r[2 * span] = y.v2;
  r[3 * span] = y.v3;
  r[4 * span] = y.v4;
  r[5 * span] = y.v5;
  r[6 * span] = y.v6;
  r[7 * span] = y.v7;
}

/// Computes a + b, a - b, eight at a time.
template <class Real, class Add>
ALACARTE_INLINE void combine8(Eight<Real>& a, Eight<Real>& b, const Add& add) {
  const Eight<Real> x = a, y = b;
  a = {add.plus(x.v0, y.v0), add.plus(x.v1, y.v1), add.plus(x.v2, y.v2), add.plus(x.v3, y.v3),
       add.plus(x.v4, y.v4), add.plus(x.v5, y.v5), add.plus(x.v6, y.v6), add.plus(x.v7, y.v7)};
  b = {x.v0 - y.v0, x.v1 - y.v1, x.v2 - y.v2, x.v3 - y.v3, x.v4 - y.v4, x.v5 - y.v5, x.v6 - y.v6, x.v7 - y.v7};
}

template <class Real, class Add>
ALACARTE_INLINE void radix8(Real* p, Index span, const Add& add) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < span; ++j) store8(butterfly8(load8(p + j, span), add), p + j, span);
}

// Saves a third over an eight and a two with 32 registers, nothing elsewhere; far apart, sixteen streams fall into the
// same sets of the first-level cache.
template <class Real, class Add>
ALACARTE_INLINE void radix16(Real* p, Index span, const Add& add) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < span; ++j) {
    Eight<Real> a = butterfly8(load8(p + j, span), add), b = butterfly8(load8(p + j + 8 * span, span), add);
    combine8(a, b, add);
    store8(a, p + j, span);
    store8(b, p + j + 8 * span, span);
  }
}

// Runs all passes over `length` rows from butterflies `done` rows apart on.
template <class Real, class Add>
ALACARTE_INLINE void all_passes(Real* tile, Index length, Index done, const Add& add) {
  if (done == 1 && length == 16) return radix16(tile, kW, add);
  if (done == 1 && length >= 8) {
    for (Index base = 0; base < length * kW; base += 8 * kW) radix8(tile + base, kW, add);
    done = 8;
  }
  while (done < length) {
    const Index left = length / done, span = done * kW;
    const Index radix = left == 16 && done <= 8 ? 16 : left >= 8 && left != 16 ? 8 : left >= 4 ? 4 : 2;
    for (Index base = 0; base < length * kW; base += radix * span) {
      if (radix == 8)
        radix8(tile + base, span, add);
      else if (radix == 4)
        radix4(tile + base, span, add);
      else if (radix == 2)
        radix2(tile + base, span, add);
      else
        radix16(tile + base, span, add);
    }
    done *= radix;
  }
}

}  // namespace alacarte
