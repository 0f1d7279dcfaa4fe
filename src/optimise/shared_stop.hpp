#pragma once
// Why a fit must stop, where several ranks train it.
#include <string>

#include "core/ranks.hpp"

namespace alacarte {

/// What all ranks stop for, when each has found "", "seconds" or "interrupted": clocks and signals are each rank's own,
/// and what stops one stops all. All ranks call it together.
inline std::string shared_stop(const std::string& own) {
  if (ranks::count() == 1) return own;
  const double most = -ranks::minimum(own.empty() ? 0.0 : own == "seconds" ? -1.0 : -2.0);
  return most == 0 ? "" : most == 1 ? "seconds" : "interrupted";
}

}  // namespace alacarte
