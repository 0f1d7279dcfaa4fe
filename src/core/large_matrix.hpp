#pragma once
// Matrices of many megabytes whose memory comes in huge pages where the system has them: fresh memory is then handed
// out 2 MiB at a time instead of 4 KiB (on virtual machines that costs more than filling it), and the processor
// translates fewer addresses.
#include <alacarte/core/types.hpp>

namespace alacarte {

/// (rows, cols), uninitialised. Below 4 MiB, and where the system has no such pages, nothing more than Matrix(rows,
/// cols). Throws std::bad_alloc.
Matrix large_matrix(Index rows, Index cols);

}  // namespace alacarte
