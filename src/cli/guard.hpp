#pragma once
// From what a command throws to an exit code and one line on standard error.
#include <alacarte/app/job.hpp>
#include <functional>
#include <stdexcept>

namespace alacarte::cli {

enum ExitCode : int {
  kSuccess = 0,
  kUsageError = 1,
  kConfigError = 2,
  kDataError = 3,
  kIoError = 4,
  kNumericalError = 5,
  kInternalError = 70,
  kInterrupted = 130,
  kClosedPipe = 141,  ///< as a shell reports a program ended by SIGPIPE
};

/// A combination of options that the table of options cannot refuse by itself.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs `body`, then makes sure standard output reached its destination. Never throws.
int guarded(const std::function<int()>& body) noexcept;

}  // namespace alacarte::cli
