#include "pipes.hpp"

#include <sys/stat.h>
#include <atomic>

namespace alacarte {
namespace {

std::atomic<int> waits{0};
static_assert(std::atomic<int>::is_always_lock_free, "read by a signal handler");
std::atomic<void (*)()> waiting_hook{nullptr};

bool streams(const struct stat& status) { return !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode); }

}  // namespace

bool is_stream(const std::string& path) {
  struct stat status {};
  return path == "-" || (::stat(path.c_str(), &status) == 0 && streams(status));
}

bool is_stream(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && streams(status);
}

PipeWait::PipeWait(Direction direction, bool may_wait) : may_wait_(may_wait) {
  if (!may_wait_) return;
  ++waits;
  if (direction == writing) return;  // a started write is finished
  if (const auto hook = waiting_hook.load()) hook();
}

PipeWait::~PipeWait() {
  if (may_wait_) --waits;
}

bool PipeWait::waiting() noexcept { return waits.load() > 0; }

void PipeWait::before_waiting(void (*hook)()) noexcept { waiting_hook = hook; }

}  // namespace alacarte
