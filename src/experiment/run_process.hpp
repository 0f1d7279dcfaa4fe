#pragma once
// A child process that executes one run, and the lock that says whose run it is.
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// An exclusive lock on a file, held until destruction or the death of the process (and of the child it is lent to).
class FileLock {
 public:
  /// nullopt when another holds it. Throws IoError when the file cannot be made.
  static std::optional<FileLock> try_take(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();
  int descriptor() const { return descriptor_; }

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

/// 0 = none. memory_mb: resident, looked at whenever ended() is asked.
struct ProcessLimits {
  double seconds = 0, memory_mb = 0;
};

class RunProcess {
 public:
  /// Starts `command` with standard error in `log_path`, in a process group of its own. Throws IoError.
  RunProcess(std::vector<std::string> command, const std::string& log_path, FileLock lock, ProcessLimits limits);
  RunProcess(RunProcess&&) noexcept = default;
  RunProcess& operator=(RunProcess&&) = delete;

  /// True once the process has ended; kills it beyond its limits.
  bool ended();
  void kill_now();
  double seconds() const;
  /// "" for exit code 0; else what happened, for people. After ended().
  std::string failure() const;

 private:
  std::string last_log_line() const;
  double resident_megabytes() const;

  std::string log_path_;
  FileLock lock_;
  ProcessLimits limits_;
  std::chrono::steady_clock::time_point began_;
  pid_t process_ = -1;
  int status_ = 0;
  std::string killed_for_;
};

}  // namespace alacarte
