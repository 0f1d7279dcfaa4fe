#pragma once
// Matrices of many megabytes in huge pages, if the system has them: fresh memory then comes 2 MiB at a time instead of
// 4 KiB (on virtual machines that costs more than filling it), and the processor translates fewer addresses.
#include <alacarte/core/types.hpp>

namespace alacarte {

/// Returns an uninitialised matrix (rows, cols). Below 4 MiB, and on systems without huge pages, it is a plain
/// Matrix(rows, cols). Throws std::bad_alloc.
Matrix large_matrix(Index rows, Index cols);

}  // namespace alacarte
