#pragma once
// Files that can be read or written only once, front to back, and calls on them that may block for ever.
#include <alacarte/core/error.hpp>
#include <string>

namespace alacarte {

/// Returns true for "-", a pipe, a terminal or another device; false for a regular file, a folder or a missing file.
bool is_stream(const std::string& path);
bool is_stream(int descriptor);  ///< is_stream() of an open file

/// Thrown when the reader of standard output has closed the pipe; this is not an error to report.
class ClosedPipe : public IoError {
 public:
  ClosedPipe() : IoError("standard output", "is closed") {}
};

/// A scope in which this thread may wait for the other end of a pipe for ever. A signal handler that finds waiting()
/// true may end the process at once: a flag would never be looked at.
class PipeWait {
 public:
  /// Operation that waits for the other end; `opening` is for a file that will be written.
  enum Direction { reading, opening, writing };
  /// Has no effect if may_wait is false. Reading and opening call the hook of before_waiting().
  explicit PipeWait(Direction direction, bool may_wait = true);
  ~PipeWait();
  PipeWait(const PipeWait&) = delete;
  PipeWait& operator=(const PipeWait&) = delete;

  static bool waiting() noexcept;  ///< true in such a scope; async-signal-safe
  /// Sets the hook that is called once waiting() is true, for a signal that came just before. nullptr: none.
  static void before_waiting(void (*hook)()) noexcept;

 private:
  bool may_wait_;
};

}  // namespace alacarte
