#include "large_matrix.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace alacarte {

Matrix large_matrix(Index rows, Index cols) {
  Matrix matrix(rows, cols);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t kWorthwhile = 4 << 20, kPage = 4096;
  const auto bytes = static_cast<std::uintptr_t>(matrix.size()) * sizeof(double);
  if (bytes < kWorthwhile) return matrix;
  // Only whole pages of the matrix. A refusal changes only the speed.
  const auto begin = (reinterpret_cast<std::uintptr_t>(matrix.data()) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(matrix.data()) + bytes) / kPage * kPage;
  static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
#endif
  return matrix;
}

}  // namespace alacarte
