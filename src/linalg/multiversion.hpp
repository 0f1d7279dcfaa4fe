#pragma once
// One binary that runs everywhere and uses what the processor has: a kernel's body is an ALACARTE_INLINE function of
// plain loops, compiled once for each instruction set inside a wrapper with that target, and chosen at run time.
// The loops are vectorised after inlining, so they get the wrapper's instruction set. No ifunc, so sanitizers are fine.
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
#define ALACARTE_TARGET_AVX2 __attribute__((target("avx2,fma")))
#if defined(__clang__)
#define ALACARTE_TARGET_AVX512 __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl,avx512bw")))
#else
#define ALACARTE_TARGET_AVX512 \
  __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")))
#endif

namespace alacarte {

enum class SimdLevel { baseline, avx2, avx512 };

inline SimdLevel simd_level() {
  static const SimdLevel level = [] {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return SimdLevel::baseline;
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    return wide ? SimdLevel::avx512 : SimdLevel::avx2;
  }();
  return level;
}

}  // namespace alacarte

/// Defines `void name parameters` which runs `name##_body arguments` in the best version for this processor.
#define ALACARTE_MULTIVERSION(name, parameters, arguments)                        \
  namespace {                                                                     \
  ALACARTE_TARGET_AVX512 void name##_avx512 parameters { name##_body arguments; } \
  ALACARTE_TARGET_AVX2 void name##_avx2 parameters { name##_body arguments; }     \
  }                                                                               \
  void name parameters {                                                          \
    switch (simd_level()) {                                                       \
      case SimdLevel::avx512:                                                     \
        return name##_avx512 arguments;                                           \
      case SimdLevel::avx2:                                                       \
        return name##_avx2 arguments;                                             \
      case SimdLevel::baseline:                                                   \
        break;                                                                    \
    }                                                                             \
    name##_body arguments;                                                        \
  }
#else
#define ALACARTE_MULTIVERSION(name, parameters, arguments) \
  void name parameters { name##_body arguments; }
#endif
