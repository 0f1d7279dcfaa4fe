#pragma once
// From what a command throws to an exit code and one line on standard error.
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
};

/// A combination of options that CLI11 cannot refuse by itself.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The person stopped the command and nothing was written.
class Interrupted : public std::exception {};

/// Runs `body`, then makes sure standard output reached its destination. Never throws.
int guarded(const std::function<int()>& body) noexcept;

}  // namespace alacarte::cli
