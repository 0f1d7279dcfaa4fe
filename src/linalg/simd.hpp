#pragma once
// Selection of the instruction set of the kernels in linalg at run time, in one binary, and of those of the BLAS.
#include <string>
#include <string_view>
#include <vector>

namespace alacarte {

/// In increasing order. `plain`: compiled for the build target (NEON on ARM); the others are x86 only. The last has
/// AVX-512 F, DQ, VL and BW.
enum class SimdPath { plain, sse42, avx2, avx512 };

/// "plain", "sse4.2", "avx2" or "avx512".
const char* simd_path_name(SimdPath path);
/// The paths that this processor and this binary support; always includes `plain`.
std::vector<SimdPath> simd_paths();
/// The path in use: the best of simd_paths(), or the one named by the environment variable ALACARTE_ISA if supported
/// (choose_simd_path() says when it is not).
SimdPath simd_path();
/// Selects a path for the whole process; not while kernels run. Throws std::invalid_argument if it is not supported.
void set_simd_path(SimdPath path);
/// Selects the path called `name`, or the best for "". Throws ConfigError("ALACARTE_ISA") listing the supported ones.
void choose_simd_path(const std::string& name);

/// OpenBLAS knows processors by a list, and one that is newer than the library gets its slowest kernels: trainings take
/// three times as long (experiments/performance). This is the value that the environment variable OPENBLAS_CORETYPE
/// then needs before the library is loaded, "SkylakeX" or "Haswell". It is "" where the library's choice stands: of a
/// processor that it knows, where the variable is set, and in builds without OpenBLAS. No allocation, no failure.
const char* better_blas_kernels() noexcept;
/// The same for a library that has chosen `chosen` (openblas_get_corename()) on a processor whose best path is `best`.
const char* better_blas_kernels(std::string_view chosen, SimdPath best) noexcept;

}  // namespace alacarte
