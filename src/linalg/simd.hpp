#pragma once
// Selection of the instruction set of the kernels in linalg at run time, in one binary, and of the BLAS kernels.
#include <string>
#include <string_view>
#include <vector>

namespace alacarte {

/// Instruction sets in increasing order. `plain` is compiled for the build target (NEON on ARM); the others are x86
/// only. The last has AVX-512 F, DQ, VL and BW.
enum class SimdPath { plain, sse42, avx2, avx512 };

/// Returns "plain", "sse4.2", "avx2" or "avx512".
const char* simd_path_name(SimdPath path);
/// Returns the paths that this processor and this binary support; always includes `plain`.
std::vector<SimdPath> simd_paths();
/// Returns the path in use: the best of simd_paths(), or the one named by the environment variable ALACARTE_ISA if
/// supported (choose_simd_path() reports it otherwise).
SimdPath simd_path();
/// Selects a path for the whole process; not while kernels run. Throws std::invalid_argument if it is unsupported.
void set_simd_path(SimdPath path);
/// Selects the path called `name`, or the best for "". Throws ConfigError("ALACARTE_ISA") listing the supported ones.
void choose_simd_path(const std::string& name);

/// Returns the value that the environment variable OPENBLAS_CORETYPE needs before the library is loaded, "SkylakeX" or
/// "Haswell". OpenBLAS gives processors newer than itself its slowest kernels: trainings take three times as long
/// (experiments/performance). Returns "" if the library knows the processor, if the variable is set, and in builds
/// without OpenBLAS. No allocation, no failure.
const char* better_blas_kernels() noexcept;
/// Returns that value for a library that has chosen `chosen` (openblas_get_corename()) and a best path `best`.
const char* better_blas_kernels(std::string_view chosen, SimdPath best) noexcept;

}  // namespace alacarte
