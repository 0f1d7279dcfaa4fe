#include "hadamard.hpp"

#include <cmath>

#include "alacarte/core/error.hpp"
#include "linalg/multiversion.hpp"

namespace alacarte {
namespace {

// Inlined passes over rows of kTileWidth numbers.
constexpr Index kW = kTileWidth;

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

// Runs all passes of `count` consecutive tiles.
template <bool kFma, class Real>
ALACARTE_INLINE void passes_body(Real* tiles, Index length, Index count, Index done) {
  const Adder<Real, kFma> add;
  for (Index tile = 0; tile < count; ++tile) all_passes(tiles + tile * length * kW, length, done, add);
}

/// Rows of `in` selected by an index, each with its factor.
template <class Real>
struct Gather {
  const Real* in;
  Index stride;
  const std::int32_t* index;
  const Real* scale;

  /// Returns number `lane` of row `row`.
  ALACARTE_INLINE Real at(Index row, Index lane) const { return in[index[row] * stride + lane] * scale[row]; }
  ALACARTE_INLINE Eight<Real> eight(Index row, Index lane) const {
    return {at(row, lane),     at(row + 1, lane), at(row + 2, lane), at(row + 3, lane),
            at(row + 4, lane), at(row + 5, lane), at(row + 6, lane), at(row + 7, lane)};
  }
  ALACARTE_INLINE Gather from(Index row) const { return {in, stride, index + row, scale + row}; }
};

template <class Real>
ALACARTE_INLINE void gather1(const Gather<Real>& rows, Real* __restrict out) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < kW; ++j) out[j] = rows.at(0, j);
}

template <class Real>
ALACARTE_INLINE void gather2(const Gather<Real>& rows, Real* __restrict out) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < kW; ++j) {
    const Real a = rows.at(0, j), b = rows.at(1, j);
    out[j] = a + b;
    out[j + kW] = a - b;
  }
}

template <class Real>
ALACARTE_INLINE void gather4(const Gather<Real>& rows, Real* __restrict out) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < kW; ++j) {
    const Real x0 = rows.at(0, j), x1 = rows.at(1, j), x2 = rows.at(2, j), x3 = rows.at(3, j);
    const Real a = x0 + x1, b = x0 - x1, c = x2 + x3, d = x2 - x3;
    out[j] = a + c;
    out[j + kW] = b + d;
    out[j + 2 * kW] = a - c;
    out[j + 3 * kW] = b - d;
  }
}

template <class Real, class Add>
ALACARTE_INLINE void gather8(const Gather<Real>& rows, Real* __restrict out, const Add& add) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < kW; ++j) store8(butterfly8(rows.eight(0, j), add), out + j, kW);
}

template <class Real, class Add>
ALACARTE_INLINE void gather16(const Gather<Real>& rows, Real* __restrict out, const Add& add) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < kW; ++j) {
    Eight<Real> a = butterfly8(rows.eight(0, j), add), b = butterfly8(rows.eight(8, j), add);
    combine8(a, b, add);
    store8(a, out + j, kW);
    store8(b, out + j + 8 * kW, kW);
  }
}

// Rows of a block that are gathered and transformed together in the first level of cache; later passes join such parts.
constexpr Index kPart = 64;

template <class Real, class Add>
ALACARTE_INLINE Index gather_block(const Gather<Real>& rows, Index length, Real* __restrict out, const Add& add) {
  switch (length) {
    case 1: gather1(rows, out); return length;
    case 2: gather2(rows, out); return length;
    case 4: gather4(rows, out); return length;
    case 16: gather16(rows, out, add); return length;
    default: break;
  }
  const Index part = length <= 2 * kPart ? length : kPart;
  for (Index first = 0; first < length; first += part) {
    for (Index i = first; i < first + part; i += 8) gather8(rows.from(i), out + i * kW, add);
    all_passes(out + first * kW, part, 8, add);
  }
  return part;
}

// Gathers and transforms blocks that fit the cache; short blocks share the call.
template <bool kFma, class Real>
ALACARTE_INLINE void gather_blocks_body(const Real* in, Index stride, Index in_step, const std::int32_t* index,
                                        const Real* scale, Index length, Index count, Index maximum, Real* out) {
  const Adder<Real, kFma> add;
  for (Index block = 0; block < count; ++block) {
    const Index at = block * length;
    const Gather<Real> rows{in + block * in_step, stride, index + at, scale + at};
    const Index done = gather_block(rows, length, out + at * kW, add);
    if (length <= maximum) all_passes(out + at * kW, length, done, add);
  }
}

// The first levels, within the lanes of rows of kW coordinates, up to `length`. A vector is half a cache line, which
// every x86 path keeps in a register or two.
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

