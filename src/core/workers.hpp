#pragma once
// The only threads of this program. An exception that leaves an OpenMP region or a thread ends the program: here it
// reaches the caller.
#include <algorithm>
#include <atomic>
#include <exception>
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// Calls body(worker) for worker = 0 .. count-1, each on its own thread if the runtime grants them, and rethrows the
/// exception of the lowest worker that threw, after all have ended. Work split by worker gives the same result on any
/// number of threads (an outer parallel region grants one).
template <class Body>
void run_workers(int count, const Body& body) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
#pragma omp parallel for num_threads(count) schedule(static, 1)
  for (int worker = 0; worker < count; ++worker) {
    try {
      body(worker);
    } catch (...) {
      errors[static_cast<std::size_t>(worker)] = std::current_exception();
    }
  }
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

/// The numbers 0 .. count-1, dealt out in order, `chunk` at a time, to the next free worker. Results must not depend on
/// the worker: the assignment is not deterministic. Thread-safe.
class WorkQueue {
 public:
  WorkQueue(Index count, Index chunk) : count_(count), chunk_(chunk) {}

  /// Calls body(i) for the next numbers until none is left. An exception of one worker stops the others.
  template <class Body>
  void work(const Body& body) {
    try {
      for (Index first = next_.fetch_add(chunk_); first < count_; first = next_.fetch_add(chunk_))
        for (Index i = first; i < std::min(count_, first + chunk_); ++i) body(i);
    } catch (...) {
      next_.store(count_);
      throw;
    }
  }

 private:
  const Index count_, chunk_;
  std::atomic<Index> next_ = 0;
};

/// Calls body(i) for i = 0 .. count-1 on `workers` threads, `chunk` at a time to the next free one; exceptions as in
/// run_workers. The results must not depend on the worker.
template <class Body>
void run_dealt(int workers, Index count, Index chunk, const Body& body) {
  WorkQueue queue(count, chunk);
  run_workers(workers, [&](int) { queue.work(body); });
}

}  // namespace alacarte
