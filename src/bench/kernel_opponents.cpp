#include "bench/kernel_opponents.hpp"

#include <fmt/format.h>
#include <cstring>

#include "alacarte/core/error.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define ALACARTE_AVX2_PATHS
#define ALACARTE_AVX2 __attribute__((target("avx2,fma")))
#define ALACARTE_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) static inline
#define ALACARTE_AVX512 __attribute__((target("avx512f")))
// Short loops over packs must be unrolled to stay in registers.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"  // without unrolling below -O2
#define ALACARTE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define ALACARTE_UNROLL _Pragma("GCC unroll 8")
#endif
#ifdef __linux__
#include <dlfcn.h>
#define ALACARTE_LIBMVEC
#endif
#endif

namespace alacarte::bench {
namespace {

#ifdef ALACARTE_AVX2_PATHS

struct Double4 {
  using Scalar = double;
  using Pack = __m256d;
  static constexpr Index lanes = 4;
  ALACARTE_AVX2_INLINE Pack load(const double* p) { return _mm256_loadu_pd(p); }
  ALACARTE_AVX2_INLINE void store(double* p, Pack x) { _mm256_storeu_pd(p, x); }
  // Computes the butterfly between lanes as x sign + swapped x: one shuffle and one fused multiply-add.
  ALACARTE_AVX2_INLINE Pack within(Pack x) {
    x = _mm256_fmadd_pd(x, _mm256_setr_pd(1, -1, 1, -1), _mm256_permute_pd(x, 0b0101));
    return _mm256_fmadd_pd(x, _mm256_setr_pd(1, 1, -1, -1), _mm256_permute2f128_pd(x, x, 1));
  }
};

// Butterfly by sums and differences of neighbours: twice the lower one of each pair, and the upper one with both signs.
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

/// Transforms `radix` packs `span` apart; `inside`: butterflies within a pack come first.
template <class T, int radix, bool inside>
ALACARTE_AVX2_INLINE void pass(typename T::Scalar* p, Index span) {
  typename T::Pack v[radix];
  ALACARTE_UNROLL
  for (int k = 0; k < radix; ++k) v[k] = T::load(p + k * span);
  if constexpr (inside) {
    ALACARTE_UNROLL
    for (int k = 0; k < radix; ++k) v[k] = T::within(v[k]);
  }
  ALACARTE_UNROLL
  for (int half = 1; half < radix; half *= 2) {
    ALACARTE_UNROLL
    for (int k = 0; k < radix; ++k) {
      if ((k & half) != 0) continue;
      const typename T::Pack sum = v[k] + v[k + half];
      v[k + half] = v[k] - v[k + half];
      v[k] = sum;
    }
  }
  ALACARTE_UNROLL
  for (int k = 0; k < radix; ++k) T::store(p + k * span, v[k]);
}

template <class T>
ALACARTE_AVX2_INLINE void later_passes(typename T::Scalar* row, Index length, Index done) {
  while (done < length) {
    const Index left = length / done, radix = left >= 8 && left != 16 ? 8 : left >= 4 ? 4 : 2;
    for (Index base = 0; base < length; base += radix * done) {
      for (Index j = base; j < base + done; j += T::lanes) {
        if (radix == 8)
          pass<T, 8, false>(row + j, done);
        else if (radix == 4)
          pass<T, 4, false>(row + j, done);
        else
          pass<T, 2, false>(row + j, done);
      }
    }
    done *= radix;
  }
}

// Loads 8 packs once for the butterflies within and among them; short rows have fewer.
template <class T>
ALACARTE_AVX2 void transform_rows(typename T::Scalar* rows, Index length, Index count) {
  for (Index row = 0; row < count; ++row, rows += length) {
    switch (length / T::lanes) {
      case 1: pass<T, 1, true>(rows, T::lanes); break;
      case 2: pass<T, 2, true>(rows, T::lanes); break;
      case 4: pass<T, 4, true>(rows, T::lanes); break;
      default:
        for (Index base = 0; base < length; base += 8 * T::lanes) pass<T, 8, true>(rows + base, T::lanes);
        later_passes<T>(rows, length, 8 * T::lanes);
    }
  }
}

void transform(double* rows, Index length, Index count, LaneButterflies lanes) {
  (lanes == LaneButterflies::ffht ? transform_rows<FfhtDouble4> : transform_rows<Double4>)(rows, length, count);
}
void transform(float* rows, Index length, Index count, LaneButterflies lanes) {
  (lanes == LaneButterflies::ffht ? transform_rows<FfhtFloat8> : transform_rows<Float8>)(rows, length, count);
}

#else

template <class Scalar>
void transform(Scalar*, Index, Index, LaneButterflies) {}

#endif

#ifdef ALACARTE_LIBMVEC

struct Double8 {
  using Scalar = double;
  using Pack = __m512d;
};
struct Float16 {
  using Scalar = float;
  using Pack = __m512;
};

/// Names and calling convention follow the x86-64 vector function ABI.
template <class T>
struct Libmvec {
  using Scalar = typename T::Scalar;
  using Function = typename T::Pack (*)(typename T::Pack);
  static constexpr Index lanes = sizeof(typename T::Pack) / sizeof(Scalar);
  Function sine = find("sin"), cosine = find("cos");

