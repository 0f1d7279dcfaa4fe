#pragma once
// Runs a test body on every instruction set of this machine.
#include <gtest/gtest.h>

#include "linalg/simd.hpp"

namespace alacarte {

/// Selects an instruction set for a scope.
class SimdScope {
 public:
  explicit SimdScope(SimdPath path) : former_(simd_path()) { set_simd_path(path); }
  ~SimdScope() { set_simd_path(former_); }
  SimdScope(const SimdScope&) = delete;
  SimdScope& operator=(const SimdScope&) = delete;

 private:
  SimdPath former_;
};

template <class Body>
void on_every_path(const Body& body) {
  for (const SimdPath path : simd_paths()) {
    SCOPED_TRACE(simd_path_name(path));
    const SimdScope scope(path);
    body();
  }
}

}  // namespace alacarte
