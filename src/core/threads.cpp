#include "alacarte/core/threads.hpp"

#include <omp.h>

#ifdef ALACARTE_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace alacarte {

int hardware_threads() { return omp_get_num_procs(); }

#ifdef ALACARTE_HAVE_OPENBLAS
// Writing the count costs a lock and, when it grows, new threads: leave it alone where it is already right.
BlasThreads::BlasThreads(int count) : former_(openblas_get_num_threads()) {
  if (count != former_) openblas_set_num_threads(count);
}
BlasThreads::~BlasThreads() {
  if (openblas_get_num_threads() != former_) openblas_set_num_threads(former_);
}
#else
BlasThreads::BlasThreads(int) : former_(1) {}
BlasThreads::~BlasThreads() = default;
#endif

}  // namespace alacarte
