#pragma once
// Of all FFTW's functions only the execution of a plan may run in several threads at a time.
#include <mutex>

namespace alacarte {

inline std::mutex& fftw_planner() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace alacarte
