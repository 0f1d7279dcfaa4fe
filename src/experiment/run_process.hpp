#pragma once
// A child process that executes one run.
#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace alacarte {

/// 0 = none. memory_mb: resident, looked at whenever ended() is asked.
struct ProcessLimits {
  double seconds = 0, memory_mb = 0;
};

class RunProcess {
 public:
  /// Starts `command` with standard error in `log_path`, in a process group of its own. Throws IoError.
  RunProcess(std::vector<std::string> command, const std::string& log_path, ProcessLimits limits);
  RunProcess(RunProcess&&) noexcept = default;
  RunProcess& operator=(RunProcess&&) = delete;

  /// True once the process has ended; kills it beyond its limits.
  bool ended();
  void kill_now();
  double seconds() const;
  /// "" for exit code 0; else what happened, for people. After ended().
  std::string failure() const;
  /// Whether a signal ended it that this process did not send: a stop of the whole job is on its way, or the kernel was
  /// out of memory. After ended().
  bool cut_short() const;

 private:
  std::string last_log_line() const;
  double resident_megabytes() const;

  std::string log_path_;
  ProcessLimits limits_;
  std::chrono::steady_clock::time_point began_;
  pid_t process_ = -1;
  int status_ = 0;
  bool reaped_ = false;
  std::string killed_for_;
};

}  // namespace alacarte
