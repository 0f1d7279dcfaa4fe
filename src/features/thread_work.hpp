#pragma once
// Work space that a thread keeps from call to call, so that loops over chunks of rows allocate nothing.
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// `numbers` doubles, undefined, of the calling thread and of Owner, any type: each owner has memory of its own, which
/// its next call hands out again. It grows only, so a lone row after a batch allocates nothing.
template <class Owner>
double* thread_work(Index numbers) {
  thread_local std::vector<double> memory;
  if (static_cast<Index>(memory.size()) < numbers) memory.resize(static_cast<std::size_t>(numbers));
  return memory.data();
}

/// A matrix (rows, cols), undefined, in such memory.
template <class Owner>
Eigen::Map<Matrix> thread_matrix(Index rows, Index cols) {
  return Eigen::Map<Matrix>(thread_work<Owner>(rows * cols), rows, cols);
}

}  // namespace alacarte
