#include "bench/row_hadamard.hpp"

#include "alacarte/core/error.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define ALACARTE_ROW_HADAMARD
#define ALACARTE_AVX2 __attribute__((target("avx2,fma")))
#define ALACARTE_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) static inline
#endif

namespace alacarte::bench {
namespace {

template <class Scalar>
void naive(Scalar* rows, Index length, Index count) {
  for (Index row = 0; row < count; ++row, rows += length) {
    for (Index half = 1; half < length; half *= 2) {
      for (Index base = 0; base < length; base += 2 * half) {
        for (Index i = base; i < base + half; ++i) {
          const Scalar a = rows[i], b = rows[i + half];
          rows[i] = a + b;
          rows[i + half] = a - b;
        }
      }
    }
  }
}

#ifdef ALACARTE_ROW_HADAMARD

struct Double4 {
  using Scalar = double;
  using Pack = __m256d;
  static constexpr Index lanes = 4;
  ALACARTE_AVX2_INLINE Pack load(const double* p) { return _mm256_loadu_pd(p); }
  ALACARTE_AVX2_INLINE void store(double* p, Pack x) { _mm256_storeu_pd(p, x); }
  ALACARTE_AVX2_INLINE Pack add(Pack a, Pack b) { return _mm256_add_pd(a, b); }
  ALACARTE_AVX2_INLINE Pack sub(Pack a, Pack b) { return _mm256_sub_pd(a, b); }
  // A butterfly between lanes is x sign + swapped x: one shuffle and one fused multiply-add.
  ALACARTE_AVX2_INLINE Pack within(Pack x) {
    x = _mm256_fmadd_pd(x, _mm256_setr_pd(1, -1, 1, -1), _mm256_permute_pd(x, 0b0101));
    return _mm256_fmadd_pd(x, _mm256_setr_pd(1, 1, -1, -1), _mm256_permute2f128_pd(x, x, 1));
  }
};

// The sums and the differences of neighbours: twice the lower one of each pair, and the upper one with both signs.
struct FfhtDouble4 : Double4 {
  ALACARTE_AVX2_INLINE Pack within(Pack x) {
    const Pack none = _mm256_setzero_pd();
    Pack low = _mm256_permute_pd(x, 0b0000), high = _mm256_permute_pd(x, 0b1111);
    x = _mm256_addsub_pd(low, _mm256_sub_pd(none, high));
    low = _mm256_permute2f128_pd(x, x, 0x00), high = _mm256_permute2f128_pd(x, x, 0x11);
    return _mm256_add_pd(low, _mm256_blend_pd(high, _mm256_sub_pd(none, high), 0b1100));
  }
};

struct Float8 {
  using Scalar = float;
  using Pack = __m256;
  static constexpr Index lanes = 8;
  ALACARTE_AVX2_INLINE Pack load(const float* p) { return _mm256_loadu_ps(p); }
  ALACARTE_AVX2_INLINE void store(float* p, Pack x) { _mm256_storeu_ps(p, x); }
  ALACARTE_AVX2_INLINE Pack add(Pack a, Pack b) { return _mm256_add_ps(a, b); }
  ALACARTE_AVX2_INLINE Pack sub(Pack a, Pack b) { return _mm256_sub_ps(a, b); }
  ALACARTE_AVX2_INLINE Pack within(Pack x) {
    x = _mm256_fmadd_ps(x, _mm256_setr_ps(1, -1, 1, -1, 1, -1, 1, -1), _mm256_permute_ps(x, 0b10110001));
    x = _mm256_fmadd_ps(x, _mm256_setr_ps(1, 1, -1, -1, 1, 1, -1, -1), _mm256_permute_ps(x, 0b01001110));
    return _mm256_fmadd_ps(x, _mm256_setr_ps(1, 1, 1, 1, -1, -1, -1, -1), _mm256_permute2f128_ps(x, x, 1));
  }
};

struct FfhtFloat8 : Float8 {
  ALACARTE_AVX2_INLINE Pack within(Pack x) {
    const Pack none = _mm256_setzero_ps();
    Pack low = _mm256_permute_ps(x, 0b10100000), high = _mm256_permute_ps(x, 0b11110101);
    x = _mm256_addsub_ps(low, _mm256_sub_ps(none, high));
    low = _mm256_permute_ps(x, 0b01000100), high = _mm256_permute_ps(x, 0b11101110);
    x = _mm256_add_ps(low, _mm256_blend_ps(high, _mm256_sub_ps(none, high), 0b11001100));
    low = _mm256_permute2f128_ps(x, x, 0x00), high = _mm256_permute2f128_ps(x, x, 0x11);
    return _mm256_add_ps(low, _mm256_blend_ps(high, _mm256_sub_ps(none, high), 0b11110000));
  }
};

template <class T>
ALACARTE_AVX2_INLINE void butterfly(typename T::Pack& a, typename T::Pack& b) {
  const typename T::Pack sum = T::add(a, b);
  b = T::sub(a, b);
  a = sum;
}

template <class T>
ALACARTE_AVX2_INLINE void butterfly4(typename T::Pack& a, typename T::Pack& b, typename T::Pack& c,
                                     typename T::Pack& d) {
  butterfly<T>(a, b);
  butterfly<T>(c, d);
  butterfly<T>(a, c);
  butterfly<T>(b, d);
}

/// Radix 8 over packs `span` apart; `inside`: the butterflies within a pack come first.
template <class T, bool inside>
ALACARTE_AVX2_INLINE void radix8(typename T::Scalar* p, Index span) {
  typename T::Pack v0 = T::load(p), v1 = T::load(p + span), v2 = T::load(p + 2 * span), v3 = T::load(p + 3 * span);
  typename T::Pack v4 = T::load(p + 4 * span), v5 = T::load(p + 5 * span), v6 = T::load(p + 6 * span),
                   v7 = T::load(p + 7 * span);
  if constexpr (inside) {
    v0 = T::within(v0), v1 = T::within(v1), v2 = T::within(v2), v3 = T::within(v3);
    v4 = T::within(v4), v5 = T::within(v5), v6 = T::within(v6), v7 = T::within(v7);
  }
  butterfly4<T>(v0, v1, v2, v3);
  butterfly4<T>(v4, v5, v6, v7);
  butterfly<T>(v0, v4);
  butterfly<T>(v1, v5);
  butterfly<T>(v2, v6);
  butterfly<T>(v3, v7);
  T::store(p, v0), T::store(p + span, v1), T::store(p + 2 * span, v2), T::store(p + 3 * span, v3);
  T::store(p + 4 * span, v4), T::store(p + 5 * span, v5), T::store(p + 6 * span, v6), T::store(p + 7 * span, v7);
}

template <class T, bool inside>
ALACARTE_AVX2_INLINE void radix4(typename T::Scalar* p, Index span) {
  typename T::Pack v0 = T::load(p), v1 = T::load(p + span), v2 = T::load(p + 2 * span), v3 = T::load(p + 3 * span);
  if constexpr (inside) v0 = T::within(v0), v1 = T::within(v1), v2 = T::within(v2), v3 = T::within(v3);
  butterfly4<T>(v0, v1, v2, v3);
  T::store(p, v0), T::store(p + span, v1), T::store(p + 2 * span, v2), T::store(p + 3 * span, v3);
}

template <class T, bool inside>
ALACARTE_AVX2_INLINE void radix2(typename T::Scalar* p, Index span) {
  typename T::Pack v0 = T::load(p), v1 = T::load(p + span);
  if constexpr (inside) v0 = T::within(v0), v1 = T::within(v1);
  butterfly<T>(v0, v1);
  T::store(p, v0), T::store(p + span, v1);
}

template <class T>
ALACARTE_AVX2_INLINE void later_passes(typename T::Scalar* row, Index length, Index done) {
  while (done < length) {
    const Index left = length / done, radix = left >= 8 && left != 16 ? 8 : left >= 4 ? 4 : 2;
    for (Index base = 0; base < length; base += radix * done) {
      for (Index j = base; j < base + done; j += T::lanes) {
        if (radix == 8)
          radix8<T, false>(row + j, done);
        else if (radix == 4)
          radix4<T, false>(row + j, done);
        else
          radix2<T, false>(row + j, done);
      }
    }
    done *= radix;
  }
}

// 8 packs are loaded once for the butterflies within and among them; short rows have fewer.
template <class T>
ALACARTE_AVX2_INLINE void transform_rows(typename T::Scalar* rows, Index length, Index count) {
  constexpr Index kPack = T::lanes;
  for (Index row = 0; row < count; ++row, rows += length) {
    switch (length / kPack) {
      case 1:
        T::store(rows, T::within(T::load(rows)));
        break;
      case 2:
        radix2<T, true>(rows, kPack);
        break;
      case 4:
        radix4<T, true>(rows, kPack);
        break;
      default:
        for (Index base = 0; base < length; base += 8 * kPack) radix8<T, true>(rows + base, kPack);
        later_passes<T>(rows, length, 8 * kPack);
    }
  }
}

ALACARTE_AVX2 void transform(double* rows, Index length, Index count, LaneButterflies lanes) {
  lanes == LaneButterflies::ffht ? transform_rows<FfhtDouble4>(rows, length, count)
                                 : transform_rows<Double4>(rows, length, count);
}
ALACARTE_AVX2 void transform(float* rows, Index length, Index count, LaneButterflies lanes) {
  lanes == LaneButterflies::ffht ? transform_rows<FfhtFloat8>(rows, length, count)
                                 : transform_rows<Float8>(rows, length, count);
}

#else

template <class Scalar>
void transform(Scalar* rows, Index length, Index count, LaneButterflies) {
  naive(rows, length, count);
}

#endif

void check(Index length) {
  require(length >= 8 && (length & (length - 1)) == 0 && has_row_hadamard(), "row Hadamard: length or processor");
}

}  // namespace

void naive_hadamard(double* rows, Index length, Index count) { naive(rows, length, count); }
void naive_hadamard(float* rows, Index length, Index count) { naive(rows, length, count); }

bool has_row_hadamard() {
#ifdef ALACARTE_ROW_HADAMARD
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

void row_hadamard(double* rows, Index length, Index count, LaneButterflies lanes) {
  check(length);
  transform(rows, length, count, lanes);
}

void row_hadamard(float* rows, Index length, Index count, LaneButterflies lanes) {
  check(length);
  transform(rows, length, count, lanes);
}

}  // namespace alacarte::bench