  static const Libmvec& library() {
    static const Libmvec found;
    return found;
  }
  bool has() const { return sine != nullptr && cosine != nullptr; }

  static Function find(const char* function) {
    static void* const handle = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
    const std::string name = fmt::format("_ZGV{}N{}v_{}{}", sizeof(typename T::Pack) == 32 ? 'd' : 'e', lanes, function,
                                         sizeof(Scalar) == 8 ? "" : "f");
    return handle ? reinterpret_cast<Function>(dlsym(handle, name.c_str())) : nullptr;
  }
};

// One function per instruction set, which determines how vectors are passed.
#define ALACARTE_RUN_LIBMVEC(name, instructions)                                             \
  template <class T>                                                                         \
  instructions void name(const typename T::Scalar* x, Index count, typename T::Scalar* sine, \
                         typename T::Scalar* cosine) {                                       \
    const Libmvec<T>& library = Libmvec<T>::library();                                       \
    for (Index i = 0; i < count; i += Libmvec<T>::lanes) {                                   \
      typename T::Pack angles, result;                                                       \
      std::memcpy(&angles, x + i, sizeof(angles));                                           \
      result = library.sine(angles);                                                         \
      std::memcpy(sine + i, &result, sizeof(result));                                        \
      result = library.cosine(angles);                                                       \
      std::memcpy(cosine + i, &result, sizeof(result));                                      \
    }                                                                                        \
  }
ALACARTE_RUN_LIBMVEC(run256, ALACARTE_AVX2)
ALACARTE_RUN_LIBMVEC(run512, ALACARTE_AVX512)

bool has_library(VectorBits bits) {
  if (bits == VectorBits::avx2)
    return Libmvec<Double4>::library().has() && Libmvec<Float8>::library().has() && has_row_hadamard();
  return Libmvec<Double8>::library().has() && Libmvec<Float16>::library().has() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq");
}

void run(VectorBits bits, const double* x, Index count, double* sine, double* cosine) {
  (bits == VectorBits::avx2 ? run256<Double4> : run512<Double8>)(x, count, sine, cosine);
}
void run(VectorBits bits, const float* x, Index count, float* sine, float* cosine) {
  (bits == VectorBits::avx2 ? run256<Float8> : run512<Float16>)(x, count, sine, cosine);
}

#else

bool has_library(VectorBits) { return false; }
template <class Scalar>
void run(VectorBits, const Scalar*, Index, Scalar*, Scalar*) {}

#endif

}  // namespace

template <class Scalar>
void naive_hadamard(Scalar* rows, Index length, Index count) {
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

bool has_row_hadamard() {
#ifdef ALACARTE_AVX2_PATHS
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

template <class Scalar>
void row_hadamard(Scalar* rows, Index length, Index count, LaneButterflies lanes) {
  require(length >= 8 && (length & (length - 1)) == 0 && has_row_hadamard(), "row Hadamard: length or processor");
  transform(rows, length, count, lanes);
}

bool has_libmvec(VectorBits bits) { return has_library(bits); }

template <class Scalar>
void libmvec_sincos(VectorBits bits, const Scalar* radians, Index count, Scalar* sine, Scalar* cosine) {
  require(has_libmvec(bits) && count % 16 == 0, "libmvec: not here, or a count that does not fill vectors");
  run(bits, radians, count, sine, cosine);
}

template void naive_hadamard(double*, Index, Index);
template void naive_hadamard(float*, Index, Index);
template void row_hadamard(double*, Index, Index, LaneButterflies);
template void row_hadamard(float*, Index, Index, LaneButterflies);
template void libmvec_sincos(VectorBits, const double*, Index, double*, double*);
template void libmvec_sincos(VectorBits, const float*, Index, float*, float*);

}  // namespace alacarte::bench
