#pragma once
// Memory that begins a cache line: a vector of 64 bytes that does not is two lines to the processor.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte {

inline constexpr Index kLineBytes = 64;

/// The first of `memory` that begins a line; what is before it is less than a line.
template <class Real>
Real* first_line(Real* memory) {
  const auto past = reinterpret_cast<std::uintptr_t>(memory) % kLineBytes;
  return memory + (kLineBytes - past) % kLineBytes / sizeof(Real);
}

/// A column-major matrix that begins a line, and all of whose columns do when there are whole lines of rows.
class AlignedMatrix {
 public:
  /// What it held is lost.
  void resize(Index rows, Index cols) {
    rows_ = rows;
    cols_ = cols;
    memory_.resize(static_cast<std::size_t>(rows * cols) + kLineBytes / sizeof(double));
  }
  auto topRows(Index rows) { return Eigen::Map<Matrix>(first_line(memory_.data()), rows_, cols_).topRows(rows); }

 private:
  std::vector<double> memory_;
  Index rows_ = 0, cols_ = 0;
};

}  // namespace alacarte
