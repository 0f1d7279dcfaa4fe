#pragma once
// A parallel region that exceptions leave as they should: OpenMP would end the program.
#include <exception>
#include <vector>

namespace alacarte {

/// Calls body(worker) for worker = 0 .. count-1, each on a thread of its own as far as the runtime grants them, and
/// rethrows the exception of the lowest worker that threw. Work split by worker gives the same result whatever number
/// of threads is granted (an outer parallel region grants one).
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

}  // namespace alacarte
