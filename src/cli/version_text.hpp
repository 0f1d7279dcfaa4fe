#pragma once
#include <string>

namespace alacarte::cli {

/// What --version of `program` prints: version, compiler, BLAS, Fourier draws, instruction set and threads, a line
/// each.
std::string version_text(const std::string& program);

}  // namespace alacarte::cli