template <bool, class Real>
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

template <bool, class Real>
ALACARTE_INLINE void gather_one_body(const Real* __restrict in, const std::int32_t* index, const Real* scale,
                                     Index length, Index count, Real* __restrict out) {
  for (Index block = 0; block < count; ++block) {
    const Real* from = in + block * length;
    for (Index i = block * length; i < (block + 1) * length; ++i) out[i] = scale[i] * from[index[i]];
  }
}

bool is_power_of_two(Index length) { return length > 0 && (length & (length - 1)) == 0; }

}  // namespace

// Transforms are additions, loads and stores. 256 bits are faster than 512 by a quarter on processors with units of
// that width (Zen 4: half the stores of 512 bits a cycle), and keep the 32 registers of AVX-512.
namespace kernels {
#define ALACARTE_FOR_EACH_REAL(stamp) stamp(double) stamp(float)
#define ALACARTE_HADAMARD_KERNELS(Real)                                                                                \
  ALACARTE_MULTIVERSION_OF(256, passes, (Real * tiles, Index length, Index count, Index done),                         \
                           (tiles, length, count, done))                                                               \
  ALACARTE_MULTIVERSION_OF(256, gather_blocks,                                                                         \
                           (const Real* in, Index stride, Index in_step, const std::int32_t* index, const Real* scale, \
                            Index length, Index count, Index maximum, Real* out),                                      \
                           (in, stride, in_step, index, scale, length, count, maximum, out))                           \
  ALACARTE_MULTIVERSION(lanes, (Real * x, Index rows, Index length), (x, rows, length))                                \
  ALACARTE_MULTIVERSION(                                                                                               \
      gather_one,                                                                                                      \
      (const Real* in, const std::int32_t* index, const Real* scale, Index length, Index count, Real* out),            \
      (in, index, scale, length, count, out))
ALACARTE_FOR_EACH_REAL(ALACARTE_HADAMARD_KERNELS)
}  // namespace kernels

namespace {

// Transforms rows whose levels below `done` are done. Parts beyond the second level of cache are transformed eighth by
// eighth first, so that only the last pass of each size goes to memory.
template <class Real>
void transform(Real* tile, Index length, Index done) {
  constexpr Index kCacheBytes = 256 * 1024;
  const Index eighth = length / 8;
  if (length * kW * static_cast<Index>(sizeof(Real)) <= kCacheBytes || eighth < done) {
    kernels::passes(tile, length, 1, done);
    return;
  }
  for (Index k = 0; k < 8; ++k) transform(tile + k * eighth * kW, eighth, done);
  kernels::passes(tile, length, 1, eighth);
}

}  // namespace

// Tiles that fit the cache share the call.
template <class Real>
void hadamard(Real* tiles, Index length, Index count) {
  require(is_power_of_two(length), "Hadamard length is not a power of two");
  if (length <= 1024) return kernels::passes(tiles, length, count, 1);
  for (Index tile = 0; tile < count; ++tile) transform(tiles + tile * length * kW, length, 1);
}

template <class Real>
void hadamard_gather(const Real* in, Index stride, Index in_step, const std::int32_t* index, const Real* scale,
                     Index length, Index count, Real* out) {
  require(is_power_of_two(length), "Hadamard length is not a power of two");
  constexpr Index kCacheRows = 1024;
  kernels::gather_blocks(in, stride, in_step, index, scale, length, count, kCacheRows, out);
  for (Index block = 0; length > kCacheRows && block < count; ++block)
    transform(out + block * length * kW, length, kPart);
}

template <class Real>
void hadamard_vectors(Real* x, Index length, Index count) {
  require(is_power_of_two(length), "Hadamard length is not a power of two");
  kernels::lanes(x, (length * count + kW - 1) / kW, length);
  for (Index block = 0; length > kW && block < count; ++block) transform(x + block * length, length / kW, 1);
}

template <class Real>
void gather_vectors(const Real* in, const std::int32_t* index, const Real* scale, Index length, Index count,
                    Real* out) {
  kernels::gather_one(in, index, scale, length, count, out);
}

#define ALACARTE_HADAMARD_OF(Real)                                                                                 \
  template void hadamard(Real*, Index, Index);                                                                     \
  template void hadamard_gather(const Real*, Index, Index, const std::int32_t*, const Real*, Index, Index, Real*); \
  template void hadamard_vectors(Real*, Index, Index);                                                             \
  template void gather_vectors(const Real*, const std::int32_t*, const Real*, Index, Index, Real*);
ALACARTE_FOR_EACH_REAL(ALACARTE_HADAMARD_OF)

}  // namespace alacarte
