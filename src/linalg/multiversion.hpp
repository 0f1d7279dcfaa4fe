#pragma once
// One binary for all processors that uses their widest instructions: a kernel's body is an ALACARTE_INLINE function of
// plain loops, compiled once for each instruction set inside a wrapper with that target, and chosen at run time. The
// loops are vectorised after inlining, so they get the wrapper's instruction set. No ifunc, so sanitizers are fine.
#include "simd.hpp"

#define ALACARTE_INLINE inline __attribute__((always_inline))

// Tells the vectoriser that iterations do not depend on one another (in-place passes over disjoint rows).
#if defined(__clang__)
// Below -O2 clang warns of every such loop that it leaves alone.
#pragma clang diagnostic ignored "-Wpass-failed"
#define ALACARTE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define ALACARTE_INDEPENDENT _Pragma("GCC ivdep")
#endif

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define ALACARTE_X86_PATHS
#define ALACARTE_TARGET_SSE42 __attribute__((target("sse4.2")))
#define ALACARTE_TARGET_AVX2 __attribute__((target("avx2,fma")))
#if defined(__clang__)
#define ALACARTE_AVX512_TARGET(width) __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl,avx512bw")))
#else
#define ALACARTE_AVX512_TARGET(width) \
  __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=" #width)))
#endif

/// Defines `void name parameters` which runs `name##_body<fma> arguments` in the version of simd_path(); fma: true if
/// that version has a fused multiply-add. Bodies for float and double share a name. `width`: bits of AVX-512 vectors.
#define ALACARTE_MULTIVERSION_OF(width, name, parameters, arguments)                           \
  namespace {                                                                                  \
  ALACARTE_AVX512_TARGET(width) void name##_avx512 parameters { name##_body<true> arguments; } \
  ALACARTE_TARGET_AVX2 void name##_avx2 parameters { name##_body<true> arguments; }            \
  ALACARTE_TARGET_SSE42 void name##_sse42 parameters { name##_body<false> arguments; }         \
  }                                                                                            \
  void name parameters {                                                                       \
    switch (simd_path()) {                                                                     \
      case SimdPath::avx512: return name##_avx512 arguments;                                   \
      case SimdPath::avx2: return name##_avx2 arguments;                                       \
      case SimdPath::sse42: return name##_sse42 arguments;                                     \
      case SimdPath::plain: break;                                                             \
    }                                                                                          \
    name##_body<false> arguments;                                                              \
  }
#else
#define ALACARTE_MULTIVERSION_OF(width, name, parameters, arguments) \
  void name parameters { name##_body<false> arguments; }
#endif
#define ALACARTE_MULTIVERSION(name, parameters, arguments) ALACARTE_MULTIVERSION_OF(512, name, parameters, arguments)
