#pragma once
// Random effects of levels (subjects, shops): k(x, x') = tau^2 for rows of one level, beside another kernel or map.
#include <fmt/format.h>
#include <memory>
#include <string>

#include "kernel/tiled.hpp"

namespace alacarte {

inline constexpr const char* kLevelsModel = "levels";  ///< name of the term in reports
/// Returns the beginning of the names of the slots of the k-th random effect.
inline std::string level_prefix(Index k) { return fmt::format("effect[{}].", k); }

/// Makes the kernel of one column of codes: tau^2 for a row and itself, and for two rows of equal codes, unless these
/// are negative: rows of unknown levels share nothing. It has one slot, "levels.log_amplitude".
std::unique_ptr<TiledKernel> make_levels_kernel();

/// Returns the sum of a kernel and one of levels for each of `level_columns` inputs behind its own. `model`: name of
/// the kernel in reports. Its parameters come first, by their own names.
std::unique_ptr<Kernel> with_level_effects(std::string model, std::unique_ptr<Kernel> kernel, Index level_columns);

}  // namespace alacarte
