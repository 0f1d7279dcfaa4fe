#pragma once
#include <alacarte/core/error.hpp>

namespace alacarte {

/// The reader of standard output has closed the pipe: not an error to report.
class ClosedPipe : public IoError {
 public:
  ClosedPipe() : IoError("standard output", "is closed") {}
};

}  // namespace alacarte
