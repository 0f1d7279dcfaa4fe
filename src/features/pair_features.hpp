#pragma once
// Cosine and sine features of phases, chunk by chunk, and scratch of threads.
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// The left half of psi (n, 2m) holds turns: psi becomes amplitude [cos, sin] of them.
void pairs_of_turns(double amplitude, MatRef psi);

/// phase_bar (n, m), of phases in radians, from psi = amplitude [cos, sin] and its cotangent; overwritten. Returns the
/// cotangent of the log amplitude.
double phase_cotangent(ConstMat psi, ConstMat psi_bar, MatRef phase_bar);

/// A matrix on memory that only grows, so that a lone row after a batch allocates nothing.
inline Eigen::Map<Matrix> scratch_matrix(std::vector<double>& memory, Index rows, Index cols) {
  if (static_cast<Index>(memory.size()) < rows * cols) memory.resize(static_cast<std::size_t>(rows * cols));
  return Eigen::Map<Matrix>(memory.data(), rows, cols);
}

}  // namespace alacarte
