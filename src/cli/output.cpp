#include "output.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "alacarte/core/atomic_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/core/pipes.hpp"
#include "guard.hpp"
#include "log.hpp"

namespace alacarte::cli {
namespace {

/// Also detects an earlier failed write, whose errno is lost.
bool pipe_closed() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

/// Also of files that are not there yet.
bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (a.empty() || b.empty()) return false;
  return fs::equivalent(a, b, error) || fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error);
}

/// Named pipes are not opened: their readers would take the end of that for the end of the output.
void require_writable(const std::string& path) {
  if (!is_stream(path)) {
    const AtomicFile probe(path);
  } else if (::access(path.c_str(), W_OK) != 0) {
    throw IoError(path, std::string("cannot be written: ") + std::strerror(errno));
  }
}

}  // namespace

void flush_standard_output() {
  errno = 0;
  const PipeWait wait(PipeWait::writing);
  if (std::cout.flush()) return;
  const int error = errno;
  std::cout.clear();
  if (error == EPIPE || pipe_closed()) throw ClosedPipe();
  std::string message = "cannot be written";
  if (error != 0) message += std::string(": ") + std::strerror(error);
  throw IoError("standard output", message);
}

void require_writable(const std::vector<std::string>& paths, std::vector<std::string> others) {
  for (const std::string& path : paths) {
    if (path.empty() || path == "-") continue;
    for (const std::string& other : others) {
      if (same_file(path, other))
        throw UsageError(path +
                         " is another file of this command too, which would be written over; give it another name");
    }
    require_writable(path);
    others.push_back(path);
  }
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  AtomicFile file(path);
  write(file.stream());
  file.commit();
  log_info("wrote " + path);
}

}  // namespace alacarte::cli
