#pragma once
#include <string>

namespace alacarte::cli {

/// What --version prints: version, compiler, BLAS, Fourier draws, instruction set and threads, a line each.
std::string version_text();

}  // namespace alacarte::cli
