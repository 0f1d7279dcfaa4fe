#include "bench/blas_floor.hpp"

#include <algorithm>

#include "alacarte/core/threads.hpp"
#include "alacarte/linalg/dense.hpp"
#include "core/workers.hpp"

namespace alacarte::bench {

BlasFloor::BlasFloor(Index rows, Index features, int threads) : rows_(rows), features_(features), threads_(threads) {
  // As the objective chooses them: whole tiles, an odd number.
  constexpr Index kCacheTiles = 24576 / 16;
  chunk_rows_ = (2 * std::clamp<Index>(kCacheTiles / features / 2, 8, 63) + 1) * 16;
  chunk_rows_ = std::clamp<Index>((rows + threads - 1) / threads, 1, chunk_rows_);
  workers_.resize(static_cast<std::size_t>(threads));
  for (Worker& worker : workers_) {
    worker.psi.resize(chunk_rows_, features);
    worker.psi.topRows(chunk_rows_).setRandom();
    worker.psi_bar.resize(chunk_rows_, features);
    worker.gram.resize(features, features);
  }
}

template <class Body>
void BlasFloor::for_chunks(const Body& body) {
  const BlasThreads single(1);
  run_workers(threads_, [&](int w) {
    for (Index first = w * chunk_rows_; first < rows_; first += threads_ * chunk_rows_)
      body(workers_[static_cast<std::size_t>(w)], std::min(chunk_rows_, rows_ - first));
  });
}

void BlasFloor::run() {
  for (Worker& worker : workers_) worker.gram.setZero();
  for_chunks(
      [](Worker& worker, Index rows) { syrk_lower(1.0, worker.psi.topRows(rows), Op::transpose, 1.0, worker.gram); });
  Matrix& gram = workers_.front().gram;
  for (std::size_t w = 1; w < workers_.size(); ++w) gram += workers_[w].gram;
  {
    const BlasThreads many(threads_);
    // One row block repeated is of low rank: the identity of B = I + Psi^T Psi / s2 makes it definite.
    gram.diagonal().array() += 1.0;
    safe_cholesky(gram, "BLAS floor");
    invert_from_cholesky(gram);
  }
  for_chunks([&](Worker& worker, Index rows) {
    gemm(1.0, worker.psi.topRows(rows), Op::none, gram, Op::none, 0.0, worker.psi_bar.topRows(rows));
  });
}

}  // namespace alacarte::bench
