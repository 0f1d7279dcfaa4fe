#include "bench/libmvec.hpp"

#include "alacarte/core/error.hpp"

#if defined(__x86_64__) && defined(__linux__) && (defined(__GNUC__) || defined(__clang__))
#include <dlfcn.h>
#include <immintrin.h>
#define ALACARTE_LIBMVEC
#define ALACARTE_AVX2 __attribute__((target("avx2,fma")))
#define ALACARTE_AVX512 __attribute__((target("avx512f")))
#endif

namespace alacarte::bench {
namespace {

#ifdef ALACARTE_LIBMVEC

// Names and calling convention are those of the x86-64 vector function ABI.
using Sine4d = __m256d (*)(__m256d);
using Sine8f = __m256 (*)(__m256);
using Sine8d = __m512d (*)(__m512d);
using Sine16f = __m512 (*)(__m512);

struct Library {
  Sine4d sin4d, cos4d;
  Sine8f sin8f, cos8f;
  Sine8d sin8d, cos8d;
  Sine16f sin16f, cos16f;

  Library() {
    void* handle = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
    find(handle, "_ZGVdN4v_sin", sin4d);
    find(handle, "_ZGVdN4v_cos", cos4d);
    find(handle, "_ZGVdN8v_sinf", sin8f);
    find(handle, "_ZGVdN8v_cosf", cos8f);
    find(handle, "_ZGVeN8v_sin", sin8d);
    find(handle, "_ZGVeN8v_cos", cos8d);
    find(handle, "_ZGVeN16v_sinf", sin16f);
    find(handle, "_ZGVeN16v_cosf", cos16f);
  }

  bool has(VectorBits bits) const {
    if (bits == VectorBits::avx2)
      return sin4d && cos4d && sin8f && cos8f && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return sin8d && cos8d && sin16f && cos16f && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq");
  }

 private:
  template <class Function>
  static void find(void* handle, const char* name, Function& function) {
    function = handle ? reinterpret_cast<Function>(dlsym(handle, name)) : nullptr;
  }
};

const Library& library() {
  static const Library found;
  return found;
}

ALACARTE_AVX2 void run256(const double* x, Index count, double* sine, double* cosine) {
  const Library& mvec = library();
  for (Index i = 0; i < count; i += 4) {
    const __m256d v = _mm256_loadu_pd(x + i);
    _mm256_storeu_pd(sine + i, mvec.sin4d(v));
    _mm256_storeu_pd(cosine + i, mvec.cos4d(v));
  }
}

ALACARTE_AVX2 void run256(const float* x, Index count, float* sine, float* cosine) {
  const Library& mvec = library();
  for (Index i = 0; i < count; i += 8) {
    const __m256 v = _mm256_loadu_ps(x + i);
    _mm256_storeu_ps(sine + i, mvec.sin8f(v));
    _mm256_storeu_ps(cosine + i, mvec.cos8f(v));
  }
}

ALACARTE_AVX512 void run512(const double* x, Index count, double* sine, double* cosine) {
  const Library& mvec = library();
  for (Index i = 0; i < count; i += 8) {
    const __m512d v = _mm512_loadu_pd(x + i);
    _mm512_storeu_pd(sine + i, mvec.sin8d(v));
    _mm512_storeu_pd(cosine + i, mvec.cos8d(v));
  }
}

ALACARTE_AVX512 void run512(const float* x, Index count, float* sine, float* cosine) {
  const Library& mvec = library();
  for (Index i = 0; i < count; i += 16) {
    const __m512 v = _mm512_loadu_ps(x + i);
    _mm512_storeu_ps(sine + i, mvec.sin16f(v));
    _mm512_storeu_ps(cosine + i, mvec.cos16f(v));
  }
}

template <class Scalar>
void run(VectorBits bits, const Scalar* radians, Index count, Scalar* sine, Scalar* cosine) {
  bits == VectorBits::avx2 ? run256(radians, count, sine, cosine) : run512(radians, count, sine, cosine);
}

#else

template <class Scalar>
void run(VectorBits, const Scalar*, Index, Scalar*, Scalar*) {}

#endif

void check(VectorBits bits, Index count) {
  require(has_libmvec(bits) && count % 16 == 0, "libmvec: not here, or a count that does not fill vectors");
}

}  // namespace

bool has_libmvec([[maybe_unused]] VectorBits bits) {
#ifdef ALACARTE_LIBMVEC
  return library().has(bits);
#else
  return false;
#endif
}

void libmvec_sincos(VectorBits bits, const double* radians, Index count, double* sine, double* cosine) {
  check(bits, count);
  run(bits, radians, count, sine, cosine);
}

void libmvec_sincos(VectorBits bits, const float* radians, Index count, float* sine, float* cosine) {
  check(bits, count);
  run(bits, radians, count, sine, cosine);
}

}  // namespace alacarte::bench
