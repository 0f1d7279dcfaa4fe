#pragma once
// A child process that executes one run, this machine, and the processes on it.
#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace alacarte {

/// Limits; 0 = none. memory_mb: resident memory, checked whenever ended() is called.
struct ProcessLimits {
  double seconds = 0, memory_mb = 0;
};

class RunProcess {
 public:
  /// Starts `command` in its own process group with standard error in `log_path`. Throws IoError.
  RunProcess(std::vector<std::string> command, const std::string& log_path, ProcessLimits limits);
  RunProcess(RunProcess&&) noexcept = default;
  RunProcess& operator=(RunProcess&&) = delete;

  /// Returns true once the process has ended; kills it beyond its limits.
  bool ended();
  void kill_now();
  double seconds() const;
  /// Returns "" for exit code 0, else a description for people. Call after ended().
  std::string failure() const;
  /// Returns true if a foreign signal ended it: the job is being stopped, or memory ran out. Call after ended().
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

/// Returns boot id and process namespace, the scope of process numbers; "" if unknown.
std::string this_machine();

/// Returns the host name: letters, digits and hyphens.
std::string host_name();

/// Returns the start of a process of this machine in kernel ticks; "" if it has ended or is hidden.
std::string process_start(pid_t process);

/// Returns true if the process with that start still runs.
bool process_lives(pid_t process, const std::string& start);

/// Returns the peak resident memory of this program in 1e6 bytes, without the process before exec (unlike getrusage());
/// 0 if unknown.
double peak_megabytes();

}  // namespace alacarte
