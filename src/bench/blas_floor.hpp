#pragma once
// The dense algebra that one primal value and gradient cannot do without, and nothing else: what an evaluation is
// measured against.
#include <alacarte/core/types.hpp>
#include <vector>

#include "core/aligned_matrix.hpp"

namespace alacarte::bench {

/// n D^2 (syrk in chunks) + D^3 (potrf, potri) + 2 n D^2 (gemm in chunks) flops; chunks as large as an evaluation's,
/// always the same memory, so it comes from the cache.
class BlasFloor {
 public:
  BlasFloor(Index rows, Index features, int threads);
  void run();

 private:
  struct Worker {
    AlignedMatrix psi, psi_bar;
    Matrix gram;
  };
  template <class Body>
  void for_chunks(const Body& body);

  Index rows_, features_, chunk_rows_;
  int threads_;
  std::vector<Worker> workers_;
};

}  // namespace alacarte::bench
