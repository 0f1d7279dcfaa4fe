#pragma once
// Memory aligned to cache lines: a 64-byte vector that straddles two lines costs two accesses.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte {

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
