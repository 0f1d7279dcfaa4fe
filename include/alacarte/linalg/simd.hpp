#pragma once
// Which instruction set the kernels of this room run with: chosen once, from what the processor has, in one binary.
#include <string>
#include <vector>

namespace alacarte {

/// In rising order. `plain`: what the compiler makes of the loops for the machine it was told to build for (NEON on
/// ARM); the others are x86 alone. The last has AVX-512 F, DQ, VL and BW.
enum class SimdPath { plain, sse42, avx2, avx512 };

/// "plain", "sse4.2", "avx2" or "avx512".
const char* simd_path_name(SimdPath path);
/// Those that this processor runs and this binary holds; `plain` always.
std::vector<SimdPath> simd_paths();
/// The one in use: the best of simd_paths(), or what the environment variable ALACARTE_ISA names if it is one of them
/// (choose_simd_path() says when it is not).
SimdPath simd_path();
/// From now on this one, for the whole process; not while kernels run. Throws std::invalid_argument where it is
/// missing.
void set_simd_path(SimdPath path);
/// Takes the path that `name` names, "" the best. Throws ConfigError("ALACARTE_ISA") listing what there is.
void choose_simd_path(const std::string& name);

}  // namespace alacarte
