#pragma once
#include <alacarte/core/error.hpp>

namespace alacarte {

/// Whoever read standard output has gone: nothing is wrong, and there is nobody to tell.
class ClosedPipe : public IoError {
 public:
  ClosedPipe() : IoError("standard output", "is closed") {}
};

}  // namespace alacarte
