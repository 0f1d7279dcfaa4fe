#include "signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <string_view>

#include "alacarte/core/atomic_file.hpp"
#include "alacarte/core/pipes.hpp"
#include "guard.hpp"
#include "log.hpp"

namespace alacarte::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

/// Async-signal-safe.
void say(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // there is nobody left to tell
}

[[noreturn]] void end_now() {
  if (PipeWait::waiting()) {
    say(program_name());
    say(": error: interrupted while waiting for the other end of a pipe\n");
  }
  remove_temporary_files();
  ::_exit(kInterrupted);
}

extern "C" void on_stop(int) {
  if (interrupted.exchange(true) || PipeWait::waiting()) end_now();
}

/// The action of the signal itself follows as soon as the handler returns.
extern "C" void on_quit(int signal) {
  remove_temporary_files();
  ::raise(signal);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGXCPU}) handle(signal, on_stop, SA_RESTART);
  if (!is_ignored(SIGHUP)) handle(SIGHUP, on_stop, SA_RESTART);  // nohup ignores it
  handle(SIGQUIT, on_quit, SA_RESETHAND);
  for (const int signal : {SIGPIPE, SIGXFSZ}) handle(signal, SIG_IGN, 0);
  PipeWait::before_reading([] {
    if (interrupted) end_now();
  });
}

const std::atomic<bool>& interrupt_flag() { return interrupted; }

void stop_if_interrupted() {
  if (interrupted) throw Interrupted();
}

}  // namespace alacarte::cli
