#include "simd.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "alacarte/core/error.hpp"
#include "linalg/multiversion.hpp"
#ifdef ALACARTE_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace alacarte {
namespace {

std::string names_of(const std::vector<SimdPath>& paths) {
  std::string names;
  for (const SimdPath path : paths) names += (names.empty() ? "" : ", ") + std::string(simd_path_name(path));
  return names;
}

SimdPath best_path() noexcept {
#ifdef ALACARTE_X86_PATHS
  if (!__builtin_cpu_supports("sse4.2")) return SimdPath::plain;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return SimdPath::sse42;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  return has_avx512 ? SimdPath::avx512 : SimdPath::avx2;
#else
  return SimdPath::plain;
#endif
}

/// Returns the path named by the environment if available, else the best. choose_simd_path() reports an invalid name,
/// since a library must not fail before main().
SimdPath first_path() {
  const std::vector<SimdPath> paths = simd_paths();
  const char* wanted = std::getenv("ALACARTE_ISA");
  for (const SimdPath path : paths)
    if (wanted != nullptr && simd_path_name(path) == std::string(wanted)) return path;
  return paths.back();
}

std::atomic<SimdPath>& current_path() {
  static std::atomic<SimdPath> path{first_path()};
  return path;
}

}  // namespace

const char* simd_path_name(SimdPath path) {
  switch (path) {
    case SimdPath::plain: return "plain";
    case SimdPath::sse42: return "sse4.2";
    case SimdPath::avx2: return "avx2";
    case SimdPath::avx512: return "avx512";
  }
  return "";
}

std::vector<SimdPath> simd_paths() {
  std::vector<SimdPath> paths = {SimdPath::plain};
  for (const SimdPath path : {SimdPath::sse42, SimdPath::avx2, SimdPath::avx512})
    if (path <= best_path()) paths.push_back(path);
  return paths;
}

SimdPath simd_path() { return current_path().load(std::memory_order_relaxed); }

void set_simd_path(SimdPath path) {
  const std::vector<SimdPath> paths = simd_paths();
  require(std::find(paths.begin(), paths.end(), path) != paths.end(), "no such instruction set on this machine");
  current_path() = path;
}

void choose_simd_path(const std::string& name) {
  const std::vector<SimdPath> paths = simd_paths();
  if (name.empty()) return set_simd_path(paths.back());
  for (const SimdPath path : paths)
    if (simd_path_name(path) == name) return set_simd_path(path);
  throw ConfigError("ALACARTE_ISA", "'" + name + "' is not one of " + names_of(paths) + " (what this machine has)");
}

const char* better_blas_kernels(std::string_view chosen, SimdPath best) noexcept {
  // Fallbacks for an unknown processor, or one of which only the vendor is known.
  const bool is_fallback = chosen == "Prescott" || chosen == "Nehalem" || chosen == "Barcelona";
  if (!is_fallback || best < SimdPath::avx2) return "";
  return best == SimdPath::avx512 ? "SkylakeX" : "Haswell";
}

#ifdef ALACARTE_HAVE_OPENBLAS
const char* better_blas_kernels() noexcept {
  return std::getenv("OPENBLAS_CORETYPE") != nullptr ? "" : better_blas_kernels(openblas_get_corename(), best_path());
}
#else
const char* better_blas_kernels() noexcept { return ""; }
#endif

}  // namespace alacarte
