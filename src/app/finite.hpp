#pragma once
// Guards results against NaN and infinity.
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/types.hpp"
#include "data/feature_writer.hpp"

namespace alacarte {

/// Returns the value; throws NumericalError(stage) unless it is finite.
inline double finite(double value, const char* stage) {
  if (!std::isfinite(value)) throw NumericalError(stage, "a result is not a finite number", value);
  return value;
}

inline void require_finite(ConstMat values, const std::string& stage) {
  if (!values.allFinite()) throw NumericalError(stage, "a result is not a finite number");
}

inline void write_finite_npy(const std::string& path, ConstMat values) {
  require_finite(values, path);
  write_npy(path, values);
}

}  // namespace alacarte
