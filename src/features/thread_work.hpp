#pragma once
// Work space of one call of a map, which the thread keeps.
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// `numbers` doubles, undefined; the next call in this thread hands out the same memory. It grows only: a lone row
/// after a batch allocates nothing.
inline double* thread_work(Index numbers) {
  thread_local std::vector<double> memory;
  if (static_cast<Index>(memory.size()) < numbers) memory.resize(static_cast<std::size_t>(numbers));
  return memory.data();
}

}  // namespace alacarte
