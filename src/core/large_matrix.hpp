#pragma once
// Matrices of many megabytes in huge pages, if the system has them: fresh memory then comes 2 MiB at a time instead of
// 4 KiB (on virtual machines that costs more than filling it), and the processor translates fewer addresses. Matrices
// aligned to cache lines: a 64-byte vector that straddles two lines costs two accesses.
#include <alacarte/core/types.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace alacarte {

/// Returns an uninitialised matrix (rows, cols). Below 4 MiB, and on systems without huge pages, it is a plain
/// Matrix(rows, cols). Throws std::bad_alloc.
Matrix large_matrix(Index rows, Index cols);

inline constexpr Index kCacheLineBytes = 64;

/// Returns the first element at or after `memory` that begins a cache line; skips less than a line.
template <class Real>
Real* align_to_cache_line(Real* memory) {
  const auto past = reinterpret_cast<std::uintptr_t>(memory) % kCacheLineBytes;
  return memory + (kCacheLineBytes - past) % kCacheLineBytes / sizeof(Real);
}

/// A column-major matrix aligned to cache lines; so is every column if its rows fill whole lines.
class AlignedMatrix {
 public:
  /// Sets the size; the contents become undefined.
  void resize(Index rows, Index cols) {
    rows_ = rows;
    cols_ = cols;
    memory_.resize(static_cast<std::size_t>(rows * cols) + kCacheLineBytes / sizeof(double));
  }
  auto topRows(Index rows) {
    return Eigen::Map<Matrix>(align_to_cache_line(memory_.data()), rows_, cols_).topRows(rows);
  }

 private:
  std::vector<double> memory_;
  Index rows_ = 0, cols_ = 0;
};

}  // namespace alacarte
