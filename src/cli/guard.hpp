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
  kClosedPipe = 141,  ///< what a shell says of a program that SIGPIPE ended
};

/// A combination of options that CLI11 cannot refuse by itself.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The person stopped the command. what() says what became of its work.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(const char* outcome = "nothing was written") : outcome_(outcome) {}
  const char* what() const noexcept override { return outcome_; }

 private:
  const char* outcome_;  ///< a literal
};

/// Runs `body`, then makes sure standard output reached its destination. Never throws.
int guarded(const std::function<int()>& body) noexcept;

}  // namespace alacarte::cli
