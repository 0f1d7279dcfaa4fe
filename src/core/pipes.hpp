#pragma once
// Files that can be read or written only once, front to back, and calls on them that may never return.
#include <alacarte/core/error.hpp>
#include <string>

namespace alacarte {

/// "-", a pipe, a terminal or another device; false for a regular file, a folder, and what is not there.
bool is_stream(const std::string& path);
bool is_stream(int descriptor);  ///< the same of an open file

/// The reader of standard output has closed the pipe: not an error to report.
class ClosedPipe : public IoError {
 public:
  ClosedPipe() : IoError("standard output", "is closed") {}
};

/// A scope in which this thread may wait for the other end of a pipe for ever. A handler of signals that finds
/// waiting() may end the process at once: a flag would never be looked at.
class PipeWait {
 public:
  /// What the other end is waited for: `opening` of what will be written.
  enum Direction { reading, opening, writing };
  /// may_wait false: the scope has no effect. Reading and opening call the hook of before_waiting().
  explicit PipeWait(Direction direction, bool may_wait = true);
  ~PipeWait();
  PipeWait(const PipeWait&) = delete;
  PipeWait& operator=(const PipeWait&) = delete;

  static bool waiting() noexcept;  ///< async-signal-safe
  /// `hook`, once waiting() is true: closes the gap for a signal that came just before. nullptr: none.
  static void before_waiting(void (*hook)()) noexcept;

 private:
  bool may_wait_;
};

}  // namespace alacarte
