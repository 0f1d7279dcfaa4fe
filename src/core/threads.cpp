#include "alacarte/core/threads.hpp"

#include <omp.h>
#include <sys/resource.h>
#include <algorithm>
#include <limits>

#ifdef ALACARTE_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace alacarte {

int hardware_threads() { return std::min(omp_get_num_procs(), affordable_threads()); }

double address_space_limit() {
  struct rlimit limit {};
  const bool limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? static_cast<double>(limit.rlim_cur) : std::numeric_limits<double>::infinity();
}

int affordable_threads() {
  const double further = (address_space_limit() - kCodeBytes - kBufferBytes) / kThreadBytes;
  return 1 + static_cast<int>(std::clamp(further, 0.0, 4095.0));
}

#ifdef ALACARTE_HAVE_OPENBLAS
// Sets the count only if it changes: that costs a lock and perhaps new threads.
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
