#include "terminate.hpp"

#include <unistd.h>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>

#include "core/atomic_file.hpp"
#include "log.hpp"
#include "process.hpp"

namespace alacarte::cli {
namespace {

std::atomic<bool> told{false};

/// Writes text without allocating.
void say(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // nobody is left to tell
}

[[noreturn]] void end_program() {
  remove_temporary_files();
  say_why();
  ::_exit(kInternalError);
}

}  // namespace

void install_terminate_handler() { std::set_terminate(end_program); }

void told_why() noexcept { told = true; }

void say_why() noexcept {
  if (told.exchange(true)) return;
  say(program_name());
  try {
    if (std::current_exception()) throw;
    say(": error: internal error: the program cannot go on\n");
  } catch (const std::bad_alloc&) {
    say(": error: out of memory; ended at once\n");
  } catch (const std::exception& error) {
    say(": error: internal error: ");
    say(error.what());
    say("\n");
  } catch (...) {
    say(": error: internal error: an unknown exception\n");
  }
}

}  // namespace alacarte::cli
