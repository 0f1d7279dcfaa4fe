#pragma once
// Thread-local work space, kept between calls, so that loops over chunks of rows do not allocate.
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// Returns `numbers` uninitialised numbers, local to the calling thread and to Owner (any type); valid until the next
/// call for that owner. The buffer never shrinks, so a single row after a batch does not allocate.
template <class Owner, class Number = double>
Number* thread_work(Index numbers) {
  thread_local std::vector<Number> memory;
  if (static_cast<Index>(memory.size()) < numbers) memory.resize(static_cast<std::size_t>(numbers));
  return memory.data();
}

/// Returns an uninitialised matrix (rows, cols) in such memory.
template <class Owner>
Eigen::Map<Matrix> thread_matrix(Index rows, Index cols) {
  return Eigen::Map<Matrix>(thread_work<Owner>(rows * cols), rows, cols);
}

}  // namespace alacarte
